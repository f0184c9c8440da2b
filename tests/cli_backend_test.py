#!/usr/bin/env python3
"""Delegates as scripts see them: --backend, declared scratch in the plan, archives, and what is refused.

Standard library only.

  tests/cli_backend_test.py BERTH SOURCE_DIR SHARED_DIR
"""

import json
import re
import struct
import subprocess
import unittest

import cli_case
from cli_case import CliTest

# in -> A -> t1[4096] -> D -> t2[1024] -> B -> out, where the backend takes D.
CASE = """berth.ir 1
graph forward {
  input %in : f32[16,64]
  const %w : f32[64,16] = random seed 7
  %t1 : f32[16,64] = aten::relu.out(%in)
  %t2 : f32[16,16] = aten::mm.out(%t1, %w)
  %out : f32[16,16] = aten::neg.out(%t2)
  output %out
}
"""

# A chain of three, so that both buffers of the backend are there, in both methods.
CHAIN = """
graph %s {
  input %%x : f32[4,8]
  const %%w : f32[8,8] = random seed %d
  const %%b : f32[8] = [1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 0.25, 4.0]
  %%a : f32[4,8] = aten::mm.out(%%x, %%w)
  %%c : f32[4,8] = aten::addmm.out(%%b, %%a, %%w, 1, 1)
  %%y : f32[4,8] = aten::add.out(%%c, %%x, 1)
  output %%y
}
"""
TWO_METHODS = "berth.ir 1" + CHAIN % ("forward", 3) + CHAIN % ("backward", 4)

BOARD = """name = "two"
cpu = "host"
[[pool]]
name = "sram"
mem_id = 1
size = "1 MiB"
attributes = ["cpu", "npu"]
[[pool]]
name = "dtcm"
mem_id = 3
size = "64 KiB"
alignment = 64
attributes = ["cpu"]
[[pool]]
name = "far"
mem_id = 4
attributes = ["dma"]
"""


BACKENDS = []


def floats(count, seed=1):
    """Small numbers that look like noise."""
    values = []
    for _ in range(count):
        seed = (seed * 1103515245 + 12345) % 2**31
        values.append(seed / 2**30 - 1)
    return struct.pack(f"<{count}f", *values)


