#!/usr/bin/env python3
"""berth run --etdump and berth inspect of what it wrote, as scripts see them.

Standard library only.

  tests/cli_trace_test.py BERTH SOURCE_DIR SHARED_DIR
"""

import json
import struct
import unittest

import cli_case
from cli_case import SMALL_INPUT, CliTest, clamp, i8, small_answer

LOAD = ["Method::init", "Program::load_method"]
# Of the program cli_case.SMALL: a value, a call and an instruction for each of its three operators.
CALLS = [name for call in ("clamp", "clamp", "maximum")
         for name in ("value", f"native_call_{call}.out", "OPERATOR_CALL")]  # fmt: skip
RUN = [*CALLS, "Method::execute", "output"]


def words(run):
    return [event["name"] if event["kind"] == "time" else event["kind"] for event in run["events"]]


class TraceTest(CliTest):
    def setUp(self):
        super().setUp()
        self.compile()
        self.write("in.bin", i8(SMALL_INPUT))
        self.write("good.bin", small_answer(SMALL_INPUT))

    def run_small(self, *args, code=0):
        return self.run_berth("run", "out.pte", "--input", "in.bin", *args, code=code)

    def trace(self, name="t.etdump"):
        return json.loads(self.run_berth("inspect", name, "--json").stdout)["runs"]

    def test_a_run_is_a_load_and_an_execution(self):
        self.run_small("--etdump", "t.etdump", "--expect", "good.bin")
        load, run = self.trace()
        self.assertEqual((load["name"], words(load)), ("Default", LOAD))
        self.assertEqual((run["name"], words(run)), ("Execute", RUN))
        self.assertEqual([event["instruction"] for event in run["events"]], [0] * 3 + [1] * 3 + [2] * 3 + [0] * 2)
        self.assertEqual([event["chain"] for event in run["events"]], [0] * 9 + [-1] * 2)
        self.assertEqual({run["bundled_input_index"] for run in (load, run)}, {-1})
        times = [event for event in run["events"] if event["kind"] == "time"]
        whole = times[-1]
        for event in times:
            self.assertLessEqual(event["start"], event["end"])
            self.assertLessEqual(whole["start"], event["start"])
            self.assertLessEqual(event["end"], whole["end"])
        values = [event["value"] for event in run["events"] if event["kind"] != "time"]
        self.assertEqual(values, [{"dtype": "i8", "shape": [1, 100], "strides": [100, 1], "offset": None}] * 4)

    def test_repeated_runs_are_runs(self):
        self.run_small("--etdump", "t.etdump", "--repeat", "3")
        self.assertEqual([run["name"] for run in self.trace()], ["Default"] + ["Execute"] * 3)

    def test_two_traces_differ_in_their_times_alone(self):
        seen = []
        for name in ("a.etdump", "b.etdump"):
            self.run_small("--etdump", name, "--debug-buffer", name + ".bin", "--repeat", "2")
            runs = self.trace(name)
            for run in runs:
                for event in run["events"]:
                    event.pop("start", None)
                    event.pop("end", None)
            seen.append((runs, (self.folder / (name + ".bin")).read_bytes(), (self.folder / name).stat().st_size))
        self.assertEqual(*seen)

    def test_the_debug_buffer_holds_every_value(self):
        self.run_small("--etdump", "t.etdump", "--debug-buffer", "t.bin")
        content = (self.folder / "t.bin").read_bytes()
        values = [event["value"] for event in self.trace()[1]["events"] if event["kind"] != "time"]
        a = clamp(SMALL_INPUT, -50, 50)
        expected = [i8(a), i8(clamp(a, -40, 40)), small_answer(SMALL_INPUT), small_answer(SMALL_INPUT)]
        self.assertEqual([content[v["offset"] : v["offset"] + 100] for v in values], expected)
        self.assertEqual({v["offset"] % 64 for v in values}, {0})

    def test_calls_and_resets_are_traced(self):
        call = {"method": "forward", "inputs": [{"kind": "tensor", "dtype": "int8", "shape": [1, 100], "file": "in.bin"}]}
        self.write("calls.json", json.dumps([call, call, {"reset": True}, call]))
        self.run_berth("run", "out.pte", "--calls", "calls.json", "--etdump", "t.etdump")
        self.assertEqual([run["name"] for run in self.trace()],
                         ["Default", "Execute", "Execute", "Default", "Execute"])  # fmt: skip
        self.write("calls.json", json.dumps({"sequence": False, "vectors": [call, call]}))
        self.run_berth("run", "out.pte", "--calls", "calls.json", "--etdump", "t.etdump", "--repeat", "2")
        self.assertEqual([words(run) for run in self.trace()], [LOAD, RUN, RUN, LOAD, RUN, RUN])

    def test_a_wrong_answer_is_traced(self):
        self.write("wrong.bin", bytes(100))
        self.run_small("--etdump", "t.etdump", "--expect", "wrong.bin", code=3)
        self.assertEqual(len(self.trace()), 2)

    def test_a_refused_run_leaves_no_trace_and_an_old_one_as_it_was(self):
        self.write("old.etdump", "old")
        before = self.files()
        for args in (["--pool", "main=1"], ["--method-bytes", "1"], ["--input", "in.bin"], ["--expect", "no.bin"]):
            self.run_small("--etdump", "t.etdump", "--debug-buffer", "t.bin", *args, code=1)
            self.run_small("--etdump", "old.etdump", *args, code=1)
            self.assertEqual(self.files(), before)
        self.assertEqual((self.folder / "old.etdump").read_text(), "old")

    def test_a_trace_that_cannot_be_written_is_refused_and_nothing_else_written(self):
        before = self.files()
        for path in ("none/t.etdump", "."):
            done = self.run_small("--output", "y.bin", "--etdump", path, code=1)
            self.assertIn("cannot write: ", done.err)
            done = self.run_small("--output", "y.bin", "--etdump", "t.etdump", "--debug-buffer", path, code=1)
            self.assertIn("cannot write: ", done.err)
            self.assertEqual(self.files(), before)

    def test_every_output_has_its_own_file(self):
        before = self.files()
        for args in (["--etdump", "y.bin", "--output", "y.bin"], ["--etdump", "y.bin", "--debug-buffer", "y.bin"]):
            done = self.run_small(*args, code=1)
            self.assertEqual(done.err, "error: y.bin: is named for two outputs; give each its own file\n")
            self.assertEqual(self.files(), before)

    def test_no_file_that_is_read_is_overwritten(self):
        (self.folder / "link.pte").symlink_to("out.pte")
        contents = {name: (self.folder / name).read_bytes() for name in self.files()}
        for path in ("out.pte", "./out.pte", "link.pte", "in.bin", "good.bin"):
            for args in (["--etdump", path], ["--etdump", "t.etdump", "--debug-buffer", path]):
                done = self.run_small("--expect", "good.bin", *args, code=2)
                self.assertEqual(done.err, f"error: {path}: is read by this run; give the trace another name\n")
        self.write("calls.json", "[]")
        self.run_berth("run", "out.pte", "--calls", "calls.json", "--etdump", "calls.json", code=2)
        for name, content in contents.items():
            self.assertEqual((self.folder / name).read_bytes(), content, name)

    def test_wrong_command_lines_exit_2(self):
        self.run_small("--debug-buffer", "t.bin", code=2)
        self.run_small("--etdump", code=2)
        self.run_small("--etdump", "a.etdump", "--etdump", "b.etdump", code=2)
        self.assertNotIn("t.bin", self.files())

    def test_inspect_shows_a_line_per_event(self):
        self.run_small("--etdump", "t.etdump")
        shown = self.run_berth("inspect", "t.etdump").out.splitlines()
        self.assertEqual(shown[0], "run 0 Default")
        self.assertRegex(shown[2], r"^ +\d+ +-  Method::init$")
        self.assertEqual(shown[4], "run 1 Execute")
        self.assertRegex(shown[6], r"^ +0  value i8\[1x100\]$")
        self.assertRegex(shown[7], r"^ +\d+ +0  native_call_clamp\.out$")
        self.assertRegex(shown[-1], r"^ +-  output i8\[1x100\]$")
        for args in (["--method", "forward"], ["--at", "0"]):
            done = self.run_berth("inspect", "t.etdump", *args, code=2)
            self.assertIn("is a trace", done.err)

    def test_a_damaged_trace_is_refused(self):
        self.run_small("--etdump", "t.etdump")
        whole = (self.folder / "t.etdump").read_bytes()
        self.assertEqual(struct.unpack("<I", whole[:4])[0], len(whole) - 4)
        self.write("cut.etdump", whole[:-1])
        self.assertIn("error: cut.etdump: size prefix: ", self.run_berth("inspect", "cut.etdump", code=1).err)
        for at in (4, 12, len(whole) // 2 // 4 * 4):
            self.write("bad.etdump", whole[:at] + b"\xff\xff\xff\x7f" + whole[at + 4 :])
            self.assertRegex(self.run_berth("inspect", "bad.etdump", code=1).err, r"^error: bad\.etdump: ")
        self.assertEqual(self.run_berth("run", "t.etdump", code=1).out, "")


class GoldenTraceTest(CliTest):
    def case(self, name):
        folder = cli_case.SHARED / "pte" / name
        if not folder.is_dir():
            self.skipTest(f"no {folder}: nothing is compared with a stock trace")
        return folder

    def test_the_stock_runtimes_events_are_ours(self):
        folder = self.case("etdump_small_cnn")
        self.run_berth("run", folder / "model.pte", "--input", folder / "v0_in0.bin", "--etdump", "t.etdump",
                       "--debug-buffer", "t.bin")  # fmt: skip
        seen = []
        for path, buffer in ((folder / "run.etdp", folder / "debug.bin"), ("t.etdump", self.folder / "t.bin")):
            runs = json.loads(self.run_berth("inspect", path, "--json").stdout)["runs"]
            values = []
            for event in (event for run in runs for event in run["events"]):
                event.pop("start", None)
                event.pop("end", None)
                if event["kind"] != "time" and event["value"]["dtype"] == "f32":
                    count = 1
                    for size in event["value"]["shape"]:
                        count *= size
                    offset = event["value"].pop("offset")
                    values += struct.unpack_from(f"<{count}f", buffer.read_bytes(), offset)
                elif event["kind"] != "time":
                    event["value"].pop("offset")
            seen.append((runs, values))
        (stock, stock_values), (ours, our_values) = seen
        self.assertEqual(ours, stock)
        self.assertEqual(len(our_values), len(stock_values))
        for ours, stock in zip(our_values, stock_values):
            self.assertAlmostEqual(ours, stock, delta=1e-5 + 1e-4 * abs(stock))

    def test_delegates_events_are_shown_by_their_own_names(self):
        shown = self.run_berth("inspect", self.case("etdump_xnnpack") / "run.etdp").out
        self.assertIn("0  delegate: Convolution (NHWC, F32) IGEMM #1\n", shown)
        self.assertIn("2  DELEGATE_CALL\n", shown)

    def test_test_cases_of_a_bundle_are_told_apart(self):
        bundle = self.case("bundled_mlp") / "model.bpte"
        self.run_berth("run", bundle, "--etdump", "t.etdump")
        runs = json.loads(self.run_berth("inspect", "t.etdump", "--json").stdout)["runs"]
        self.assertEqual([(run["name"], run["bundled_input_index"]) for run in runs],
                         [("Default", -1), ("Execute", 0), ("Default", -1), ("Execute", 1)])  # fmt: skip
        self.assertIn("run 3 Execute, test case 1\n", self.run_berth("inspect", "t.etdump").out)


if __name__ == "__main__":
    cli_case.main(__doc__)
