#!/usr/bin/env python3
"""berth plan: what it says of good problems, of problems that do not fit, and of hostile ones. Standard library only.

  tests/cli_plan_test.py BERTH SOURCE_DIR SHARED_DIR
"""

import json
import unittest

import cli_case
from cli_case import CliTest

HEADER = "id,lower,upper,size\n"
ALIGNED = "id,lower,upper,size,alignment\n"
LARGEST = 2**63 - 1

# Each is refused; the words name the line and the value.
HOSTILE_CSV = [
    (HEADER + f"a,0,1,{LARGEST + 1}\n", f"line 2: id a: size {LARGEST + 1}; must be below 2^63"),
    (HEADER + f"a,0,1,{2**64}\n", f"line 2: id a: size {2**64}; must be below 2^63"),
    (HEADER + f"a,0,1,{2**64 + 4}\n", f"line 2: id a: size {2**64 + 4}; must be below 2^63"),
    (HEADER + f"a,0,1,{LARGEST}\nb,5,6,1\n", f"line 2: buffer a: size {LARGEST}"),
    (HEADER + f"a,0,1,{2**62}\nb,5,6,{2**62}\n", f"line 3: buffer b: size {2**62}: with the buffers before it"),
    (ALIGNED + f"a,0,1,{2**63 - 2**30},2147483648\n", f"line 2: buffer a: size {2**63 - 2**30}"),
    (HEADER + f"a,0,{LARGEST + 1},4\n", f"line 2: id a: upper {LARGEST + 1}; must be below 2^63"),
    (HEADER + "a,0,1,1e3\n", "line 2: id a: size 1e3; must be a whole number"),
    (HEADER + "a,0,1,+4\n", "line 2: id a: size +4; must be a whole number"),
    (HEADER + "a,0,1,nan\n", "line 2: id a: size nan; must be a whole number"),
    (HEADER + "a,0,1,4\0\n", "line 2: id a: size 4"),
    (HEADER + "a,0,1,4\nb,0,1,4\na,2,3,4\n", "line 4: id a stands on line 2 too"),
    (HEADER + "a,0,1,4\n\"a\",2,3,4\n", "line 3: id a stands on line 2 too"),
    (HEADER + "a,7,7,4\n", "line 2: id a: lower 7 and upper 7"),
    (HEADER + "a,8,7,4\n", "line 2: id a: lower 8 and upper 7"),
    (ALIGNED + "a,0,1,4,0\n", "line 2: id a: alignment 0; must be a power of two"),
    (ALIGNED + "a,0,1,4,3\n", "line 2: id a: alignment 3; must be a power of two"),
    (ALIGNED + "a,0,1,4,4294967296\n", "line 2: id a: alignment 4294967296"),
    ("id,lower,upper\na,0,1\n", "line 1: column size is missing"),
    ("lower,upper,size\n0,1,4\n", "line 1: column id is missing"),
    ("a,0,1,4\n", "line 1: column id is missing"),
    ("id;lower;upper;size\na;0;1;4\n", "line 1: column id is missing"),
    (HEADER + "a,0,1\n", "line 2: 3 fields; the first line names 4 columns"),
    (HEADER + "a,0,1,4,\n", "line 2: 5 fields; the first line names 4 columns"),
    (HEADER + "\"a,0,1,4\nb,0,1,4\n", "line 2: quotes that begin here do not end"),
    (HEADER + "a,0,1,4\n\nb,0,1,4\n", "line 3: is blank in the middle of the file"),
    (HEADER + "a,0,1,4\n \t\r\nb,0,1,4\n", "line 3: is blank in the middle of the file"),
    (HEADER + ",,,\n", "line 2: id is empty"),
    ("\n" + HEADER + "a,0,1,4\n", "line 1: is empty"),
    ("", "line 1: is empty"),
    ("\xff\xfe\0\0", "line 1: column id is missing"),
]


def buffers(*fields):
    return json.dumps({"buffers": [{"id": str(i), "lower": 0, "upper": 2, "size": 4, **f} for i, f in enumerate(fields)]})


