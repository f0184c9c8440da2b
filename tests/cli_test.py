#!/usr/bin/env python3
"""The command line as scripts see it: exit codes, what stands on stdout and stderr, which files appear.

Runs the built command end to end on small inputs. Standard library only.

  tests/cli_test.py BERTH SOURCE_DIR SHARED_DIR
"""

import json
import re
import shutil
import subprocess
import unittest

import cli_case
from cli_case import SMALL, CliTest


class UsageTest(CliTest):
    def test_help_and_version_succeed(self):
        self.assertIn("compile", self.run_berth("--help").out)
        self.assertIn("berth", self.run_berth("--version").out)
        for command in ("compile", "plan", "inspect", "replan", "run", "diff"):
            self.assertIn("--", self.run_berth(command, "--help").out)

    def test_docs_and_help_have_the_same_options(self):
        sections = re.split(r"^## berth (\w+)$", (cli_case.SOURCE / "docs" / "cli.md").read_text(), flags=re.M)
        documented = dict(zip(sections[1::2], sections[2::2]))
        for command in ("compile", "plan", "inspect", "replan", "run", "diff"):
            listed = set(re.findall(r"(?<=[ ,])--[a-z-]+", self.run_berth(command, "--help").out)) - {"--help"}
            rows = [row.replace(r"\|", "/").split("|")[1] for row in documented[command].splitlines() if row.startswith("| `")]
            self.assertEqual(listed, set(re.findall(r"`(--[a-z-]+)", " ".join(rows))), command)

    def test_wrong_command_lines_exit_2(self):
        for args in (
            [],
            ["frobnicate"],
            ["compile"],
            ["compile", "m.bir"],
            ["compile", "m.bir", "-o", "o.pte", "--planner", "magic"],
            ["compile", "m.bir", "-o", "o.pte", "--pool", "main"],
            ["compile", "m.bir", "-o", "o.pte", "--pool", "main=64KB"],
            ["compile", "m.bir", "-o", "o.pte", "--report", "r.pdf"],
            ["compile", "m.bir", "-o", "o.pte", "--schedule", "maybe"],
            ["compile", "m.bir", "-o", "o.pte", "--no-such-option"],
            ["inspect"],
            ["inspect", "x.pte", "--at", "x"],
            ["inspect", "x.pte", "--at", ""],
            ["replan", "x.pte"],
            ["replan", "x.pte", "-o", "o.pte", "--backend", "X"],
            ["run", "x.pte", "--fill", "0x1"],
            ["run", "x.pte", "--repeat", "0"],
            ["run", "x.pte", "--atol", "x"],
            ["run", "x.pte", "--atol", "nan"],
            ["run", "x.pte", "--rtol", "-1"],
            ["diff", "a.pte"],
            ["plan", "p.csv", "--capacity", "many"],
        ):
            self.run_berth(*args, code=2)
            self.assertEqual(self.files(), [])

    def test_numbers_of_the_command_line_are_judged_in_our_words(self):
        for flag, value, words in (
            ("--repeat", "0", '--repeat: "0" is no whole number from 1 to 4294967295'),
            ("--atol", "nan", '--atol: "nan" is no number from 0 on; write 0.01 or 1e-5'),
            ("--rtol", "-1", '--rtol: "-1" is no number from 0 on; write 0.01 or 1e-5'),
        ):
            self.assertIn(f"error: command line: {words}\n", self.run_berth("run", "x.pte", flag, value, code=2).err)
        for value in ("", "-1", "x"):
            done = self.run_berth("inspect", "x.pte", "--at", value, code=2)
            self.assertIn(f'error: command line: --at: "{value}" is no whole number from 0 to 4294967295\n', done.err)

    def test_a_missing_file_is_named(self):
        for args in (["compile", "no.bir", "-o", "o.pte"], ["inspect", "no.pte"], ["replan", "no.pte", "-o", "o.pte"], ["run", "no.pte"],
                     ["diff", "no.pte", "no.pte"], ["plan", "no.csv"]):  # fmt: skip
            done = self.run_berth(*args, code=1)
            self.assertRegex(done.err, r"^error: no\.\w+: cannot open: No such file or directory\n$")
            self.assertEqual(done.out, "")


