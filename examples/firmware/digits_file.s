@ The model's file, in flash.
	.section .rodata.digits_pte, "a"
	.balign 16
	.global DIGITS_PTE, DIGITS_PTE_END
DIGITS_PTE:
	.incbin "digits.pte"
DIGITS_PTE_END:
