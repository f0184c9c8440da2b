#!/usr/bin/env python3
"""What the pass `schedule` buys: the table of docs/schedule.md, made by running `berth compile` on every model.

  bench/schedule_table.py BERTH            prints the table
  bench/schedule_table.py BERTH --write    puts it into docs/schedule.md
  bench/schedule_table.py BERTH --check    exit 1 when docs/schedule.md has another one; where ../shared is missing, the
                                           rows of its models are not looked at
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
BEGIN, END = "<!-- table: bench/schedule_table.py -->", "<!-- end of table -->"


def models():
    for path in sorted((ROOT / "compiler/passes/testdata/branches").glob("*.bir")):
        yield path.stem, path
    for path in sorted(SHARED.glob("models/*/model.tflite")):
        yield path.parent.name, path
    for path in sorted(SHARED.glob("models/f32/*/model.tflite")):
        yield "f32/" + path.parent.name, path


def compile_model(berth, path, schedule):
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(
            [berth, "compile", str(path), "-o", folder + "/out.pte", "--schedule", schedule, "--json"],
            check=True, capture_output=True, text=True)
    summary = json.loads(result.stdout)
    return list(zip(summary["methods"], summary.get("schedule", [None] * len(summary["methods"]))))


def table(berth):
    lines = ["| model | operators | live bytes, given order | scheduled | no order below | pool, given | pool, scheduled |",
             "|---|---|---|---|---|---|---|"]
    for name, path in models():
        on, off = compile_model(berth, path, "on"), compile_model(berth, path, "off")
        for (with_, row), (without, _) in zip(on, off):
            bound = "= proven" if row["proven_optimal"] else f"{row['lower_bound']:,}"
            pool = [sum(p["bytes"] for p in m["pools"]) for m in (without, with_)]
            # Two programs that share no code have counted this.
            counted = sum(p["lower_bound"] for p in with_["pools"])
            assert counted == row["peak_after"], f"{name}: the planner counts {counted}, the pass {row}"
            lines.append(f"| {name} | {with_['instructions']} | {row['peak_before']:,} | {row['peak_after']:,} "
                         f"| {bound} | {pool[0]:,} | {pool[1]:,} |")
    return "\n".join(lines)


def check(made, page):
    """What is wrong with the page's table, or nothing."""
    rows = [text.strip().split("\n") for text in (made, page)]
    if not (SHARED / "models").is_dir():
        known = {row.split("|")[1] for row in rows[0]}
        others = [row for row in rows[1] if row.split("|")[1] not in known]
        rows[1] = [row for row in rows[1] if row not in others]
        print(f"no {SHARED / 'models'}: {len(others)} rows of the table are not checked")
    if rows[0] == rows[1]:
        print(f"docs/schedule.md: {len(rows[0]) - 2} rows are as made now")
        return ""
    news = [row for row in rows[0] if row not in rows[1]]
    return "docs/schedule.md: the table is another one now; run bench/schedule_table.py --write\n" + "\n".join(news)


def main():
    made = table(sys.argv[1])
    page = ROOT / "docs/schedule.md"
    text = page.read_text() if page.exists() else f"{BEGIN}\n{END}\n"
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    new = text[:begin] + "\n" + made + "\n" + text[end:]
    if "--write" in sys.argv:
        page.write_text(new)
    elif "--check" in sys.argv:
        sys.exit(check(made, text[begin:end]) or 0)
    else:
        print(made)


main()