class ReplanTest(CliTest):
    def test_a_planned_file_comes_out_with_the_same_bytes(self):
        self.compile()
        self.run_berth("replan", "out.pte", "-o", "again.pte")
        self.assertEqual((self.folder / "out.pte").read_bytes(), (self.folder / "again.pte").read_bytes())

    def test_a_wasteful_file_gets_smaller_and_runs_as_before(self):
        made = self.compile(SMALL, "--no-reuse", "--strip", "--json", output="wide.pte")
        wide = json.loads(made.stdout)["methods"][0]["pools"][0]["bytes"]
        replanned = json.loads(self.run_berth("replan", "wide.pte", "-o", "small.pte", "--json").stdout)
        (pool,) = replanned["methods"][0]["pools"]
        self.assertEqual((pool["name"], pool["mem_id"]), ("mem1", 1))
        self.assertLess(pool["bytes"], wide)
        self.assertEqual(pool["bytes"], pool["lower_bound"])
        self.write("x.bin", bytes(range(100)))
        outputs = []
        for name in ("wide.pte", "small.pte"):
            self.run_berth("run", name, "--input", "x.bin", "--output", "y.bin", "--fill", "noise:3")
            outputs.append((self.folder / "y.bin").read_bytes())
        self.assertEqual(*outputs)

    def test_a_board_and_capacities_are_obeyed(self):
        self.compile(SMALL, "--strip")
        self.assertIn("; no board\n", self.run_berth("replan", "out.pte", "-o", "a.pte").out)
        self.assertIn("; board host\n", self.run_berth("replan", "out.pte", "-o", "b.pte", "--board", "host").out)
        report = json.loads(self.run_berth("inspect", "b.pte", "--json").stdout)
        self.assertEqual(report["methods"][0]["pools"][0]["name"], "main")
        need = report["methods"][0]["pools"][0]["bytes"]
        done = self.run_berth("replan", "out.pte", "-o", "c.pte", "--pool", f"mem1={need - 1}", code=1)
        self.assertRegex(done.err, rf"'mem1' needs {need} bytes and has {need - 1}")
        done = self.run_berth("replan", "out.pte", "-o", "c.pte", "--pool", "sram=64", code=2)
        self.assertIn("mem1", done.err)
        self.run_berth("replan", "out.pte", "-o", "c.pte", "--budget", f"mem1={need - 1}", code=3)
        self.run_berth("replan", "out.pte", "-o", "c.pte", "--budget", "sram=64", code=2)
        self.assertNotIn("c.pte", self.files())

    def test_the_input_is_not_overwritten(self):
        self.compile()
        before = (self.folder / "out.pte").read_bytes()
        self.run_berth("replan", "out.pte", "-o", "./out.pte", code=2)
        self.assertEqual((self.folder / "out.pte").read_bytes(), before)


