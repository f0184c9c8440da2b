#!/usr/bin/env python3
"""berth run as scripts see it: right answers, exact memory, whatever pools held; and the known models.

Standard library only.

  tests/cli_run_test.py BERTH SOURCE_DIR SHARED_DIR
"""

import json
import struct
import unittest

import cli_case
from cli_case import CHANNELS_LAST, SMALL, SMALL_INPUT, TWO_PORTS, CliTest, i8, small_answer


class RunTest(CliTest):
    def setUp(self):
        super().setUp()
        self.method = self.summary()["methods"][0]
        self.write("in.bin", i8(SMALL_INPUT))
        self.write("good.bin", small_answer(SMALL_INPUT))

    def run_small(self, *args, code=0):
        return self.run_berth("run", "out.pte", "--input", "in.bin", *args, code=code)

    def test_outputs_are_the_right_answer(self):
        self.run_small("--output", "y.bin", "--expect", "good.bin")
        self.assertEqual((self.folder / "y.bin").read_bytes(), small_answer(SMALL_INPUT))

    def test_what_is_read_is_not_overwritten(self):
        before = {name: (self.folder / name).read_bytes() for name in ("out.pte", "in.bin", "good.bin")}
        for name in before:
            done = self.run_small("--expect", "good.bin", "--output", f"./{name}", code=1)
            self.assertIn("is read by this command too; give the output another name", done.err)
        self.assertEqual(before, {name: (self.folder / name).read_bytes() for name in before})

    def test_the_answer_does_not_depend_on_what_pools_held_or_on_earlier_runs(self):
        for fill in ("0x00", "0xFF", "noise:1", "noise:12345"):
            self.run_small("--expect", "good.bin", "--fill", fill, "--repeat", "3")
        self.run_small("--expect", "good.bin", "--repeat", "1000")

    def test_a_wrong_answer_exits_3_and_says_where(self):
        wrong = bytearray(small_answer(SMALL_INPUT))
        wrong[37] ^= 1
        self.write("wrong.bin", bytes(wrong))
        done = self.run_small("--expect", "wrong.bin", code=3)
        got = struct.unpack("b", small_answer(SMALL_INPUT)[37:38])[0]
        want = struct.unpack("b", bytes(wrong[37:38]))[0]
        self.assertIn(f"[0, 37] is {got}, expected {want}", done.err)
        self.run_small("--expect", "wrong.bin", "--atol", "1")

    def test_the_printed_numbers_suffice_and_one_byte_less_does_not(self):
        pool = self.method["pools"][0]["bytes"]
        memory = self.method["runtime_bytes"]["host64"]
        exact = ["--pool", f"main={pool}", "--method-bytes", memory]
        self.run_small("--expect", "good.bin", *exact)
        done = self.run_small("--pool", f"main={pool - 1}", code=1)
        for part in ("pool main", str(pool), str(pool - 1)):
            self.assertIn(part, done.err)
        done = self.run_small("--method-bytes", memory - 1, code=1)
        for part in ("method memory", str(memory), str(memory - 1)):
            self.assertIn(part, done.err)
        self.assertIn("it has main", self.run_small("--pool", "sram=5", code=2).err)

    def test_inputs_of_the_wrong_size_or_number_are_errors(self):
        self.write("cut.bin", b"123")
        done = self.run_berth("run", "out.pte", "--input", "cut.bin", code=1)
        self.assertIn("cut.bin: has 3 bytes; input 0 is i8[1x100], which is 100", done.err)
        done = self.run_berth("run", "out.pte", code=1)
        self.assertIn("1 input", done.err)
        done = self.run_small("--input", "in.bin", code=1)
        self.assertIn("2 input files given; the method has 1 input", done.err)
        self.assertIn("it has forward", self.run_small("--method", "backward", code=2).err)

    # Exit 2 is for what the user typed.
    def test_a_damaged_name_of_a_method_is_the_files_fault_unless_it_was_typed(self):
        file = (self.folder / "out.pte").read_bytes()
        self.write("damaged.pte", file.replace(b"forward", b"fo\x01ward"))
        done = self.run_berth("run", "damaged.pte", "--input", "in.bin", code=1)
        self.assertIn('has no method "forward"', done.err)
        self.run_berth("run", "damaged.pte", "--input", "in.bin", "--method", "forward", code=2)

    def test_a_refused_run_writes_nothing(self):
        self.write("y.bin", "old")
        self.run_small("--output", "y.bin", "--pool", "main=1", code=1)
        self.assertEqual((self.folder / "y.bin").read_text(), "old")

    def test_damaged_files_are_refused(self):
        whole = (self.folder / "out.pte").read_bytes()
        for bad in (b"", whole[:100], whole[: len(whole) // 2], whole[:-1], b"x" * 4096):
            self.write("bad.pte", bad)
            self.assertRegex(self.run_berth("run", "bad.pte", "--input", "in.bin", code=1).err, r"^error: bad\.pte: ")
        self.write("model.tflite", b"\x1c\0\0\0TFL3" + bytes(100))
        words = '"TFL3" instead of "ET12"; this is a .tflite: berth compile makes a .pte of it'
        for command in ("run", "inspect"):
            self.assertIn(f"error: model.tflite: file identifier: {words}\n", self.run_berth(command, "model.tflite", code=1).err)

    def test_npy_has_the_methods_axes_whatever_the_dim_order(self):
        self.compile(CHANNELS_LAST, output="nchw.pte")
        memory = [v - 12 for v in range(24)]  # channels last: pixel by pixel
        axes = [memory[(h * 4 + w) * 2 + c] for c in range(2) for h in range(3) for w in range(4)]
        self.write("in.bin", i8(memory))
        self.run_berth("run", "nchw.pte", "--input", "in.bin", "--output", "y.npy")
        written = (self.folder / "y.npy").read_bytes()
        self.assertEqual(written[:6], b"\x93NUMPY")
        self.assertIn(b"(1, 2, 3, 4)", written[:128])
        self.assertEqual(written[-24:], i8(axes))
        self.run_berth("run", "nchw.pte", "--input", "y.npy", "--output", "y.bin", "--expect", "y.npy")
        self.assertEqual((self.folder / "y.bin").read_bytes(), i8(memory))

    def test_several_inputs_and_outputs_in_one_file_or_in_several(self):
        self.compile(TWO_PORTS, output="two.pte")
        self.write("both.bin", i8([-9, 0, 3, 9] + [9] * 8))
        self.write("x.bin", i8([-9, 0, 3, 9]))
        self.write("z.bin", i8([9] * 8))
        self.run_berth("run", "two.pte", "--input", "both.bin", "--output", "out.bin")
        self.assertEqual((self.folder / "out.bin").read_bytes(), i8([-5, 0, 3, 5] + [5] * 8))
        self.run_berth("run", "two.pte", "--input", "x.bin", "--input", "z.bin",
                       "--output", "y.bin", "--output", "w.bin", "--expect", "out.bin")  # fmt: skip
        self.assertEqual((self.folder / "w.bin").read_bytes(), i8([5] * 8))

    def test_inputs_and_outputs_of_the_caller(self):
        self.compile(SMALL, "--io", "caller", output="caller.pte")
        self.run_berth("run", "caller.pte", "--input", "in.bin", "--expect", "good.bin", "--repeat", "3")

    def test_json_says_what_was_given(self):
        report = json.loads(self.run_small("--json").stdout)
        self.assertEqual(report["method_bytes"], self.method["runtime_bytes"]["host64"])
        self.assertEqual(report["pools"][0]["bytes"], self.method["pools"][0]["bytes"])


class ModelTest(CliTest):
    """The small models of the shared folder, where it is there."""

    def test_models_give_their_known_answers(self):
        models = [cli_case.SHARED / "models" / name for name in ("hello_world", "ad01", "kws", "micro_speech")]
        models = [m for m in models if (m / "model.tflite").exists()]
        if not models:
            self.skipTest(f"no models in {cli_case.SHARED}")
        for model in models:
            with self.subTest(model.name):
                done = self.run_berth("compile", model / "model.tflite", "-o", "m.pte", "--json")
                method = json.loads(done.stdout)["methods"][0]
                self.run_berth("run", "m.pte", "--input", model / "input0.bin", "--expect", model / "output0.bin",
                               "--pool", f"main={method['pools'][0]['bytes']}",
                               "--method-bytes", method["runtime_bytes"]["host64"],
                               "--fill", "noise:7", "--repeat", "2")  # fmt: skip


if __name__ == "__main__":
    cli_case.main(__doc__)
