#!/usr/bin/env python3
"""berth run with lists of calls, dynamic shapes, external data and bundled programs, as scripts see it.

Standard library only.

  tests/cli_calls_test.py BERTH SOURCE_DIR SHARED_DIR
"""

import json
import struct
import unittest

import cli_case
from cli_case import TWO_PORTS, CliTest, i8


def tensor(file, shape, dtype="int8", **more):
    return {"kind": "tensor", "dtype": dtype, "shape": shape, "file": file, **more}


class CallsTest(CliTest):
    """Two clamps to [-5, 5], of 4 and of 8 numbers."""

    def setUp(self):
        super().setUp()
        self.compile(TWO_PORTS)
        self.write("x.bin", i8([-9, 0, 3, 9]))
        self.write("z.bin", i8([9] * 8))
        self.write("y.bin", i8([-5, 0, 3, 5]))
        self.write("w.bin", i8([5] * 8))
        self.good = {
            "method": "forward",
            "inputs": [tensor("x.bin", [1, 4]), tensor("z.bin", [1, 8])],
            "outputs": [tensor("y.bin", [1, 4]), tensor("w.bin", [1, 8])],
        }

    def run_calls(self, calls, *args, code=0):
        self.write("calls.json", json.dumps(calls))
        return self.run_berth("run", "out.pte", "--calls", "calls.json", *args, code=code)

    def test_outputs_as_expected(self):
        self.run_calls([self.good])
        self.run_calls({"purpose": "x", "vectors": [self.good, self.good], "sequence": False})
        self.run_calls([self.good, {"reset": True}, self.good], "--repeat", "3", "--fill", "noise:5")

    def test_files_are_found_beside_the_json(self):
        (self.folder / "sub").mkdir()
        for name in ("x.bin", "z.bin", "y.bin", "w.bin"):
            (self.folder / name).rename(self.folder / "sub" / name)
        self.write("sub/calls.json", json.dumps([self.good]))
        self.run_berth("run", "out.pte", "--calls", "sub/calls.json")
        done = self.run_calls([self.good], code=1)
        self.assertIn("error: x.bin: cannot open", done.err)

    def test_a_wrong_output_exits_3_and_says_where(self):
        self.write("y.bin", i8([-5, 0, 4, 5]))
        done = self.run_calls([self.good, self.good], code=3)
        self.assertIn("calls[0], output 0: element [0, 2] is 3, expected 4; 1 of 4 elements differ", done.err)
        self.assertIn("calls[1], output 0:", done.err)
        done = self.run_calls({"vectors": [self.good], "sequence": False}, "--repeat", "2", code=3)
        self.assertIn("vectors[0], run 2, output 0:", done.err)
        self.run_calls([self.good], "--atol", "1")
        self.good["eager_outputs"] = self.good["outputs"]
        self.good["outputs"] = []
        self.run_calls([self.good], code=3)
        self.good["eager_outputs"] = [tensor("y.bin", [1, 4])]
        self.assertIn("2 outputs, expected 1", self.run_calls([self.good], code=3).err)
        self.good["eager_outputs"] = [{"kind": "int", "value": 1}, tensor("w.bin", [8, 1])]
        done = self.run_calls([self.good], code=3)
        self.assertIn("output 0: is i8[1x4], expected int 1", done.err)
        self.assertIn("output 1: is i8[1x8], expected i8[8x1]", done.err)

    def test_calls_without_outputs_only_print(self):
        del self.good["outputs"]
        self.assertIn("output 0 i8[1x4]: -5 0 3 5", self.run_calls([self.good]).out)

    def test_inputs_that_are_not_the_methods_are_refused(self):
        one = dict(self.good, inputs=self.good["inputs"][:1])
        self.assertIn("calls[0]: 1 input given; the method has 2", self.run_calls([one], code=1).err)
        for value, words in (
            (tensor("x.bin", [4, 1]), "i8[4x1] is given; the method takes i8[1x4]"),
            (tensor("x.bin", [1, 4], dtype="uint8"), "u8[1x4] is given; the method takes i8[1x4]"),
            (tensor("x.bin", [4]), "i8[4] is given; the method takes i8[1x4]"),
            ({"kind": "int", "value": 3}, "int 3 is given; the method takes i8[1x4]"),
            ({"kind": "none"}, "none is given; the method takes i8[1x4]"),
        ):
            call = dict(self.good, inputs=[value, self.good["inputs"][1]])
            self.assertIn(f"calls[0], input 0: {words}", self.run_calls([call], code=1).err)

    def test_a_bad_list_is_refused_with_its_place(self):
        self.write("calls.json", "[")
        self.assertIn("calls.json: no JSON", self.run_berth("run", "out.pte", "--calls", "calls.json", code=1).err)
        self.assertIn("calls.json: calls[0].method: missing", self.run_calls([{}], code=1).err)
        done = self.run_calls([dict(self.good, method="backward")], code=1)
        self.assertIn('has no method "backward"; it has forward', done.err)
        self.run_berth("run", "out.pte", "--calls", "calls.json", "--input", "x.bin", code=2)

    def test_json(self):
        report = json.loads(self.run_calls([self.good, {"reset": True}], "--json", "--repeat", "2").stdout)
        self.assertEqual(report["proven"], True)
        self.assertEqual(report["calls"][0]["as_expected"], True)
        self.assertEqual(report["calls"][0]["outputs"][1], {"dtype": "i8", "shape": [1, 8], "bytes": 8})
        self.assertEqual(len(report["calls"][0]["seconds"]), 2)
        self.assertEqual(report["calls"][1], {"reset": True})