class DelegateTest(CliTest):
    def setUp(self):
        super().setUp()
        self.write("board.toml", BOARD)

    def case(self, *specs, more=(), code=0, output="out.pte", text=CASE):
        backend = ",".join(["reference", *specs])
        return self.compile(text, "--backend", backend, "--io", "caller", *more, code=code, output=output)

    def expect_as_without(self, text, *backend, count=1024, more=()):
        """The answer of the backend is that of our kernels, but for rounding."""
        self.write("x.bin", floats(count))
        self.compile(text, *more, output="plain.pte")
        self.run_berth("run", "plain.pte", "--input", "x.bin", "--output", "want.bin")
        self.compile(text, *more, *backend)
        return self.run_berth(
            "run", "out.pte", "--input", "x.bin", "--expect", "want.bin", "--atol", "1e-5", "--rtol", "1e-5"
        )

    # --- the case: what a plan owes to a delegate's scratch ---

    def test_scratch_is_planned_between_the_activations_to_the_byte(self):
        done = self.case("scratch=3008", more=("--pool", "main=8128", "--json"))
        method = json.loads(done.out)["methods"][0]
        (pool,) = method["pools"]
        self.assertEqual((pool["bytes"], pool["lower_bound"]), (8128, 8128))
        (delegate,) = method["delegates"]
        self.assertEqual(delegate["id"], "reference")
        (scratch,) = delegate["scratch"]
        self.assertEqual(scratch["bytes"], 3008)

    def test_sixteen_bytes_less_name_the_need_the_pool_and_the_delegate(self):
        done = self.case("scratch=3008", more=("--pool", "main=8112"), code=1)
        for word in ("8128", "8112", "1 reference", "fixture"):
            self.assertIn(word, done.err)

    def test_a_thousand_runs_take_exactly_the_pool_and_nothing_else(self):
        self.write("x.bin", floats(1024))
        self.compile(CASE, "--io", "caller", output="plain.pte")
        self.run_berth("run", "plain.pte", "--input", "x.bin", "--output", "want.bin")
        summary = json.loads(self.case("scratch=3008", more=("--json",)).out)["methods"][0]
        for fill in ("0x00", "0xFF", "noise:5"):
            self.run_berth(
                "run", "out.pte", "--input", "x.bin", "--repeat", 1000, "--pool", "main=8128", "--fill", fill,
                "--method-bytes", summary["runtime_bytes"]["host64"],
                "--expect", "want.bin", "--atol", "1e-5", "--rtol", "1e-5",
            )  # fmt: skip
        done = self.run_berth("run", "out.pte", "--input", "x.bin", "--pool", "main=8127", code=1)
        self.assertIn("8128", done.err)

    def test_scratch_costs_no_bytes_of_the_file(self):
        self.case("scratch=3008", output="small.pte")
        self.case("scratch=1048576", output="large.pte")
        small, large = ((self.folder / name).stat().st_size for name in ("small.pte", "large.pte"))
        self.assertLess(abs(large - small), 256)

    def test_scratch_lies_in_the_pool_and_at_the_alignment_asked_for(self):
        done = self.case("scratch=100", "align=256", "pool=dtcm", more=("--board", "board.toml", "--json"))
        method = json.loads(done.out)["methods"][0]
        pools = {pool["name"]: pool for pool in method["pools"]}
        self.assertEqual(pools["dtcm"]["bytes"], 256)
        inspected = json.loads(self.run_berth("inspect", "out.pte", "--json").out)["methods"][0]
        (buffer,) = [b for b in inspected["buffers"] if b["role"] == "delegate_scratch"]
        self.assertEqual((buffer["pool"], buffer["name"], buffer["alignment"]), ("dtcm", "fixture", 256))
        self.assertEqual((buffer["offset"] % 256, buffer["bytes"]), (0, 100))
        self.assertEqual((buffer["begin"], buffer["end"]), (1, 2))
        self.assertIn("reference", buffer["owner"] if isinstance(buffer["owner"], str) else str(buffer["owner"]))
        self.write("x.bin", floats(1024))
        self.run_berth("run", "out.pte", "--input", "x.bin", "--fill", "0xFF")

    # --- what the report says ---

    def test_the_report_names_backend_nodes_scratch_and_persistent_bytes(self):
        done = self.compile(TWO_METHODS, "--backend", "reference", "--json", "--report", "report.txt")
        first, second = json.loads(done.out)["lowered"]
        self.assertEqual(first["backend"], "reference")
        self.assertEqual(first["nodes"], ["aten::mm.out", "aten::addmm.out", "aten::add.out"])
        self.assertEqual((first["method"], second["method"]), ("forward", "backward"))
        self.assertEqual(first["scratch_bytes"], 2 * (4 * 8 * 4 + 16))
        self.assertEqual((first["persistent_bytes"], first["share_handle"]), (0, False))
        report = (self.folder / "report.txt").read_text()
        self.assertRegex(report, r"reference_0: backend reference, scratch 288 bytes a call, persistent 0 bytes")
        self.assertIn("3 nodes of method forward: aten::mm.out, aten::addmm.out, aten::add.out", report)

    def test_a_shared_handle_has_persistent_memory_and_no_scratch(self):
        done = self.compile(TWO_METHODS, "--backend", "reference,share=1", "--json")
        summary = json.loads(done.out)
        for row in summary["lowered"]:
            self.assertEqual((row["scratch_bytes"], row["persistent_bytes"], row["share_handle"]), (0, 288, True))
        for method in summary["methods"]:
            (delegate,) = method["delegates"]
            self.assertEqual([len(delegate["scratch"]), len(delegate["persistent"])], [0, 2])

    def test_stripping_the_record_off_persistent_memory_is_noted(self):
        done = self.compile(TWO_METHODS, "--backend", "reference,share=1", "--strip")
        self.assertIn("has persistent memory, which a runtime cannot find without the plan record", done.err)
        done = self.compile(TWO_METHODS, "--backend", "reference", "--strip")
        self.assertNotIn("persistent", done.err)

    def test_a_replan_that_strips_notes_it_too(self):
        self.compile(TWO_METHODS, "--backend", "reference,share=1")
        done = self.run_berth("replan", "out.pte", "-o", "bare.pte", "--strip")
        for method in ("forward", "backward"):
            self.assertIn(f"method {method}, delegate 0 (reference): has persistent memory, which a runtime cannot find", done.err)
        # Nothing is lost twice, nor where there is nothing.
        self.assertEqual(self.run_berth("replan", "bare.pte", "-o", "again.pte", "--strip").err, "")
        self.compile(TWO_METHODS, "--backend", "reference")
        self.assertEqual(self.run_berth("replan", "out.pte", "-o", "bare.pte", "--strip").err, "")

    def test_inspect_explains_what_another_method_keeps_in_the_pool(self):
        self.compile(TWO_METHODS, "--backend", "reference,share=1")
        (pool,) = json.loads(self.run_berth("inspect", "out.pte", "--json").out)["methods"][0]["pools"]
        self.assertEqual((pool["lower_bound"], pool["kept_elsewhere"]), (832, 288))
        text = self.run_berth("inspect", "out.pte", "--method", "forward").out
        self.assertIn("544 bytes live and 288 that other methods keep:\n", text)
        self.assertRegex(text, r"144  at \d+ +persistent +odd +always +of 0 reference, method backward\n")

    # --- the backend computes what our kernels do ---

    def test_both_methods_answer_as_without_a_backend(self):
        for backend in ("reference", "reference,share=1", "reference,scratch=64"):
            self.expect_as_without(TWO_METHODS, "--backend", backend, count=32)

    def test_persistent_memory_of_one_method_is_safe_from_the_other(self):
        self.write("x.bin", floats(32))
        self.compile(TWO_METHODS, output="plain.pte")
        calls = []
        tensor = {"kind": "tensor", "dtype": "float32", "shape": [4, 8], "dim_order": [0, 1], "file": "x.bin"}
        for method in ("forward", "backward"):
            self.run_berth("run", "plain.pte", "--method", method, "--input", "x.bin", "--output", f"{method}.bin")
            calls.append({"method": method, "inputs": [tensor], "outputs": [dict(tensor, file=f"{method}.bin")]})
        self.write("calls.json", json.dumps(calls * 3))
        self.compile(TWO_METHODS, "--backend", "reference,share=1")
        self.run_berth("run", "out.pte", "--calls", "calls.json", "--fill", "noise:3", "--atol", "1e-5", "--rtol", "1e-5")

    def test_convolutions_in_both_layouts_with_groups_padding_and_dilation(self):
        for order in ("", "{0,2,3,1}"):
            text = f"""berth.ir 1
graph forward {{
  input %x : f32[2,4,9,7]{order}
  const %w : f32[6,2,3,3]{order} = random seed 1
  const %b : f32[6] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
  const %v : f32[6,6,1,1]{order} = random seed 2
  %a : f32[2,6,6,3]{order} = aten::convolution.out(%x, %w, %b, [2, 2], [2, 1], [1, 2], false, [0, 0], 2)
  %y : f32[2,6,6,3]{order} = aten::convolution.out(%a, %v, none, [1, 1], [0, 0], [1, 1], false, [0, 0], 1)
  output %y
}}
"""
            self.expect_as_without(text, "--backend", "reference", count=2 * 4 * 9 * 7)

    def test_a_replan_keeps_what_delegates_were_promised(self):
        for backend in ("reference", "reference,share=1", "reference,scratch=100,align=64"):
            self.expect_as_without(TWO_METHODS, "--backend", backend, count=32)
            for how in (["--planner", "naive"], ["--no-reuse"], ["--board", "board.toml"], ["--io", "caller"]):
                self.run_berth("replan", "out.pte", "-o", "again.pte", *how)
                for method in ("forward", "backward"):
                    self.run_berth("run", "plain.pte", "--method", method, "--input", "x.bin", "--output", "want.bin")
                    self.run_berth(
                        "run", "again.pte", "--method", method, "--input", "x.bin", "--fill", "noise:9",
                        "--repeat", 3, "--expect", "want.bin", "--atol", "1e-5", "--rtol", "1e-5",
                    )  # fmt: skip

    def test_a_backend_that_is_not_here_is_named(self):
        self.case("scratch=16", more=("--emit-ir", "saved.bir"))
        text = (self.folder / "saved.bir").read_text().replace('backend "reference"', 'backend "other"')
        self.compile(text, output="other.pte")
        self.write("x.bin", floats(1024))
        done = self.run_berth("run", "other.pte", "--input", "x.bin", code=1)
        self.assertIn("no backend here for: other", done.err)

    # --- archives ---

    def test_an_archive_compiles_to_the_same_bytes_as_the_graph(self):
        self.case("scratch=3008", more=("--emit-ir", "saved.bira"))
        first = (self.folder / "out.pte").read_bytes()
        archive = (self.folder / "saved.bira").read_bytes()
        self.assertEqual(archive[:4], b"PK\x03\x04")
        self.assertIn(b"module.bir", archive)
        self.run_berth("compile", "saved.bira", "--io", "caller", "-o", "again.pte", "--emit-ir", "again.bira")
        self.assertEqual((self.folder / "again.pte").read_bytes(), first)
        self.assertEqual((self.folder / "again.bira").read_bytes(), archive)
        # The text keeps all of it too.
        self.case("scratch=3008", more=("--emit-ir", "saved.bir"))
        self.run_berth("compile", "saved.bir", "--io", "caller", "-o", "again.pte")
        self.assertEqual((self.folder / "again.pte").read_bytes(), first)

    def test_compiling_twice_gives_the_same_bytes(self):
        for backend in ("reference", "reference,share=1", "reference,scratch=512,align=64"):
            self.compile(TWO_METHODS, "--backend", backend, "--emit-ir", "a.bira", output="a.pte")
            self.compile(TWO_METHODS, "--backend", backend, "--emit-ir", "b.bira", output="b.pte")
            for kind in ("pte", "bira"):
                self.assertEqual((self.folder / f"a.{kind}").read_bytes(), (self.folder / f"b.{kind}").read_bytes())

    def test_another_zip_is_no_model(self):
        self.write("model.zip", b"PK\x03\x04" + bytes(40))
        done = self.run_berth("compile", "model.zip", "-o", "x.pte", code=1)
        self.assertIn("module.bir", done.err)

    # --- oneDNN, where it is: one instruction set a process ---

    def test_an_instruction_set_is_kept_in_the_file_and_set_again(self):
        if "onednn" not in BACKENDS:
            self.skipTest("this build has no oneDNN")
        text = """berth.ir 1
graph forward {
  input %x : f32[1,16,32,32]{0,2,3,1}
  const %w : f32[32,16,1,1]{0,2,3,1} = random seed 2
  %y : f32[1,32,16,16]{0,2,3,1} = aten::convolution.out(%x, %w, none, [2, 2], [0, 0], [1, 1], false, [0, 0], 1)
  output %y
}
"""
        self.write("x.bin", floats(16 * 32 * 32))
        self.compile(text, output="plain.pte")
        self.run_berth("run", "plain.pte", "--input", "x.bin", "--output", "want.bin")
        files = []
        for spec in ("", ",isa=sse41", ",threads=2"):
            self.compile(text, "--backend", "onednn" + spec)
            self.run_berth("run", "out.pte", "--input", "x.bin", "--expect", "want.bin", "--atol", "1e-4")
            files.append((self.folder / "out.pte").read_bytes())
        self.assertEqual(len(set(files)), 3)
        # A second one comes too late.
        done = self.compile(text, "--backend", "onednn,isa=sse41", "--backend", "onednn,isa=avx2", code=1)
        self.assertIn("compile spec isa", done.err)

    def test_what_the_library_takes_from_the_heap_is_in_the_report(self):
        if "onednn" not in BACKENDS:
            self.skipTest("this build has no oneDNN")
        text = """berth.ir 1
graph forward {
  input %x : f32[1,3,17,16]
  const %w : f32[8,3,3,3] = random seed 1
  %c : f32[1,8,9,8] = aten::convolution.out(%x, %w, none, [2, 2], [1, 1], [1, 1], false, [0, 0], 1)
  output %c
}
"""
        done = self.compile(text, "--backend", "onednn", "--json", "--report", "report.txt")
        (row,) = json.loads(done.out)["lowered"]
        (note,) = row["notes"]
        self.assertRegex(note, "^oneDNN's ")
        report = (self.folder / "report.txt").read_text()
        self.assertIn(note, report)
        # A sanitizer has the allocator: nothing is measured then, and the report says so.
        if row["hidden_bytes"] is None:
            self.assertIn("hidden: unknown", report)
        elif row["hidden_bytes"] != 0:
            self.assertIn(f"hidden: a call takes {row['hidden_bytes']} bytes that no plan has", report)
            self.assertEqual("allocates while it runs" in note, row["hidden_bytes"] > 4096)

    def test_inspect_knows_the_blobs_of_our_backends(self):
        for backend in BACKENDS:
            self.compile(TWO_METHODS, "--backend", backend)
            self.assertRegex(self.run_berth("inspect", "out.pte").out, rf"bytes of processed model, {backend}\n")

    # --- what is refused ---

    def test_an_unknown_backend_lists_those_there_are(self):
        done = self.compile(CASE, "--backend", "refrence", code=2)
        self.assertIn('no backend "refrence"', done.err)
        self.assertRegex(done.err, r"there are .*\breference\b")

    def test_wrong_declarations_name_backend_buffer_and_value(self):
        cases = [
            (("scratch=0",), (), ["reference", "fixture", "0 bytes"]),
            (("scratch=16", "align=24"), (), ["reference", "fixture", "alignment 24", "up to 1048576"]),
            (("scratch=16", "align=2097152"), (), ["reference", "scratch 0", "fixture", "2097152", "up to 1048576"]),
            (("scratch=16", "pool=itcm"), (), ["reference", "fixture", '"itcm"', "sram, dtcm"]),
            (("scratch=16", "pool=far"), (), ["reference", "fixture", '"far"', "cannot reach"]),
            (("scratch=16", "share=1"), (), ["reference", "shares its handle", "1 scratch"]),
            (("scratch=4294967295",), (), ["reference", "fixture", "4294967295"]),
        ]
        for specs, more, words in cases:
            done = self.case(*specs, more=("--board", "board.toml", *more), code=1)
            for word in words:
                self.assertIn(word, done.err, specs)

    def test_compile_specs_that_nobody_knows_or_can_read_are_refused(self):
        self.assertIn("there are share, scratch, align, pool", self.case("shaer=1", code=1).err)
        self.assertIn('"many"', self.case("scratch=many", code=1).err)
        self.assertIn("key=value", self.case("share", code=2).err)
        for spec in ("align=32", "pool=main"):
            done = self.case(spec, code=1)
            self.assertIn(f"compile spec {spec.split('=')[0]}: is given without scratch", done.err)

    def test_bytes_of_a_spec_are_written_as_elsewhere_on_the_command_line(self):
        self.case("scratch=1MiB", output="a.pte")
        self.case("scratch=1048576", output="b.pte")
        a, b = (json.loads(self.run_berth("inspect", name, "--json").out)["methods"][0] for name in ("a.pte", "b.pte"))
        self.assertEqual(a["delegates"][0]["scratch"], b["delegates"][0]["scratch"])

    def test_a_pool_that_nobody_named_is_not_asked_for(self):
        self.write("npu.toml", BOARD.replace('["cpu", "npu"]', '["npu"]'))
        done = self.case("scratch=16", more=("--board", "npu.toml"), code=1)
        self.assertIn('scratch 0 "fixture": asks for no pool and gets "sram" (npu), which the backend cannot reach', done.err)
        done = self.case("scratch=16", "pool=sram", more=("--board", "npu.toml"), code=1)
        self.assertIn('scratch 0 "fixture": asks for the pool "sram" (npu)', done.err)

    # What a .bir brings along compiled is held to the same.
    def test_wrong_declarations_of_a_saved_graph_name_backend_buffer_and_value(self):
        self.case("scratch=16", more=("--emit-ir", "saved.bir"))
        text = (self.folder / "saved.bir").read_text()
        declared = re.search(r'  scratch "fixture" : 16 align=16', text).group()
        for change, words in (("16 align=2097152", ["2097152", "up to 1048576"]), ('16 align=16 pool="itcm"', ['"itcm"', "main"])):
            done = self.compile(text.replace(declared, f'  scratch "fixture" : {change}'), code=1)
            for word in ["lowered @reference_0 (reference)", 'scratch 0 "fixture"', *words]:
                self.assertIn(word, done.err, change)

    def test_graphs_whose_shapes_make_no_sense_are_left_alone_or_refused(self):
        lines = [
            "%y : f32[4,4,4] = aten::mm.out(%x, %w)",
            "%y : f32[4] = aten::mm.out(%w, %w)",
            "%y : f32[4,4] = aten::addmm.out(%x, %w, %v, 1, 1)",
            "%y : f32[1,2] = aten::convolution.out(%x, %w, none, [1, 1], [0, 0], [1, 1], false, [0, 0], 1)",
            "%y : f32[1,2,3,4] = aten::convolution.out(%i, %k, none, [], [], [], false, [], 0)",
            "%y : f32[1,2,3,4] = aten::convolution.out(%i, %k, %v, [0, 0], [-1, 9], [1, 1], false, [0, 0], 7)",
            "%y : f32[9,9,9,9] = aten::convolution.out(%i, %k, none, [1, 1], [0, 0], [1, 1], false, [0, 0], 1)",
            "%y : f32[4,9] = aten::add.out(%w, %x, 1)",
            "%y : f32[5] = aten::_softmax.out(%w, 7, false)",
            "%y : f32[1,2,3,4] = aten::avg_pool2d.out(%i, [0, 0], [0, 0], [9, 9], false, true, none)",
            "%y : f32[7] = aten::mean.out(%i, [2, 3], false, none)",
            "%y : f32[3] = aten::relu.out(%x)",
            "%y : f32[5,5] = aten::linear.out(%x, %v, none)",
        ]
        for line in lines:
            text = f"""berth.ir 1
graph forward {{
  input %x : f32[3,4,5]
  input %i : f32[1,2,5,5]
  const %w : f32[4,4] = random seed 1
  const %v : f32[4] = random seed 2
  const %k : f32[2,2,3,3] = random seed 2
  {line}
  output %y
}}
"""
            self.write("model.bir", text)
            for backend in BACKENDS:
                done = subprocess.run(
                    [cli_case.BERTH, "compile", "model.bir", "-o", "out.pte", "--backend", backend],
                    cwd=self.folder, capture_output=True, timeout=60,
                )  # fmt: skip
                self.assertIn(done.returncode, (0, 1), line + done.stderr.decode())

    def test_a_blob_that_is_cut_short_is_refused_at_load(self):
        self.case("scratch=16", more=("--emit-ir", "saved.bir"))
        text = (self.folder / "saved.bir").read_text()
        cut = re.sub(r'processed = hex "\s*52 45', 'processed = hex "', text)
        self.assertTrue(cut != text)
        self.compile(cut, output="cut.pte")
        self.write("x.bin", floats(1024))
        done = self.run_berth("run", "cut.pte", "--input", "x.bin", code=1)
        self.assertIn("delegate 0 (reference): its backend refuses its blob: ", done.err)
        self.compile(re.sub(r'processed = hex "[^"]*"', 'processed = hex "52 45 46"', text), output="cut.pte")
        done = self.run_berth("run", "cut.pte", "--input", "x.bin", code=1)
        self.assertIn("delegate 0 (reference): its backend refuses its blob: truncated; it has 3 bytes and needs 28", done.err)

    def test_memory_that_is_too_small_for_a_backend_is_named_with_both_numbers(self):
        self.write("x.bin", floats(32))
        self.compile(TWO_METHODS, "--backend", "reference,share=1", "--emit-ir", "saved.bir")
        text = (self.folder / "saved.bir").read_text()
        self.compile(text.replace('persistent "odd" : 144', 'persistent "odd" : 112', 1), output="less.pte")
        done = self.run_berth("run", "less.pte", "--input", "x.bin", code=1)
        self.assertIn('delegate 0 (reference): persistent memory 1 "odd": its backend needs 128 bytes here and the file gives 112',
                      done.err)  # fmt: skip
        self.run_berth("replan", "out.pte", "-o", "bare.pte", "--strip")
        done = self.run_berth("run", "bare.pte", "--input", "x.bin", code=1)
        self.assertIn("delegate 0 (reference): persistent memory 0: its backend needs 128 bytes here and the file gives 0; "
                      "without a plan record none is found", done.err)  # fmt: skip
        # Scratch is looked at when the call comes.
        self.compile(TWO_METHODS, "--backend", "reference", "--emit-ir", "saved.bir")
        text = (self.folder / "saved.bir").read_text()
        less = text.replace('scratch "odd" : 144', 'scratch "odd" : 112', 1)
        self.compile(less.replace("u8[144] = alloc(align=16, role=delegate_scratch, name=\"odd\")",
                                  "u8[112] = alloc(align=16, role=delegate_scratch, name=\"odd\")", 1), output="less.pte")  # fmt: skip
        done = self.run_berth("run", "less.pte", "--input", "x.bin", code=1)
        self.assertIn("method forward, instruction 0, delegate 0 (reference): scratch too small; the call gets "
                      'scratch 0 "even" of 144 bytes, scratch 1 "odd" of 112 bytes', done.err)  # fmt: skip


def backends():
    """The ids that this build has, from the error that lists them."""
    done = subprocess.run(
        [cli_case.BERTH, "compile", "x", "-o", "y", "--backend", "no"], capture_output=True, text=True
    )
    return done.stderr.split("there are ")[1].split("\n")[0].split(", ")


def setUpModule():
    global BACKENDS
    BACKENDS = backends()


if __name__ == "__main__":
    cli_case.main(__doc__)