HOSTILE_JSON = [
    (buffers({"size": LARGEST + 1}), f"buffers[0].size: {LARGEST + 1}; must be a whole number from 0 to 2^63-1"),
    (buffers({"size": LARGEST}, {}), f"buffers[0]: buffer 0: size {LARGEST}"),
    (buffers({"size": 2**62}, {"size": 2**62}), f"buffers[1]: buffer 1: size {2**62}: with the buffers before it"),
    (buffers({"size": 1e3}), "buffers[0].size: 1000.0; must be a whole number"),
    (buffers({"size": -1}), "buffers[0].size: -1; must be a whole number"),
    (buffers({"size": "4"}), 'buffers[0].size: "4"; must be a whole number'),
    (buffers({"size": True}), "buffers[0].size: true; must be a whole number"),
    (buffers({"size": None}), "buffers[0].size: null; must be a whole number"),
    (buffers({"id": 1}, {}), "buffers[1].id: 1 is the id of buffers[0] too"),
    (buffers({"lower": 2}), "buffers[0].lower, upper: [2, 2); must end after it begins"),
    (buffers({"lower": 3}), "buffers[0].lower, upper: [3, 2); must end after it begins"),
    (buffers({"upper": LARGEST + 1}), f"buffers[0].lower, upper: {LARGEST + 1}; must be a whole number"),
    (buffers({"alignment": 0}), "buffers[0].alignment: 0; must be a power of two"),
    (buffers({"alignment": 12}), "buffers[0].alignment: 12; must be a power of two"),
    (buffers({"fixed": [0, LARGEST]}), f"buffers[0]: buffer 0: size 4 at {LARGEST}: with the buffers before it and all alignments, more than 2^63-1 bytes"),
    (buffers({"fixed": [1, 0]}), "buffers[0]: buffer 0: is fixed in pool 1; there are 1"),
    (buffers({"fixed": [0, 2]}, {"fixed": [0, 5]}), "buffer 0: and buffer 1 are fixed on bytes [5,6)"),
    (buffers({"fixed": [0, 2], "alignment": 4}), "buffer 0: is fixed at 2"),
    (buffers({"inside": {"id": "0", "offset": 0}}), "buffers[0]: buffer 0: lies inside itself"),
    (buffers({"inside": {"id": "1", "offset": LARGEST}}, {}), "buffers[0]: buffer 0: has 4 bytes at"),
    (buffers({"may_share": ["0"]}), "buffers[0]: buffer 0: may share"),
    (buffers({"pools": []}), "buffers[0].pools: a list of 0; must be a list of pool indices, at least one"),
    ('{"buffers": [{"id": 0, "lower": 0, "upper": 2}]}', "buffers[0].size: is missing"),
    ('{"buffers": [{"lower": 0, "upper": 2, "size": 4}]}', "buffers[0].id: is missing"),
    ('{"buffers": [{"id": 0, "size": 4}]}', "buffers[0].lower: is missing; give lower and upper, or intervals"),
    ('{"buffers": [{"id": 0, "size": 4, "intervals": [[4, 6], [0, 2]]}]}', "lifetime [0,2) begins before"),
    ('{"buffers": [{"id": 0, "size": 4, "intervals": []}]}', "buffers[0].intervals: a list of 0"),
    ('{"buffers": [{"id": 0, "size": 4, "size": 400, "lower": 0, "upper": 2}]}', "buffers[0].size: stands twice; give it once"),
    ('{"buffers": [],\n\n"buffers": []}', "buffers: stands twice; give it once"),
    ('{"x": [1, [2], {"y": {"z": 1, "z": 2}}], "buffers": []}', "x[2].y.z: stands twice; give it once"),
    ('{"pools": [{"capacity": 9223372036854775808}], "buffers": []}', "pools[0].capacity: 9223372036854775808"),
    ('{"pools": [{"cost": 9223372036854775807}], ' + buffers({"size": 2})[1:], "bytes x accesses x the cost of a pool (9223372036854775807)"),
    (buffers({"size": 4, "accesses": LARGEST}), f"buffers[0]: buffer 0: size 4, accesses {LARGEST}"),
    ('{\n"buffers":\n\n[{]}', "line 4: is no JSON from here on"),
    ("{", "line 1: is no JSON from here on"),
    ("[]", "JSON: a list of 0; must be an object with buffers"),
]


