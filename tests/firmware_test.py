#!/usr/bin/env python3
"""Images of whole models on emulated Cortex-M boards: the bytes are those of the known answers, and an image that goes
wrong says so by its exit code.

    tests/firmware_test.py BERTH ROOT SHARED BUILD [FirmwareTest.test_...]

Skips, and says so, without the cross-compiler or the emulator (exit 77); models of ../shared where they are missing.
"""

import os
import pathlib
import subprocess
import sys
import unittest

BERTH, ROOT, SHARED, BUILD = (pathlib.Path(a) for a in sys.argv[1:5])
sys.path.insert(0, str(ROOT / "firmware"))
import image  # noqa: E402

BOARDS = ("mps2-an385", "mps2-an386", "mps3-an547")  # scalar, DSP, MVE
SMALLEST = "microbit"  # no unaligned access, no long multiplication, no division
NETWORKS = ("kws", "vww", "resnet8", "ad01", "micro_speech", "hello_world")
DIGITS = ROOT / "examples/digits"


def cases_of(folder):
    """The inputs of a folder of ../shared/models, and the outputs: bytes, case after case."""
    count = len(list(folder.glob("input*.bin")))
    return tuple(b"".join((folder / f"{what}{i}.bin").read_bytes() for i in range(count)) for what in ("input", "output"))


