#!/usr/bin/env python3
"""--schedule of compile: never more memory, the same answers byte for byte. Standard library only.

  tests/cli_schedule_test.py BERTH SOURCE_DIR SHARED_DIR
"""

import json
import random
import unittest

import cli_case
from cli_case import CliTest, SMALL


class ScheduleTest(CliTest):
    def compile_model(self, path, schedule):
        """The method, and what was said of its order."""
        out = self.run_berth("compile", path, "-o", schedule + ".pte", "--schedule", schedule, "--json").out
        summary = json.loads(out)
        self.assertEqual("schedule" in summary, schedule == "on")
        return summary["methods"][0], summary.get("schedule", [None])[0]

    def answers(self, program, method):
        """The outputs' bytes, for inputs that are the same every time."""
        dice = random.Random(1)
        words = []
        for i, port in enumerate(method["inputs"]):
            if port["dtype"] == "f32":
                data = b"".join(dice.randbytes(3) + b"\x3f" for _ in range(port["bytes"] // 4))
            else:
                data = dice.randbytes(port["bytes"])
            words += ["--input", self.write(f"in{i}.bin", data)]
        names = [f"out{i}.bin" for i in range(len(method["outputs"]))]
        for name in names:
            words += ["--output", name]
        self.run_berth("run", program, "--fill", "noise:1", *words)
        return [(self.folder / name).read_bytes() for name in names]

    def check_model(self, path):
        on, row = self.compile_model(path, "on")
        off, _ = self.compile_model(path, "off")
        self.assertEqual(sorted(row), ["lower_bound", "method", "peak_after", "peak_before", "proven_optimal"])
        self.assertEqual(row["method"], on["name"])
        self.assertLessEqual(row["lower_bound"], row["peak_after"])
        self.assertLessEqual(row["peak_after"], row["peak_before"])
        # The planner counts the same, in the instructions that were made of the order.
        self.assertEqual(sum(p["lower_bound"] for p in on["pools"]), row["peak_after"])
        self.assertEqual(sum(p["lower_bound"] for p in off["pools"]), row["peak_before"])
        self.assertEqual(self.answers("on.pte", on), self.answers("off.pte", off))
        if row["peak_after"] == row["peak_before"]:
            self.assertEqual((self.folder / "on.pte").read_bytes(), (self.folder / "off.pte").read_bytes())
        return row

    def test_graphs_with_branches(self):
        for path in sorted((cli_case.SOURCE / "compiler/passes/testdata/branches").glob("*.bir")):
            with self.subTest(path.stem):
                row = self.check_model(path)
                self.assertLess(row["peak_after"], row["peak_before"])
                self.assertTrue(row["proven_optimal"])

    def test_known_models(self):
        models = sorted(cli_case.SHARED.glob("models/*/model.tflite"))
        models += sorted(cli_case.SHARED.glob("models/f32/*/model.tflite"))
        models += sorted(cli_case.SHARED.glob("models/ops/*/model.tflite"))
        if not models:
            self.skipTest(f"no models in {cli_case.SHARED}/models")
        for path in models:
            with self.subTest(path.parent.name):
                self.assertTrue(self.check_model(path)["proven_optimal"])

    def test_the_first_page_tells_the_bytes_of_a_cell(self):
        path = cli_case.SOURCE / "compiler/passes/testdata/branches/nas_cell.bir"
        page = (cli_case.SOURCE / "README.md").read_text()
        for schedule, words in (("on", "gives its operators {} bytes do"), ("off", "in the model's order it takes {}")):
            board = ("--board", "mps2-an386")
            out = self.run_berth("compile", path, "-o", "cell.pte", *board, "--schedule", schedule, "--json").out
            self.assertIn(words.format(json.loads(out)["methods"][0]["pools"][0]["bytes"]), page)

    def test_the_reports_say_what_it_bought(self):
        self.compile(SMALL, "--report", "r.txt")
        self.assertIn("  order  ", (self.folder / "r.txt").read_text())
        self.compile(SMALL, "--report", "r.json")
        self.assertIn("peak_before", json.loads((self.folder / "r.json").read_text())["schedule"][0])
        self.compile(SMALL, "--report", "r.txt", "--skip-pass", "schedule")
        self.assertNotIn("  order  ", (self.folder / "r.txt").read_text())


if __name__ == "__main__":
    cli_case.main(__doc__)