class PlanTest(CliTest):
    CSV = "id,lower,upper,size\na,0,2,100\nb,1,3,100\nc,2,4,100\n"

    def test_json_has_the_fields_of_the_contract(self):
        self.write("p.csv", self.CSV)
        plan = json.loads(self.run_berth("plan", "p.csv", "--json").stdout)
        for key in ("bytes", "lower_bound", "greedy_bytes", "proven_optimal", "nodes", "seconds", "cost", "placement"):
            self.assertIn(key, plan)
        self.assertEqual((plan["bytes"], plan["lower_bound"]), (200, 200))
        self.assertEqual(len(plan["placement"]), 3)

    def test_offsets_are_written_beside_the_columns(self):
        self.write("p.csv", self.CSV)
        self.run_berth("plan", "p.csv", "-o", "out.csv", "-q")
        rows = (self.folder / "out.csv").read_text().splitlines()
        self.assertEqual(rows[0], "id,lower,upper,size,offset")
        self.assertEqual(len(rows), 4)

    def test_a_capacity_that_is_missed_exits_1_and_writes_nothing(self):
        self.write("p.csv", self.CSV)
        self.run_berth("plan", "p.csv", "--capacity", "200")
        done = self.run_berth("plan", "p.csv", "--capacity", "199", "-o", "out.csv", code=1)
        self.assertIn("199", done.err)
        self.assertEqual(self.files(), ["p.csv"])
        report = json.loads(self.run_berth("plan", "p.csv", "--capacity", "199", "--json", code=1).stdout)
        self.assertEqual(report["short_by"], 1)

    def test_bad_problems_are_refused_with_the_line(self):
        self.write("p.csv", self.CSV.replace("1,3,100", "3,1,100"))
        self.assertIn("line 3", self.run_berth("plan", "p.csv", code=1).err)

    def test_hostile_problems_are_refused_with_place_and_value(self):
        for name, cases in (("p.csv", HOSTILE_CSV), ("p.json", HOSTILE_JSON)):
            for text, words in cases:
                with self.subTest(text[:80]):
                    self.write(name, text.encode("latin-1"))
                    done = self.run_berth("plan", name, "-o", "out.csv", "--report", "r.html", "--json", code=1)
                    self.assertIn(words, done.err)
                    self.assertEqual(done.err.count("\n"), 1)
                    self.assertEqual(done.out, "")
                    self.assertEqual(self.files(), sorted({"p.csv", name}))

    def test_the_largest_problems_that_are_none_too_many_are_planned(self):
        self.write("p.csv", HEADER + f"a,0,{LARGEST},{2**62}\nb,0,{LARGEST},{2**62 - 3}\n")
        plan = json.loads(self.run_berth("plan", "p.csv", "--json").out)
        self.assertEqual(plan["bytes"], 2**63 - 3)
        self.write("p.csv", ALIGNED + f"a,0,1,1,2147483648\nb,0,{LARGEST},{2**62},1\n")
        plan = json.loads(self.run_berth("plan", "p.csv", "--json").out)
        self.assertEqual((plan["bytes"], plan["padding"]), (2**62 + 2**31, 2**31 - 1))
        self.write("p.csv", HEADER)
        plan = json.loads(self.run_berth("plan", "p.csv", "--json", "--report", "r.html", "--capacity", "0").out)
        self.assertEqual((plan["bytes"], plan["placement"], plan["proven_optimal"]), (0, [], True))

    def test_capacities_that_are_none(self):
        self.write("p.csv", self.CSV)
        for capacity in ("-1", "", "1.5", "18446744073709551616", "0x10", "nan", "16EiB"):
            done = self.run_berth("plan", "p.csv", f"--capacity={capacity}", code=2)
            self.assertIn("--capacity", done.err)
        done = self.run_berth("plan", "p.csv", "--capacity", "0", code=1)
        self.assertIn("needs 200 bytes and has 0, 200 too few (no plan fits)", done.err)

    def test_what_does_not_fit_is_explained(self):
        self.write("p.csv", HEADER + "a,4,7,5\nb,2,5,9\nc,0,3,6\nd,0,1,9\ne,3,7,7\n")
        done = self.run_berth("plan", "p.csv", "--capacity", "20", "--json", code=1)
        said = json.loads(done.out)
        seconds = said.pop("seconds")
        self.assertGreaterEqual(seconds, 0)
        self.assertEqual(
            said,
            {"pool": "main", "bytes": 21, "capacity": 20, "short_by": 1, "proven": True, "bound_at": 4, "conflict": ["b", "e", "a"]},
        )
        done = self.run_berth("plan", "p.csv", "--capacity", "20", code=1)
        self.assertIn("1 bytes short: needs 21, has 20; no plan fits\ncannot be there together:\n  b  9\n  e  7\n  a  5\n", done.out)
        self.assertIn("1 too few (no plan fits)", done.err)
        # Of a planner that does not look for the best nothing is proven.
        said = json.loads(self.run_berth("plan", "p.csv", "--capacity", "21", "--planner", "naive", "--json", code=1).out)
        self.assertEqual((said["proven"], said["short_by"], said["conflict"]), (False, 15, ["b", "e", "a"]))


if __name__ == "__main__":
    cli_case.main(__doc__)
