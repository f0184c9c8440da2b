#!/usr/bin/env python3
"""The HTML pages of compile, replan, inspect and plan: parsed as XML, which forgives nothing, and compared with the JSON.
Standard library only.

  tests/cli_html_test.py BERTH SOURCE_DIR SHARED_DIR
"""

import html.parser
import json
import re
import unittest
import xml.etree.ElementTree

import cli_case
from cli_case import CliTest, SMALL


class Page(html.parser.HTMLParser):
    """What a browser would see: how often each element stands there, and what it would fetch."""

    def __init__(self, text):
        super().__init__()
        self.counts, self.fetched = {}, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        self.fetched += [value for name, value in attrs if name in ("src", "href", "action", "data")]


def bir_with(name):
    return SMALL.replace("%b : i8[1,100]", f'%b : i8[1,100] origin="{name}"')


class HtmlTest(CliTest):
    def read_page(self, name):
        text = (self.folder / name).read_text()
        page = Page(text)
        self.assertEqual(page.counts["script"], 1)
        self.assertEqual(page.fetched, [])
        self.assertIsNone(re.search(r"url\(|@import|https?:", text))
        return text, xml.etree.ElementTree.fromstring(text)

    def check_page(self, name, methods):
        text, root = self.read_page(name)
        sections = root.findall(".//section")
        self.assertEqual(len(sections), len(methods))
        for section, method in zip(sections, methods):
            drawn = [int(e.get("data-b")) for e in section.iter() if e.get("data-b")]
            placed = [i for i, b in enumerate(method["buffers"]) if b["pool"] is not None]
            self.assertEqual(sorted(drawn), placed if len(placed) <= 5000 else sorted(drawn))
            self.assertEqual(len(set(drawn)), len(drawn))
            shown = {e.get("data-b"): e.find("title").text for e in section.iter() if e.get("data-b")}
            for i, text_of in shown.items():
                self.assertIn(f"at {method['buffers'][int(i)]['offset']:,}, ", text_of)
        return text

    def test_compile_replan_and_inspect_show_the_same_map(self):
        self.compile(SMALL, "--report", "c.html")
        self.run_berth("inspect", "out.pte", "--html", "i.html")
        self.run_berth("replan", "out.pte", "-o", "r.pte", "--report", "r.html")
        methods = json.loads(self.run_berth("inspect", "out.pte", "--json").out)["methods"]
        compiled = self.check_page("c.html", methods)
        inspected = self.check_page("i.html", methods)
        replanned = self.check_page("r.html", methods)
        self.assertIn("Order of operators", compiled)
        maps = [re.findall(r"<svg.*?</svg>", page, re.S) for page in (compiled, inspected, replanned)]
        self.assertEqual(len(maps[0]), 1)
        self.assertTrue(maps[0] == maps[1] == maps[2])

    def test_the_page_is_the_same_every_time_and_goes_with_json_or_instead_of_text(self):
        self.compile()
        self.assertEqual(self.run_berth("inspect", "out.pte", "--html", "a.html").out, "")
        json.loads(self.run_berth("inspect", "out.pte", "--json", "--html", "b.html").out)
        self.assertEqual((self.folder / "a.html").read_bytes(), (self.folder / "b.html").read_bytes())

    def test_one_method_alone(self):
        two = SMALL + SMALL.replace("berth.ir 1\n", "").replace("graph forward", "graph other")
        self.compile(two)
        self.run_berth("inspect", "out.pte", "--html", "a.html", "--method", "other")
        methods = json.loads(self.run_berth("inspect", "out.pte", "--json").out)["methods"]
        self.assertEqual(len(methods), 2)
        self.assertNotIn("Method forward", self.check_page("a.html", methods[1:]))

    def test_names_of_a_stranger_stay_text(self):
        self.compile(bir_with(r"</title></path><script>alert(1)</script><img src=x onerror=alert(2)>\"' & \x07\xff"))
        self.run_berth("inspect", "out.pte", "--html", "a.html")
        methods = json.loads(self.run_berth("inspect", "out.pte", "--json").out)["methods"]
        text = self.check_page("a.html", methods)
        self.assertIn("&lt;script&gt;alert(1)", text)
        self.assertNotIn("<img", text)

    def test_a_page_does_not_overwrite_what_it_tells_of(self):
        self.compile()
        before = (self.folder / "out.pte").read_bytes()
        self.run_berth("inspect", "out.pte", "--html", "out.pte", code=1)
        self.assertEqual((self.folder / "out.pte").read_bytes(), before)
        self.run_berth("inspect", "out.pte", "--html", "no/such/folder.html", code=1)

    def test_a_plan_of_buffers_alone(self):
        self.write("p.csv", "id,lower,upper,size\na,4,7,5\nb,2,5,9\nc,0,3,6\nd,0,1,3\ne<i>,3,4,7\n")
        plan = json.loads(self.run_berth("plan", "p.csv", "--report", "p.html", "--json").out)
        text, root = self.read_page("p.html")
        shown = {int(e.get("data-b")): e.find("title").text for e in root.iter() if e.get("data-b")}
        self.assertEqual(sorted(shown), list(range(5)))
        for i, (_, offset) in enumerate(plan["placement"]):
            self.assertIn(f" bytes at {offset}, live [", shown[i])
        self.assertIn("e&lt;i&gt;", text)
        self.assertIn(f"fullest moment: {plan['lower_bound']} bytes at step {plan['bound_at']}", text)

    def test_the_other_reports_of_a_plan(self):
        self.write("p.csv", "id,lower,upper,size\na,0,2,100\n\"b\x1b[1m\",1,3,50\n")
        plan = json.loads(self.run_berth("plan", "p.csv", "--report", "p.json", "--json").out)
        written = json.loads((self.folder / "p.json").read_text())
        self.assertEqual({**written, "seconds": 0}, {**plan, "seconds": 0})
        self.run_berth("plan", "p.csv", "--report", "p.txt", "-q")
        lines = [line.split() for line in (self.folder / "p.txt").read_text().splitlines()]
        self.assertIn(["0", "100", "[0,2)", "a"], lines)
        self.assertIn(["100", "50", "[1,3)", "b\\x1b[1m"], lines)
        self.run_berth("plan", "p.csv", "--report", "p.png", code=2)
        self.run_berth("plan", "p.csv", "--report", "p.csv", code=2)
        self.write("p.txt", "id,lower,upper,size\n")
        self.run_berth("plan", "p.txt", "--report", "p.txt", code=1)
        self.run_berth("plan", "p.csv", "--report", "none.html", "--capacity", "149", code=1)
        self.assertEqual(self.files(), ["p.csv", "p.json", "p.txt"])

    def test_files_of_other_tools(self):
        files = sorted(cli_case.SHARED.glob("pte/*/*.pte"))
        if not files:
            self.skipTest(f"no golden files in {cli_case.SHARED}/pte")
        for file in files:
            with self.subTest(file.parent.name):
                done = self.run_berth("inspect", file, "--json", "--html", "a.html", code=None)
                self.check_page("a.html", json.loads(done.out)["methods"])


if __name__ == "__main__":
    cli_case.main(__doc__)