class FirmwareTest(unittest.TestCase):
    def compile(self, model, board, *options):
        out = BUILD / pathlib.Path(board).stem / "pte"
        out.mkdir(parents=True, exist_ok=True)
        pte = out / f"{model.parent.name}.pte"
        subprocess.run([BERTH, "-q", "compile", model, "-o", pte, "--board", board, *options], check=True)
        return pte

    def run_image(self, pte, board, inputs=None, answers=None, **options):
        paths = []
        if inputs is not None:
            for what, content in (("input", inputs), ("answer", answers)):
                paths.append(pte.with_suffix(f".{what}"))
                paths[-1].write_bytes(content)
        return image.make_and_run(BERTH, pte, board, BUILD, *paths, **options)

    def check_model(self, folder, board):
        inputs, answers = cases_of(folder)
        code, text = self.run_image(self.compile(folder / "model.tflite", board), board, inputs, answers)
        self.assertEqual(code, 0, f"{folder.name} on {board}: {text}")
        self.assertIn("refused: a byte less", text)
        print(f"{folder.name} on {pathlib.Path(board).stem}: " + [line for line in text.splitlines() if line.startswith("run:")][0])

    def digits(self, board):
        pte = self.compile(DIGITS / "digits.tflite", board)
        inputs = (DIGITS / "heldout.bin").read_bytes()
        answers = (DIGITS / "expected.bin").read_bytes()
        return pte, inputs[: 64 * 20], answers[: 10 * 20]

    def test_digits_are_read_alike_on_every_board(self):
        for board in (*BOARDS, "mps2-an500", SMALLEST):
            with self.subTest(board):
                code, text = self.run_image(*self.digits(board)[:1], board, *self.digits(board)[1:])
                self.assertEqual(code, 0, text)
                self.assertIn("right: 20 cases of 10 bytes", text)

    def test_networks_give_the_known_answers(self):
        self.check_models([SHARED / "models" / name for name in NETWORKS])

    def test_operators_give_the_known_answers(self):
        self.check_models(sorted((SHARED / "models/ops").glob("*")))

    def check_models(self, folders):
        if not (SHARED / "models").is_dir():
            self.skipTest(f"no models in {SHARED}")
        for board in (*BOARDS, self.large_smallest()):
            for folder in folders:
                with self.subTest(f"{folder.name} {board}"):
                    self.check_model(folder, board)

    def large_smallest(self):
        """A board file: the smallest processor with as much memory as tests want."""
        path = BUILD / f"{SMALLEST}_large.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = (ROOT / f"boards/{SMALLEST}.toml").read_text()
        path.write_text(text.replace('"16 KiB"', '"1 MiB"').replace('"256 KiB"', '"4 MiB"'))
        return str(path)

    def test_kernels_are_the_references_on_random_layers(self):
        for board in (*BOARDS, self.large_smallest()):
            with self.subTest(board):
                toml = image.link_script.read_board(board)
                defines = ["-DBERTH_INSTRUCTION_LIMIT=20000000000", "-DBERTH_ROUNDS=300"]
                elf = image.link(toml, ROOT / "firmware/int8_layers_test.cc", [], BUILD / toml["name"] / "int8_kernels",
                                 image.build_libraries(toml, BUILD, False), defines)  # fmt: skip
                code, text = image.run_image(elf, toml)
                self.assertEqual(code, 0, text)
                print(text)

    def test_the_example_reads_digits(self):
        self.check_example("read_digit", lambda toml, folder: [ROOT / "examples/firmware/read_digit.cc"])

    def test_the_example_in_c_reads_digits(self):
        def build(toml, folder):
            c_object = folder / "read_digit.o"
            subprocess.run(["arm-none-eabi-gcc", *image.flags_of(toml), "-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                            f"-I{ROOT}", f"-I{folder}", "-c", ROOT / "examples/firmware/read_digit.c", "-o", c_object],
                           check=True)  # fmt: skip
            return [c_object, ROOT / "examples/firmware/digits_kernels.cc"]

        self.check_example("read_digit_c", build)

    def check_example(self, name, build):
        labels = [int(line) for line in (DIGITS / "heldout_labels.txt").read_text().split()[:3]]
        toml = image.link_script.read_board("mps2-an386")
        folder = BUILD / "mps2-an386" / name
        (folder / "examples/firmware").mkdir(parents=True, exist_ok=True)
        subprocess.run([BERTH, "-q", "compile", DIGITS / "digits.tflite", "--board", "mps2-an386", "-o", folder / "digits.pte",
                        "--header", folder / "examples/firmware/digits_memory.h"], check=True)  # fmt: skip
        pictures = folder / "pictures.s"
        pictures.write_text(f'\t.section .rodata\n\t.global PICTURES\nPICTURES: .incbin "{DIGITS}/heldout.bin"\n')
        more = [*build(toml, folder), ROOT / "examples/firmware/digits_file.s", pictures]
        elf = image.link(toml, ROOT / "firmware/read_digit_test.cc", more, folder, image.build_libraries(toml, BUILD, False),
                         [f"-Wa,-I{folder}"])  # fmt: skip
        code, text = image.run_image(elf, toml)
        self.assertEqual(code, 0, text)
        self.assertEqual(text, "".join(f"a {label}\n" for label in labels))

    def test_a_wrong_element_is_named(self):
        pte, inputs, answers = self.digits("mps2-an386")
        wrong = bytearray(answers)
        wrong[13] ^= 1
        code, text = self.run_image(pte, "mps2-an386", inputs, bytes(wrong))
        self.assertEqual(code, 1)
        self.assertIn("wrong: case 1 output 0 element 3: bytes", text)

    def test_a_file_for_another_instruction_set_is_refused(self):
        pte, inputs, answers = self.digits("mps2-an385")
        code, text = self.run_image(pte, "mps2-an386", inputs, answers)
        self.assertEqual(code, 2)
        self.assertIn("planned for another instruction set", text)

    def test_a_damaged_file_is_refused(self):
        pte, inputs, answers = self.digits("mps2-an386")
        board = image.link_script.read_board("mps2-an386")
        folder = BUILD / "mps2-an386" / "damaged"
        for suffix, content in (("input", inputs), ("answer", answers)):
            pte.with_suffix(f".{suffix}").write_bytes(content)
        libraries = image.build_libraries(board, BUILD, False)
        elf = image.link_image(BERTH, pte, board, pte.with_suffix(".input"), pte.with_suffix(".answer"), folder, libraries, 10**9)
        whole, content = elf.read_bytes(), pte.read_bytes()
        at = whole.index(content)
        for position, words in ((0, "open: status 0x1"), (5, "not a .pte file")):
            damaged = bytearray(whole)
            damaged[at + position] ^= 0x7F
            elf.write_bytes(damaged)
            code, text = image.run_image(elf, board)
            self.assertEqual(code, 2, f"byte {position}: {text}")
            self.assertIn(words, text)

    def test_a_fault_and_a_hang_end_the_image(self):
        for board in ("mps2-an385", "mps3-an547"):
            pte, inputs, answers = self.digits(board)
            code, text = self.run_image(pte, board, inputs, answers, inject="fault")
            self.assertEqual(code, 3, text)
            self.assertIn("hard fault at pc", text)
            code, text = self.run_image(pte, board, inputs, answers, inject="hang", limit=10**8)
            self.assertEqual(code, 4, text)

    def test_a_kernel_that_refuses_ends_the_image(self):
        code, text = self.run_image(*self.digits("mps2-an386")[:1], "mps2-an386", *self.digits("mps2-an386")[1:], inject="refuse")
        self.assertEqual(code, 5, text)
        self.assertIn("execute: status 0x30, kernel failed", text)

    def test_an_emulator_that_is_wrong_ends_the_image(self):
        code, text = self.run_image(*self.digits("mps2-an386")[:1], "mps2-an386", *self.digits("mps2-an386")[1:], inject="emulator")
        self.assertEqual((code, text), (6, "the emulator gets the answer of a test wrong\n"))

    def test_what_gives_no_image_has_a_code_of_its_own(self):
        m4 = self.digits("mps2-an386")[0]
        other = self.compile(DIGITS / "digits.tflite", "mps3-an547")
        missing = BUILD / "missing.pte"
        for words, said, tools in (
            ([other, "--board", "mps2-an386"], "the file is planned for a pool sram, which board mps2-an386 has not", None),
            ([missing, "--board", "mps2-an386"], "berth inspect: ", None),
            ([m4, "--board", "mps2-an386"], "error: not installed: arm-none-eabi-g++, qemu-system-arm", "none"),
            ([m4, "--board", "mps2-an386"], "the emulator failed: qemu-system-arm: no such machine", "failing"),
        ):
            with self.subTest(said):
                environment = dict(os.environ)
                if tools == "none":
                    environment["PATH"] = str(BUILD / "no_tools")
                if tools == "failing":
                    fake = BUILD / "failing_tools" / "qemu-system-arm"
                    fake.parent.mkdir(parents=True, exist_ok=True)
                    fake.write_text("#!/bin/sh\necho qemu-system-arm: no such machine >&2\nexit 1\n")
                    fake.chmod(0o755)
                    environment["PATH"] = f"{fake.parent}:{environment['PATH']}"
                done = subprocess.run([sys.executable, ROOT / "firmware/image.py", *words, "--berth", BERTH, "--out", BUILD],
                                      capture_output=True, text=True, env=environment)  # fmt: skip
                self.assertEqual(done.returncode, 64, done.stdout + done.stderr)
                self.assertIn(said, done.stderr)

    def test_a_write_beside_the_scratch_is_noticed(self):
        pte, inputs, answers = self.digits("mps2-an386")
        code, text = self.run_image(pte, "mps2-an386", inputs, answers, inject="stray")
        self.assertEqual(code, 7, text)
        self.assertIn("instruction 0", text)

    def test_images_have_no_heap(self):
        code, text = self.run_image(*self.digits("mps2-an386")[:1], "mps2-an386")
        self.assertEqual(code, 0, text)
        elf = BUILD / "mps2-an386" / "digits" / "image.elf"
        symbols = subprocess.run(["arm-none-eabi-nm", "-C", elf], capture_output=True, text=True, check=True).stdout
        for name in ("malloc", "free", "_sbrk", "operator new", "operator delete", "__cxa_throw", "printf", "abort", "exit"):
            self.assertNotRegex(symbols, rf"(?m) {name}\b(?!\()", name)


if __name__ == "__main__":
    if missing := image.missing_tools():
        print(f"SKIPPED: not installed: {', '.join(missing)}")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]], verbosity=2)
