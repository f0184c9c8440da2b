#!/usr/bin/env bash
# The runtime's libraries may not need a heap, exceptions, stdio or RTTI: nm must show no such symbol.
# A vtable with a virtual destructor would show as operator delete, a container as std::__throw_*.
#
#   [NM=arm-none-eabi-nm] tests/symbols_test.sh LIBRARY.a...
#   [NM=arm-none-eabi-nm] tests/symbols_test.sh --image IMAGE.elf...      which may have a tracer, and with it vtables
set -euo pipefail

# assert() is allowed: it guards against bugs of our own, and device images are built with NDEBUG.
refused='(^|[^_A-Za-z])(malloc|calloc|realloc|free|aligned_alloc|posix_memalign|strdup|abort|exit)$'
refused+='|(^| )_+(malloc|calloc|realloc|free|sbrk|abort|exit)(_r)?$|(^| )sbrk$'  # newlib's
refused+='|operator (new|delete)'
refused+='|__cxa_|_Unwind_|__gxx_personality|__dynamic_cast|std::(__throw|terminate|vector|basic_string|ios_base|function)'
refused+='|(^| )(_?v?f?a?s?n?i?printf(_r)?|_*[a-z]*printf_chk|puts|fputs|fputc|putchar|fwrite|fread|fopen|fclose|stdout|stderr|stdin)$'
refused+='|typeinfo'
[[ "${1:-}" == --image ]] && shift || refused+='|vtable'

# Reads nm's lines, prints those that are refused.
offenders() { grep -E "$refused" || true; }

self_test() {
  local line
  for line in ' U malloc' ' U free' ' U operator new(unsigned long)' ' U operator delete(void*)' ' U __cxa_throw' \
    ' U __cxa_guard_acquire' ' U __gxx_personality_v0' ' U printf' ' U __printf_chk' ' U snprintf' ' U stderr' \
    ' U std::__throw_length_error(char const*)' '0000 V typeinfo for berth::X' \
    '0000 T operator new(unsigned int)' '0000 T operator delete(void*, unsigned int)' '0000 T iprintf' '0000 T _printf_r' \
    '0000 T sniprintf' '0000 T _vfiprintf_r' '0000 T _malloc_r' '0000 T _free_r' '0000 T _sbrk' '0000 T _sbrk_r' '0000 T _exit'; do
    [[ -n "$(offenders <<<"$line")" ]] || { echo "self-test: accepted '$line'"; return 1; }
  done
  [[ "$refused" != *vtable ]] || [[ -n "$(offenders <<<'0000 V vtable for berth::X')" ]] || { echo "self-test: accepted a vtable"; return 1; }
  for line in ' U memcpy' ' U memset' ' U __assert_fail' '0000 T berth::runtime::free_bytes(berth::runtime::Arena&)'; do
    [[ -z "$(offenders <<<"$line")" ]] || { echo "self-test: refused '$line'"; return 1; }
  done
}

self_test
(($#)) || { echo "usage: $0 LIBRARY.a..."; exit 2; }
status=0
for library in "$@"; do
  symbols=$("${NM:-nm}" -C "$library")
  [[ -n "$symbols" ]] || { echo "$library: nm shows nothing"; exit 1; }
  found=$(offenders <<<"$symbols")
  if [[ -n "$found" ]]; then
    printf '%s: symbols that a device does not have:\n%s\n' "$library" "$found"
    status=1
  else
    printf '%s: %s symbols, none refused\n' "$library" "$(wc -l <<<"$symbols")"
  fi
done
exit "$status"