class CompileTest(CliTest):
    def test_json_is_the_whole_of_stdout_and_has_the_fields_of_the_contract(self):
        summary = self.summary()
        self.assertEqual(sorted(summary), ["constant_bytes", "file", "file_bytes", "methods", "schedule"])
        self.assertEqual(summary["file_bytes"], (self.folder / "out.pte").stat().st_size)
        (method,) = summary["methods"]
        self.assertEqual(method["name"], "forward")
        self.assertEqual(method["inputs"][0]["shape"], [1, 100])
        self.assertEqual(method["outputs"][0]["dtype"], "i8")
        self.assertEqual(method["instructions"], 3)
        (pool,) = method["pools"]
        self.assertEqual(
            sorted(pool), ["alignment", "bytes", "capacity", "cost", "kept_elsewhere", "lower_bound", "mem_id", "name", "tail"])  # fmt: skip
        self.assertEqual((pool["name"], pool["mem_id"], pool["alignment"]), ("main", 1, 16))
        self.assertGreaterEqual(pool["bytes"], pool["lower_bound"])
        self.assertEqual(sorted(method["runtime_bytes"]), ["arm32", "host64"])
        self.assertLess(method["runtime_bytes"]["arm32"], method["runtime_bytes"]["host64"])
        self.assertEqual(method["delegates"], [])
        self.assertEqual(sorted(method["planner"]), ["cost", "greedy_bytes", "name", "proven_optimal"])
        self.assertLessEqual(pool["bytes"], method["planner"]["greedy_bytes"])

    def test_quiet_says_nothing_and_verbose_says_more(self):
        self.assertEqual(self.compile(SMALL, "-q").out, "")
        usual = self.compile().out
        self.assertIn("pool main", usual)
        self.assertGreater(len(self.compile(SMALL, "-v").out), len(usual))

    def test_two_compiles_give_the_same_bytes(self):
        self.compile(output="a.pte")
        self.compile(output="b.pte")
        self.assertEqual((self.folder / "a.pte").read_bytes(), (self.folder / "b.pte").read_bytes())

    def test_a_refused_model_leaves_older_files_as_they_were(self):
        for name in ("out.pte", "r.txt", "h.h"):
            self.write(name, "old")
        before = self.files()
        for bad in ("", "nonsense", SMALL[:80], SMALL.replace("aten::clamp", "aten::clmap"), b"\x00" * 64):
            done = self.compile(bad, "--report", "r.txt", "--header", "h.h", code=1)
            self.assertEqual(done.out, "")
            self.assertRegex(done.err, r"^error: model\.bir: .+\n$")
            for name in ("out.pte", "r.txt", "h.h"):
                self.assertEqual((self.folder / name).read_text(), "old")
            self.assertEqual(set(self.files()), set(before) | {"model.bir"})

    def test_an_output_that_cannot_be_written_leaves_the_others_unwritten(self):
        done = self.compile(SMALL, "--report", "no/such/folder/r.txt", code=1)
        self.assertIn("error: no/such/folder/r.txt: cannot write", done.err)
        self.assertEqual(self.files(), ["model.bir"])

    def test_what_cannot_be_printed_is_an_error(self):
        self.compile(SMALL)
        with open("/dev/full", "w") as full:
            for words in (["inspect", "out.pte"], ["inspect", "out.pte", "--json"], ["--help"]):
                done = subprocess.run([cli_case.BERTH, *words], stdout=full, stderr=subprocess.PIPE, text=True, cwd=self.folder)
                self.assertEqual((done.returncode, done.stderr), (1, "error: standard output: cannot write\n"), words)

    def test_standard_output_is_written_behind_what_is_printed(self):
        self.compile(SMALL)
        with open(self.folder / "all", "w") as out:
            subprocess.run([cli_case.BERTH, "-q", "compile", "model.bir", "-o", "/dev/stdout"], stdout=out, check=True, cwd=self.folder)
        self.assertEqual((self.folder / "all").read_bytes(), (self.folder / "out.pte").read_bytes())

    def test_a_board_is_not_overwritten(self):
        board = 'name = "mine"\ncpu = "cortex-m4"\n[[pool]]\nname = "fast"\nmem_id = 1\nsize = "64 KiB"\n'
        self.write("mine.toml", board)
        done = self.compile(SMALL, "--board", "mine.toml", "--emit-ir", "./mine.toml", code=1)
        self.assertIn("is read by this command too", done.err)
        self.assertEqual((self.folder / "mine.toml").read_text(), board)

    def test_a_capacity_of_0_is_no_capacity(self):
        self.assertIn("main=0: nothing fits into 0 bytes", self.compile(SMALL, "--pool", "main=0", code=2).err)
        self.compile(SMALL)
        done = self.run_berth("replan", "out.pte", "-o", "again.pte", "--pool", "main=0", code=2)
        self.assertIn("main=0: nothing fits into 0 bytes", done.err)

    def test_the_model_is_not_overwritten(self):
        self.write("model.bir", SMALL)
        for args in (["-o", "model.bir"], ["-o", "./model.bir"], ["-o", "out.pte", "--emit-ir", "model.bir"]):
            self.run_berth("compile", "model.bir", *args, code=2)
        self.assertEqual((self.folder / "model.bir").read_text(), SMALL)
        self.assertEqual(self.files(), ["model.bir"])

    def test_pool_capacity_is_exact_to_the_byte(self):
        need = self.summary()["methods"][0]["pools"][0]["bytes"]
        pool = self.summary(SMALL, "--pool", f"main={need}")["methods"][0]["pools"][0]
        self.assertEqual((pool["bytes"], pool["capacity"]), (need, need))
        done = self.compile(SMALL, "--pool", f"main={need - 1}", code=1, output="small.pte")
        for part in ("main", str(need), str(need - 1)):
            self.assertIn(part, done.err)
        self.assertFalse((self.folder / "small.pte").exists())

    def test_spread_uses_every_pool_of_the_board(self):
        need = self.summary()["methods"][0]["pools"][0]["bytes"]
        pools = '[[pool]]\nname = "fast"\nmem_id = 1\nsize = %d\ncost = 1\n[[pool]]\nname = "slow"\nmem_id = 3\nsize = "1 MiB"\ncost = 4\n'
        self.write("two.toml", 'name = "two"\ncpu = "cortex-m4"\n' + pools % (need - 16))
        self.assertIn("16 short", self.compile(SMALL, "--board", "two.toml", code=1).err)
        method = self.summary(SMALL, "--board", "two.toml", "--spread", "--report", "r.json")["methods"][0]
        spread = method["pools"]
        self.assertEqual([pool["name"] for pool in spread], ["fast", "slow"])
        self.assertLessEqual(spread[0]["bytes"], need - 16)
        self.assertEqual([pool["cost"] for pool in spread], [1, 4])
        report = json.loads((self.folder / "r.json").read_text())["methods"][0]
        by_pool = [sum(-(-b["bytes"] // b["alignment"]) * b["alignment"] for b in report["buffers"] if b["pool"] == pool["name"]) for pool in spread]
        self.assertEqual(method["planner"]["cost"], by_pool[0] + 4 * by_pool[1])
        self.compile(SMALL, output="one.pte")
        self.run_berth("replan", "one.pte", "-o", "again.pte", "--board", "two.toml", "--spread")
        self.run_berth("replan", "one.pte", "-o", "no.pte", "--spread", code=2)
        (self.folder / "x.bin").write_bytes(bytes(range(100)))
        for file in ("one.pte", "out.pte", "again.pte"):
            self.run_berth("run", file, "--input", "x.bin", "--output", file + ".bin")
        outputs = {(self.folder / f"{file}.pte.bin").read_bytes() for file in ("one", "out", "again")}
        self.assertEqual(len(outputs), 1)

    def test_budget_exits_3_and_writes_the_report_alone(self):
        need = self.summary()["methods"][0]["pools"][0]["bytes"]
        self.compile(SMALL, "--budget", f"main={need}")
        done = self.compile(SMALL, "--budget", f"main={need - 1}", "--report", "r.txt", code=3, output="over.pte")
        self.assertIn(f"needs {need} bytes of pool main; the budget is {need - 1}", done.err)
        self.assertEqual(done.out, "")
        self.assertFalse((self.folder / "over.pte").exists())
        self.assertTrue((self.folder / "r.txt").exists())

    def test_empty_values_are_no_way_to_leave_an_option_out(self):
        self.compile(SMALL, output="one.pte")
        for command, option in (("compile", "--emit-ir"), ("compile", "--header"), ("replan", "--header"), ("inspect", "--html"), ("run", "--method")):
            done = self.run_berth(command, "one.pte", *(["-o", "two.pte"] if command in ("compile", "replan") else []), option, "", code=2)
            self.assertIn(f"{option}: the value is empty", done.err)
        self.assertFalse((self.folder / "two.pte").exists())

    def test_unknown_boards_and_pools_get_the_nearest_or_all(self):
        self.assertIn('did you mean "mps3-an547"', self.compile(SMALL, "--board", "mps3-an574", code=2).err)
        self.assertIn("it has main", self.compile(SMALL, "--pool", "sram=5", code=2).err)
        self.assertIn("it has main", self.compile(SMALL, "--budget", "sram=5", code=2).err)

    def test_board_files_are_read_and_their_mistakes_have_a_line(self):
        good = 'name = "mine"\ncpu = "cortex-m4"\n[[pool]]\nname = "fast"\nmem_id = 1\nsize = "64 KiB"\n'
        self.write("mine.toml", good)
        pool = self.summary(SMALL, "--board", "mine.toml")["methods"][0]["pools"][0]
        self.assertEqual((pool["name"], pool["capacity"]), ("fast", 65536))
        self.write("mine.toml", good.replace("size", "sise"))
        done = self.compile(SMALL, "--board", "mine.toml", code=1)
        self.assertIn('error: mine.toml: line 6: unknown key "sise"', done.err)
        self.assertIn('did you mean "size"?', done.err)

    def test_reports_as_text_and_json(self):
        self.compile(SMALL, "--report", "r.txt")
        text = (self.folder / "r.txt").read_text()
        for part in ("planned", "lower bound", "greedy", "fullest at instruction", "method memory", "constants:"):
            self.assertIn(part, text)
        self.compile(SMALL, "--report", "r.json")
        report = json.loads((self.folder / "r.json").read_text())
        inspected = json.loads(self.run_berth("inspect", "out.pte", "--json").stdout)
        self.assertEqual(report["methods"], inspected["methods"], "compile and inspect tell the same numbers")

    def test_the_header_compiles_as_c_and_holds_the_numbers(self):
        summary = self.summary(SMALL, "--header", "sizes.h")
        text = (self.folder / "sizes.h").read_text()
        need = summary["methods"][0]["pools"][0]["bytes"]
        self.assertIn(f"#define BERTH_OUT_POOL_MAIN_BYTES {need}u", text)
        self.assertIn(f"#define BERTH_OUT_METHOD_BYTES_ARM32 {summary['methods'][0]['runtime_bytes']['arm32']}u", text)
        self.assertIn(f"#define BERTH_OUT_POOLS(POOL) \\\n  POOL(main, 1, {need}, 16)\n", text)
        self.assertRegex(text, r'#define BERTH_OUT_OPERATORS( \\\n  \{"[a-z_0-9:]+", "out"\},?)+\n')
        self.run_berth("inspect", "out.pte", "--header", "again.h")
        self.assertEqual((self.folder / "again.h").read_text(), text, "inspect writes the header that compile wrote")
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            self.skipTest("no C compiler")
        self.write("use.c", '#include "sizes.h"\n#include "sizes.h"\nstatic unsigned char pool[BERTH_OUT_POOL_MAIN_BYTES];\n'
                            "int main(void) { return sizeof pool == 0 || BERTH_OUT_INPUT0_BYTES != 100u; }\n")  # fmt: skip
        subprocess.run([compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-o", "use", "use.c"],
                       cwd=self.folder, check=True)  # fmt: skip
        self.assertEqual(subprocess.run([self.folder / "use"]).returncode, 0)

    def test_the_emitted_ir_compiles_to_the_same_file(self):
        self.compile(SMALL, "--emit-ir", "after.bir")
        self.run_berth("compile", "after.bir", "-o", "again.pte")
        self.assertEqual((self.folder / "out.pte").read_bytes(), (self.folder / "again.pte").read_bytes())

    def test_strip_leaves_the_record_out(self):
        self.compile(SMALL, "--strip")
        report = json.loads(self.run_berth("inspect", "out.pte", "--json").stdout)
        self.assertEqual(report["methods"][0]["pools"][0]["name"], "mem1")
        self.assertIsNone(report["methods"][0]["planner"]["name"])
        self.assertTrue(report["methods"][0]["buffers"], "lifetimes are found anew")

    def test_time_prints_a_line_per_stage_on_stderr(self):
        done = self.compile(SMALL, "--time", "--json")
        json.loads(done.stdout)
        self.assertGreater(len(re.findall(r"^time: .+ ms$", done.err, re.M)), 2)

    def test_planners_and_reuse(self):
        best = self.summary()["methods"][0]
        greedy = self.summary(SMALL, "--planner", "greedy")["methods"][0]
        naive = self.summary(SMALL, "--planner", "naive")["methods"][0]
        unshared = self.summary(SMALL, "--no-reuse")["methods"][0]
        self.assertEqual(greedy["planner"]["name"], "greedy")
        self.assertLessEqual(best["pools"][0]["bytes"], greedy["pools"][0]["bytes"])
        self.assertLessEqual(greedy["pools"][0]["bytes"], naive["pools"][0]["bytes"])
        self.assertEqual(unshared["pools"][0]["bytes"], naive["pools"][0]["bytes"])


class InspectTest(CliTest):
    def setUp(self):
        super().setUp()
        self.compile()

    def test_text_shows_instructions_buffers_and_peak(self):
        text = self.run_berth("inspect", "out.pte").out
        for part in ("0  aten::clamp.out(", "buffers", "fullest at instruction", "method memory"):
            self.assertIn(part, text)

    def test_json_shows_who_owns_which_bytes_when(self):
        method = json.loads(self.run_berth("inspect", "out.pte", "--json").stdout)["methods"][0]
        self.assertEqual([i["index"] for i in method["instructions"]], [0, 1, 2])
        self.assertEqual(sorted(method["instructions"][0]), ["args", "index", "kind", "name"])
        for buffer in method["buffers"]:
            for key in ("values", "pool", "offset", "bytes", "begin", "end", "intervals", "role", "owner", "name"):
                self.assertIn(key, buffer)
            self.assertEqual(buffer["intervals"][0][0], buffer["begin"])
            self.assertEqual(buffer["intervals"][-1][1], buffer["end"])
        self.compile(SMALL, "--no-reuse")
        method = json.loads(self.run_berth("inspect", "out.pte", "--json").stdout)["methods"][0]
        self.assertEqual({"input", "activation", "output"}, {b["role"] for b in method["buffers"]})

    def test_at_shows_what_is_live(self):
        self.assertIn("instruction 1", self.run_berth("inspect", "out.pte", "--at", "1").out)
        self.assertIn("0 to 2", self.run_berth("inspect", "out.pte", "--at", "3", code=2).err)

        method = json.loads(self.run_berth("inspect", "out.pte", "--at", "1", "--json").out)["methods"][0]
        self.assertEqual(method["at"]["instruction"], 1)
        for index, buffer in enumerate(method["buffers"]):
            is_live = any(begin <= 1 < end for begin, end in buffer["intervals"])
            self.assertEqual(is_live, index in method["at"]["buffers"])

    def test_a_file_without_a_record_is_not_certified_but_could_be(self):
        self.assertTrue(json.loads(self.run_berth("inspect", "out.pte", "--json").out)["methods"][0]["certified"])
        self.compile(SMALL, "--strip")
        method = json.loads(self.run_berth("inspect", "out.pte", "--json").out)["methods"][0]
        self.assertEqual((method["certified"], method["not_certified"], method["clobbers"]), (False, None, []))

    # Another plan in the same file: what stands above the bound is the whole of what naive wastes.
    def test_what_a_naive_plan_wastes_is_told(self):
        self.compile(SMALL, "--planner", "naive", "--no-reuse")
        (pool,) = json.loads(self.run_berth("inspect", "out.pte", "--json").out)["methods"][0]["pools"]
        self.assertGreater(pool["bytes"], pool["lower_bound"])
        self.assertGreater(pool["above_bound"][0]["free_below"], 0)
        self.assertIn("above the bound:", self.run_berth("inspect", "out.pte").out)

    def test_every_value_that_a_wrong_plan_overwrites_is_named(self):
        path = cli_case.SHARED.resolve() / "pte" / "cond_two_in_a_row" / "model.pte"
        if not path.exists():
            self.skipTest(f"no {path}")
        done = self.run_berth("inspect", path, "--json", code=1)
        clobbers = json.loads(done.out)["methods"][0]["clobbers"]
        self.assertGreater(len(clobbers), 1)
        self.assertIn(clobbers[0]["message"], done.err)
        self.assertEqual(self.run_berth("inspect", path, code=1).out.count("wrong plan: "), len(clobbers))

    def test_an_unknown_method_is_an_error_that_lists_the_methods(self):
        self.run_berth("inspect", "out.pte", "--method", "forward")
        self.assertIn("it has forward", self.run_berth("inspect", "out.pte", "--method", "backward", code=2).err)

    def test_files_that_are_no_pte_are_refused(self):
        whole = (self.folder / "out.pte").read_bytes()
        for bad in (b"", b"short", SMALL.encode(), whole[: len(whole) // 2], whole[:-1]):
            self.write("bad.pte", bad)
            done = self.run_berth("inspect", "bad.pte", code=1)
            self.assertEqual(done.out, "")
            self.assertRegex(done.err, r"^error: bad\.pte: .+\n$")


class DiffTest(CliTest):
    def test_a_file_is_like_itself(self):
        self.compile(output="a.pte")
        self.assertEqual(self.run_berth("diff", "a.pte", "a.pte").out, "no differences\n")

    def test_another_operator_another_constant_another_plan(self):
        self.compile(output="a.pte")
        self.compile(SMALL.replace("-40, 40", "-30, 40"), output="b.pte")
        done = self.run_berth("diff", "a.pte", "b.pte", code=3)
        self.assertIn("instructions", done.out)
        self.assertNotIn("interface\n", done.out)
        self.compile(SMALL, "--no-reuse", output="c.pte")
        report = json.loads(self.run_berth("diff", "a.pte", "c.pte", "--json", code=3).stdout)
        self.assertFalse(report["same"])
        self.assertEqual({d["part"] for d in report["differences"]}, {"plan"})
        self.compile(SMALL.replace("100]", "101]"), output="d.pte")
        self.assertIn("interface", self.run_berth("diff", "a.pte", "d.pte", code=3).out)


if __name__ == "__main__":
    cli_case.main(__doc__)
