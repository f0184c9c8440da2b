#!/usr/bin/env python3
"""Files with delegates, as scripts see them: what inspect says of their memory, what replan --share-handles merges.

Standard library only.

  tests/cli_delegate_test.py BERTH SOURCE_DIR SHARED_DIR
"""

import json
import struct
import unittest

import cli_case
import plan_record_reader
from cli_case import CliTest

# Two calls of a module with scratch, two of one without.
MODULES = """berth.ir 1
lowered @work {
  backend "npu"
  input f32[1,4]
  output f32[1,4]
  scratch "arena" : 3008 align=64
  scratch "rows" : 48
  processed = hex "4e 50 55 31"
}
lowered @plain {
  backend "npu"
  spec "level" = hex "02"
  input f32[1,4]
  output f32[1,4]
  processed = hex "4e 50 55 32"
}
graph forward {
  input %x : f32[1,4]
  %a : f32[1,4] = delegate @FIRST(%x)
  %b : f32[1,4] = delegate @plain(%a)
  %y : f32[1,4] = delegate @FIRST(%b)
  output %y
}
"""
WITH_SCRATCH, WITHOUT = MODULES.replace("FIRST", "work"), MODULES.replace("FIRST", "plain")


def with_newer_field(file):
    """The file with one more field in its first delegate call: a longer vtable for it, behind all that was there."""
    program = plan_record_reader.Buffer(file)
    plan = program.root().tables(1)[0]
    instruction = plan.tables(5)[0].tables(2)[0]
    call = plan_record_reader.Table(program, program.refer(instruction.find(1)))
    old = program.number("H", call.vtable)
    vtable = bytearray(file[call.vtable : call.vtable + old]) + file[call.vtable + 6 : call.vtable + 8]
    struct.pack_into("<H", vtable, 0, len(vtable))
    base = struct.unpack_from("<Q", file, 24)[0]
    out = bytearray(file[:base] + bytes(128) + file[base:])
    struct.pack_into("<QQ", out, 16, base + 128, base + 128)
    out[base : base + len(vtable)] = vtable
    struct.pack_into("<i", out, call.at, call.at - base)
    return bytes(out)


