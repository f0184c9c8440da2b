#!/usr/bin/env python3
"""Images of whole models on emulated Cortex-M boards: the bytes are those of the known answers, and an image that goes
wrong says so by its exit code.

    tests/firmware_test.py BERTH ROOT SHARED BUILD [FirmwareTest.test_...]

Skips, and says so, without the cross-compiler or the emulator (exit 77); models of ../shared where they are missing.
"""

import collections
import os
import pathlib
import random
import re
import struct
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
        for board in (*BOARDS, "mps2-an500", "mps2-an505", SMALLEST):
            with self.subTest(board):
                code, text = self.run_image(*self.digits(board)[:1], board, *self.digits(board)[1:])
                self.assertEqual(code, 0, text)
                self.assertIn("right: 20 cases of 10 bytes", text)

    def test_networks_give_the_known_answers(self):
        self.check_models([SHARED / "models" / name for name in NETWORKS])

    def test_operators_give_the_known_answers(self):
        self.check_models(sorted((SHARED / "models/ops").glob("*/")))

    def check_models(self, folders):
        if not (SHARED / "models").is_dir():
            self.skipTest(f"no models in {SHARED}")
        self.assertTrue(folders, f"no folders with models in {SHARED / 'models'}")
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
        for board in (*BOARDS, "mps2-an505", self.large_smallest()):
            with self.subTest(board):
                toml = image.link_script.read_board(board)
                defines = ["-DBERTH_INSTRUCTION_LIMIT=20000000000", "-DBERTH_ROUNDS=300"]
                elf = image.link(toml, ROOT / "firmware/int8_layers_test.cc", [], BUILD / toml["name"] / "int8_kernels",
                                 image.build_libraries(toml, BUILD, False), defines)  # fmt: skip
                code, text = image.run_image(elf, toml)
                self.assertEqual(code, 0, text)
                print(text)

    def test_kernels_build_for_processors_without_a_board(self):
        for cpu in image.FLAGS:
            with self.subTest(f"flags of {cpu}"):
                image.run(["arm-none-eabi-g++", *image.flags_of({"name": cpu, "cpu": cpu}), "-x", "c++", "-fsyntax-only", os.devnull], cpu)
        for cpu in ("cortex-m0plus", "cortex-m85"):
            with self.subTest(cpu):
                libraries = image.build_libraries({"name": cpu, "cpu": cpu}, BUILD, False)
                self.assertIn("libberth_runtime_kernels_cortex_m.a", [path.name for path in libraries])

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

    def two_methods(self):
        text = BUILD / "two_methods.bir"
        text.write_text("""berth.ir 1
graph half {
  input %x : f32[8]
  %y : f32[8] = aten::mul.out(%x, %x)
  output %y
}
graph low {
  input %x : f32[4]
  %y : f32[4] = aten::add.out(%x, %x, 1)
  output %y
}
""")
        pte = text.with_suffix(".pte")
        subprocess.run([BERTH, "-q", "compile", text, "-o", pte, "--board", "mps2-an386"], check=True)
        return pte

    def test_every_method_can_be_run(self):
        for name, count, operation in (("half", 8, lambda x: x * x), ("low", 4, lambda x: x + x)):
            with self.subTest(name):
                numbers = [i - 2.5 for i in range(2 * count)]
                inputs, answers = (struct.pack(f"<{2 * count}f", *values) for values in (numbers, map(operation, numbers)))
                code, text = self.run_image(self.two_methods(), "mps2-an386", inputs, answers, method_name=name)
                self.assertEqual(code, 0, text)
                self.assertIn(f"right: 2 cases of {4 * count} bytes", text)

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
        for position, words in ((0, "open: status 0x1"), (5, "not a .pte file")):
            code, text = self.run_damaged(position, 0x7F)
            self.assertEqual(code, 2, f"byte {position}: {text}")
            self.assertIn(words, text)

    def test_a_file_damaged_anywhere_does_not_fault(self):
        """Body, weights and plan record: refused, or run to the end."""
        noise = random.Random(7)
        codes = collections.Counter()
        for _ in range(24):
            position, flip = noise.randrange(self.digits("mps2-an386")[0].stat().st_size), noise.randrange(1, 256)
            with self.subTest(f"byte {position} ^ {flip}"):
                code, text = self.run_damaged(position, flip)
                self.assertIn(code, (0, 1, 2, 5), text)
                codes[code] += 1
        self.assertGreater(codes[2], 0)
        self.assertGreater(codes[1], 0)
        print(f"damaged files: exit codes {dict(codes)}")

    damaged = None  # the board, the bytes of an image and where the file lies in it

    def run_damaged(self, position, flip):
        """An image of digits with one byte of its file changed."""
        folder = BUILD / "mps2-an386" / "damaged"
        if FirmwareTest.damaged is None:
            pte, inputs, answers = self.digits("mps2-an386")
            board = image.link_script.read_board("mps2-an386")
            for suffix, content in (("input", inputs), ("answer", answers)):
                pte.with_suffix(f".{suffix}").write_bytes(content)
            elf = image.link_image(BERTH, pte, board, image.describe(BERTH, pte), pte.with_suffix(".input"), pte.with_suffix(".answer"),
                                   folder, image.build_libraries(board, BUILD, False), 10**9)  # fmt: skip
            whole = elf.read_bytes()
            FirmwareTest.damaged = board, whole, whole.index(pte.read_bytes())
        board, whole, at = FirmwareTest.damaged
        bytes_now = bytearray(whole)
        bytes_now[at + position] ^= flip
        elf = folder / "image.elf"
        elf.write_bytes(bytes_now)
        return image.run_image(elf, board)

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
        two_methods = self.two_methods()
        one, short, long = (BUILD / f"bytes{count}.bin" for count in (64, 15, 130))
        for path in (one, short, long):
            path.write_bytes(bytes(int(path.stem[5:])))
        ten = BUILD / "bytes10.bin"
        ten.write_bytes(bytes(10))
        text = (ROOT / "boards/mps2-an386.toml").read_text()
        boards = {}
        for name, old, new in (
            ("size", '"16 MiB"', '"16 MiBs"'), ("no_toml", "[[pool]]", "[[pool]"), ("no_cpu", 'cpu = "cortex-m4"\n', ""),
            ("own_cpu", 'cpu = "cortex-m4"', 'isa = "dsp"\nabi = "arm32"'), ("other_cpu", 'cpu = "cortex-m4"', 'cpu = "x1"\nisa = "dsp"\nabi = "arm32"'),
            ("no_data", 'holds = ["data"]\n', ""), ("no_address", "address = 0x21000000\n", ""), ("no_size", 'size = "16 MiB"\n', ""),
            ("no_cost", "cost = 4", "cost = -4"),
        ):  # fmt: skip
            boards[name] = BUILD / f"board_{name}.toml"
            boards[name].write_text(text.replace(old, new))
            self.assertNotEqual(text, boards[name].read_text(), name)
        for words, said, tools in (
            ([other, "--board", "mps2-an386"], "the file is planned for a pool sram, which board mps2-an386 has not", None),
            ([missing, "--board", "mps2-an386"], "berth inspect: ", None),
            ([m4, "--board", "mps2-an386"], "error: not installed: arm-none-eabi-g++, qemu-system-arm", "none"),
            ([m4, "--board", "mps2-an386"], "the emulator failed: qemu-system-arm: no such machine", "failing"),
            ([m4, "--board", "mps2-an38"], "no board mps2-an38; boards are microbit, mps2-an385", None),
            ([m4, "--board", "nowhere.toml"], "nowhere.toml: cannot open", None),
            ([m4, "--board", boards["size"]], 'line 19: size "16 MiBs" ends with an unknown unit', None),
            ([m4, "--board", boards["no_toml"]], "board_no_toml.toml: line 5: not TOML", None),
            ([m4, "--board", boards["no_cpu"]], "the board has no cpu", None),
            ([m4, "--board", boards["own_cpu"]], "board_own_cpu.toml: cpu: missing", None),
            ([m4, "--board", boards["other_cpu"]], "no compiler flags for x1; known are cortex-m0,", None),
            ([m4, "--board", boards["no_cost"]], "line 21: cost is -4", None),
            ([m4, "--board", boards["no_data"]], 'board mps2-an386: holds: no pool or memory holds "data"', None),
            ([m4, "--board", boards["no_address"]], "board mps2-an386: pool psram: no address, which an image needs", None),
            ([m4, "--board", boards["no_size"]], "board mps2-an386: pool psram: no size, which an image needs", None),
            ([m4, "--board", "mps2-an386", "--berth", BUILD / "no_berth"], "berth inspect: ", None),
            ([m4], "the following arguments are required: --board", None),
            ([m4, "--board", "mps2-an386", "--instructions", "0"], "--instructions is 0; it is a number from 1", None),
            ([m4, "--board", "mps2-an386", "--input", one], "--input and --expect come together", None),
            ([m4, "--board", "mps2-an386", "--input", one, "--expect", missing], "missing.pte", None),
            ([m4, "--board", "mps2-an386", "--input", one, "--expect", short], "bytes15.bin: has 15 bytes, needs 10 for each case", None),
            ([m4, "--board", "mps2-an386", "--input", long, "--expect", ten], "bytes130.bin: has 130 bytes, needs 64 for each case, 64", None),
            ([m4, "--board", "mps2-an386", "--input", short, "--expect", ten], "bytes15.bin: has 15 bytes, needs 64", None),
            ([m4, "--board", "mps2-an386", "--method", "back"], "has no method back; --method is one of forward", None),
            ([two_methods, "--board", "mps2-an386"], "has no method forward; --method is one of half, low", None),
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
                done = subprocess.run([sys.executable, ROOT / "firmware/image.py", "--berth", BERTH, "--out", BUILD, *words],
                                      capture_output=True, text=True, env=environment)  # fmt: skip
                self.assertEqual(done.returncode, 64, done.stdout + done.stderr)
                self.assertIn(said, done.stderr)

    def test_writes_to_memory_of_others_are_noticed(self):
        pte, inputs, answers = self.digits("mps2-an386")
        for inject, said in (
            ("input", "instruction 0 cortex_m::quantized_conv2d wrote bytes that are not its own"),
            ("beside_scratch", "instruction 0 cortex_m::quantized_conv2d wrote bytes that are not its own"),
            ("method_memory", "instruction 0 cortex_m::quantized_conv2d wrote bytes that are not its own"),
            ("beside_pool", "bytes beside pool ssram were written"),
            ("beside_method_memory", "bytes beside the method's memory were written"),
        ):
            with self.subTest(inject):
                code, text = self.run_image(pte, "mps2-an386", inputs, answers, inject=inject)
                self.assertEqual(code, 7, text)
                self.assertIn(said, text)

    def test_pools_lie_in_the_memories_of_their_names(self):
        _, inputs, answers = self.digits("mps3-an547")
        two = BUILD / "mps3-an547/pte/digits_two_pools.pte"
        self.compile(DIGITS / "digits.tflite", "mps3-an547", "--spread", "--pool", "dtcm=800").replace(two)
        code, text = self.run_image(two, "mps3-an547", inputs, answers)
        self.assertEqual(code, 0, text)
        pools = {pool["name"]: pool["bytes"] for pool in image.describe(BERTH, two)["pools"]}
        self.assertEqual(set(pools), {"sram", "dtcm"})
        memories = image.link_script.memories(image.link_script.read_board("mps3-an547"))
        sections = self.sections(BUILD / "mps3-an547" / two.stem / "image.elf")
        self.assertNotIn(".pool.ddr", {name for name, (size, _) in sections.items() if size})
        for name, size in pools.items():
            begin, length, _ = memories[name]
            with self.subTest(name):
                have, at = sections[f".pool.{name}"]
                self.assertEqual(have, 32 + size + 32)  # between guards
                self.assertTrue(begin <= at and at + have <= begin + length, f"{at:#x}")

    def sections(self, elf):
        """{name: (bytes, address)}"""
        text = subprocess.run(["arm-none-eabi-size", "-A", "-d", elf], capture_output=True, text=True, check=True).stdout
        return {name: (int(size), int(at)) for name, size, at in re.findall(r"(?m)^(\.\S+) +(\d+) +(\d+)", text)}

    def test_images_have_no_heap(self):
        code, text = self.run_image(*self.digits("mps2-an386")[:1], "mps2-an386")
        self.assertEqual(code, 0, text)
        elf = BUILD / "mps2-an386" / "digits" / "image.elf"
        done = subprocess.run([ROOT / "tests/symbols_test.sh", "--image", elf], capture_output=True, text=True,
                              env={**os.environ, "NM": "arm-none-eabi-nm"})  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for section in self.sections(elf):
            self.assertNotIn("heap", section)

    def test_static_constructors_run(self):
        source = BUILD / "constructor.cc"
        source.write_text('#include "firmware/semihosting.h"\n#include "firmware/startup.h"\n'
                          "struct Counter { Counter(); int count; };\n"
                          "volatile int from = 3;\n"
                          "Counter::Counter() : count(from) {}\n"
                          "Counter counter;\n"
                          "namespace berth::firmware { void run_image() { if (counter.count != 3) stop(Outcome::kWrongResult); } }\n")  # fmt: skip
        for name in ("mps2-an386", SMALLEST):
            with self.subTest(name):
                board = image.link_script.read_board(name)
                elf = image.link(board, source, [], BUILD / name / "constructor", image.build_libraries(board, BUILD, False), [])
                self.assertEqual(image.run_image(elf, board), (0, ""))

    def test_state_goes_on_from_case_to_case(self):
        """And begins anew after the watched run of the first."""
        folder = SHARED / "pte/mutable_buffer"
        if not folder.is_dir():
            self.skipTest(f"no {folder}")
        pte = BUILD / "mps2-an386/pte/mutable_buffer.pte"
        pte.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([BERTH, "-q", "replan", folder / "model.pte", "-o", pte, "--board", "mps2-an386"], check=True)
        inputs, answers = (b"".join((folder / f"v{i}_{name}.bin").read_bytes() for i in range(3) for name in names)
                           for names in (("in0",), ("out0", "out1")))  # fmt: skip
        code, text = self.run_image(pte, "mps2-an386", inputs, answers)
        self.assertEqual(code, 0, text)
        self.assertIn("right: 3 cases", text)


if __name__ == "__main__":
    if missing := image.missing_tools():
        print(f"SKIPPED: not installed: {', '.join(missing)}")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]], verbosity=2)