class ShapeTest(CliTest):
    def test_a_static_shape_takes_no_other(self):
        self.compile(TWO_PORTS)
        self.write("x.bin", i8([1, 2]))
        self.write("z.bin", i8([9] * 8))
        run = ["run", "out.pte", "--input", "x.bin", "--input", "z.bin"]
        done = self.run_berth(*run, "--shape", "1x2", code=1)
        self.assertIn("input 0: i8[1x2] is given; the method takes i8[1x4]", done.err)
        self.assertIn("has 1 axes; the method's has 2", self.run_berth(*run, "--shape", "4", code=1).err)
        self.assertIn("is no shape like 2x3", self.run_berth(*run, "--shape", "1xa", code=2).err)
        self.run_berth(*run, "--shape", "1x4", "--shape", "1x8", "--shape", "1", code=2)


class GoldenTest(CliTest):
    """Files of the stock tools, where the shared folder has them."""

    def case(self, name):
        folder = cli_case.SHARED / "pte" / name
        if not (folder / "model.pte").exists():
            self.skipTest(f"no {folder}: this file of the stock tools is NOT run")
        return folder

    def test_a_bundled_program_is_inspected_with_its_tests(self):
        bundle = self.case("bundled_mlp") / "model.bpte"
        listed = "method forward, test case 1: inputs f32[2x16], expected outputs f32[2x10]"
        self.assertIn(listed, self.run_berth("inspect", bundle).out)
        report = json.loads(self.run_berth("inspect", bundle, "--json").stdout)
        self.assertEqual([len(s["cases"]) for s in report["test_suites"]], [2])
        self.assertEqual(report["methods"][0]["name"], "forward")
        damaged = bytearray(bundle.read_bytes())
        self.write("cut.bpte", bytes(damaged[:-100]))
        self.assertIn("no sound FlatBuffer", self.run_berth("run", "cut.bpte", code=1).err)
        self.assertIn("no sound FlatBuffer", self.run_berth("inspect", "cut.bpte", code=1).err)

    def test_external_data_that_is_missing_is_named(self):
        folder = self.case("small_cnn_ptd")
        calls = ["run", folder / "model.pte", "--calls", folder / "case.json"]
        done = self.run_berth(*calls, "--ptd", folder / "v0_in0.bin", code=1)
        self.assertIn("this is no .ptd file", done.err)
        self.assertIn("cannot open", self.run_berth(*calls, "--ptd", "none.ptd", code=1).err)
        whole = (folder / "_default_external_constant.ptd").read_bytes()
        self.write("cut.ptd", whole[:-1])
        self.assertIn("cut.ptd: header.segment_data_size", self.run_berth(*calls, "--ptd", "cut.ptd", code=1).err)
        self.assertIn("error: ", self.run_berth(*calls, code=1).err)


if __name__ == "__main__":
    cli_case.main(__doc__)