class DelegateTest(CliTest):
    def case(self, name):
        folder = cli_case.SHARED / "pte" / name
        if not folder.is_dir():
            self.skipTest(f"no {folder}: no entries of a stock file are merged")
        return folder

    def method(self, name="out.pte"):
        return json.loads(self.run_berth("inspect", name, "--json").stdout)["methods"][0]

    def test_inspect_tells_of_each_scratch_buffer_whose_where_and_when(self):
        self.compile(WITH_SCRATCH)
        method = self.method()
        first, plain, last = method["delegates"]
        self.assertEqual([d["calls"] for d in method["delegates"]], [[0], [1], [2]])
        self.assertEqual(plain["scratch"], [])
        for delegate, call in ((first, 0), (last, 2)):
            arena, rows = delegate["scratch"]
            self.assertEqual((arena["name"], arena["bytes"], arena["alignment"]), ("arena", 3008, 64))
            self.assertEqual((rows["name"], rows["bytes"], rows["alignment"]), ("rows", 48, 16))
            for buffer in (arena, rows):
                self.assertEqual((buffer["pool"], buffer["call"], buffer["begin"], buffer["end"]), ("main", call, call, call + 1))
                self.assertEqual(buffer["offset"] % buffer["alignment"], 0)
        text = self.run_berth("inspect", "out.pte").out
        place = first["scratch"][0]["offset"]
        self.assertRegex(text, rf"delegate_scratch +arena +3008 bytes aligned to 64, pool main at {place}, live \[0,1\), call 0 npu\n")

    # The calls have the pool to themselves one after the other, so their scratch shares bytes.
    def test_calls_that_do_not_overlap_share_their_scratch(self):
        (pool,) = self.summary(WITH_SCRATCH)["methods"][0]["pools"]
        self.assertEqual((pool["bytes"], pool["lower_bound"]), (3008 + 48 + 16 + 16, 3008 + 48 + 16 + 16))

    def test_share_handles_merges_entries_and_says_so(self):
        self.compile(WITHOUT)
        self.assertEqual(len(self.method()["delegates"]), 3)
        done = self.run_berth("replan", "out.pte", "-o", "one.pte", "--share-handles", "npu", "--json")
        self.assertEqual(done.err, "")
        method = json.loads(done.stdout)["methods"][0]
        self.assertEqual(method["shared_handles"], [{"delegate": 0, "entries": [0, 1, 2]}])
        self.assertEqual([d["calls"] for d in method["delegates"]], [[0, 1, 2]])
        self.assertEqual([d["calls"] for d in self.method("one.pte")["delegates"]], [[0, 1, 2]])
        said = self.run_berth("replan", "out.pte", "-o", "two.pte", "--share-handles", "npu", "--report", "r.txt").out
        self.assertIn("delegate 0 (npu): 3 entries became one, 3 calls share its handle\n", said)
        self.assertIn("delegate 0 (npu) is now 3 entries of the file before: 3 calls share its handle\n",
                      (self.folder / "r.txt").read_text())  # fmt: skip
        self.assertEqual((self.folder / "one.pte").read_bytes(), (self.folder / "two.pte").read_bytes())
        # Nothing is left to merge.
        done = self.run_berth("replan", "one.pte", "-o", "again.pte", "--share-handles", "npu")
        self.assertIn("no two delegates of \"npu\" in one method have the same blob and the same compile specs", done.err)
        self.assertEqual((self.folder / "one.pte").read_bytes(), (self.folder / "again.pte").read_bytes())

    def test_share_handles_is_off_by_default(self):
        self.compile(WITHOUT)
        self.run_berth("replan", "out.pte", "-o", "again.pte")
        self.assertEqual((self.folder / "out.pte").read_bytes(), (self.folder / "again.pte").read_bytes())

    def test_scratch_forbids_it(self):
        self.compile(WITH_SCRATCH)
        before = self.files()
        done = self.run_berth("replan", "out.pte", "-o", "one.pte", "--share-handles", "npu", code=1)
        self.assertEqual(done.err, "error: out.pte: method forward, instruction 0: delegate 0 (npu) has the scratch \"arena\" of "
                                   "3008 bytes; a handle that calls share can have neither scratch nor memory of one call's\n")
        done = self.run_berth("replan", "out.pte", "-o", "one.pte", "--share-handles", "gpu", code=1)
        self.assertIn("--share-handles: the file has no delegate \"gpu\"; it has npu", done.err)
        self.assertEqual(self.files(), before)

    def test_entries_of_a_stock_file_are_merged(self):
        model = self.case("xnnpack_repeated_call") / "model.pte"
        self.run_berth("replan", model, "-o", "one.pte", "--share-handles", "XnnpackBackend")
        (delegate,) = self.method("one.pte")["delegates"]
        self.assertEqual(len(delegate["calls"]), 3)
        self.assertEqual(len(json.loads(self.run_berth("inspect", model, "--json").stdout)["methods"][0]["delegates"]), 3)
        told = self.run_berth("diff", model, "one.pte", code=3).out
        self.assertIn("forward: number of delegates\n    a: 3\n    b: 1\n", told)
        self.assertRegex(told, r"forward: delegate 0, calls\n    a: 0\n    b: 0, \d, \d\n")

    # A call with a field of a later schema: shown, not run, and not replanned.
    def test_newer_fields_of_a_call_are_shown_and_refused(self):
        self.compile(WITHOUT)
        self.write("newer.pte", with_newer_field((self.folder / "out.pte").read_bytes()))
        words = "execution_plan[0].chains[0].instructions[0].instr_args slot 2"
        shown = json.loads(self.run_berth("inspect", "newer.pte", "--json").stdout)
        self.assertEqual(shown["unknown_fields"], [words])
        self.assertIn(words, self.run_berth("inspect", "newer.pte").out)
        done = self.run_berth("replan", "newer.pte", "-o", "again.pte", code=1)
        self.assertIn(words, done.err)
        self.write("x.bin", bytes(16))
        self.run_berth("run", "newer.pte", "--input", "x.bin", code=1)


if __name__ == "__main__":
    cli_case.main(__doc__)
