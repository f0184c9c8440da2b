#!/usr/bin/env python3
"""Our int8 operators beside the vendor's, layer by layer, on emulated Cortex-M cores: writes the tables of docs/cortex-m-layers.md.

    python3 bench/vendor_layers.py [--core cortex-m55]... [--only TEXT] [--out build/firmware] [--check | --write]

Layers, data and the vendor's counts are those of ../shared/oracles; the smaller of its two compilers counts. Ours are
whole calls of an operator, the reading and checking of arguments included. Every output's hash must be the vendor's.
Operators that the vendor's table has no rows for stand at the end, without a vendor's count.
--check ends with 1 where a count is more than 2 % above the page's, a network takes more than the vendor's sum or a layer
more than 1.3 of the vendor's; --write writes the page.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/cortex-m-layers.md"
sys.path[:0] = [str(ROOT / "firmware"), str(ROOT / "bench")]
import image  # noqa: E402
from cores import BOARDS, NETWORKS, PRODUCTS, SHARED, short_name, times_in, vendor_count, vendor_rows  # noqa: E402

BUILD = ("layers", "-O3", [])  # without the checks that images have
COLUMNS = ("in_n in_h in_w in_c k_h k_w out_h out_w out_c stride_h stride_w pad_h pad_w dil_h dil_w groups_or_mult in_offset "
           "out_offset act_min act_max").split()  # fmt: skip


OTHERS = """
## Other operators

What the vendor's table has no rows for: one call, and instructions per element of the input or the output, whichever has more. Data is
random (bench/other_layers.cc); all cores give the same bytes, and tests hold them to the reference's. What stands at a few instructions
per element is a loop as gcc makes it; 16-bit activations run the plain loops on every core.

| operator | of | elements | core | instructions | per element |
|---|---|---|---|---|---|
"""


def run_bench(core, name, out, table=None):
    """What an image of bench/NAME.cc prints."""
    board = image.link_script.read_board(BOARDS[core])
    folder = out / board["name"] / name
    (folder / "bench").mkdir(parents=True, exist_ok=True)
    if table:
        (folder / f"bench/{name}_table.h").write_text(table)
    elf = image.link(board, ROOT / f"bench/{name}.cc", [], folder, image.build_libraries(board, out, True, BUILD),
                     ["-DBERTH_INSTRUCTION_LIMIT=20000000000"])  # fmt: skip
    code, text = image.run_image(elf, board)
    if code != 0:
        raise SystemExit(f"error: {core}: exit code {code}: {text}")
    return text


def measure(core, rows, out):
    """{row's id: (instructions, hash of the output, bytes of scratch)}"""
    lines = [f'{{"{r["op"]}", "{r["id"]}", {", ".join(r[c] for c in COLUMNS)}}},\n' for r in rows]
    text = run_bench(core, "vendor_layers", out, "".join(lines))
    found = re.findall(r"layer (\S+) (\d+) (?:0x)?(\w+) (\d+)", text)
    return {name: (int(count), digest, int(scratch)) for name, count, digest, scratch in found}


def measure_others(core, only, out):
    """{(operator, what of): (elements, instructions, hash of the output)}"""
    found = re.findall(r"layer ([^;]+); ([^;]+); (\d+); (\d+); (?:0x)?(\w+)", run_bench(core, "other_layers", out))
    return {(op, case): (int(elements), int(count), digest) for op, case, elements, count, digest in found if only in op}


def network_rows(core, rows, ours):
    """Sums of the networks: conv, depthwise and linear; all layers."""
    for network in NETWORKS:
        sums = [0, 0, 0, 0]
        for row in rows:
            if times := times_in(network, row):
                first = 0 if row["op"] in PRODUCTS else 2
                sums[first] += times * ours[row["id"]][0]
                sums[first + 1] += times * vendor_count(row)
        if sums[1] != 0:
            yield network, core, sums[0], sums[1], sums[0] + sums[2], sums[1] + sums[3]


def page(measured, others):
    text = """# Layers on Cortex-M

Machine instructions of one call of our int8 operators (`cortex_m::`) and of the vendor's (CMSIS-NN), under QEMU with `-icount`, on the
same shapes and data; of the vendor's two builds (gcc 12, clang 19) the smaller one. Ours are built by gcc 12 with `-O3` and are whole
operators: reading and checking the arguments is counted. "equal": the output has the vendor's hash. Scratch has its size everywhere.
`python3 bench/vendor_layers.py --write` counts again and writes this page.

## Networks

Sums over the layers of one inference.

| network | core | convolutions, linear | vendor | ratio | all layers | vendor | ratio |
|---|---|---|---|---|---|---|---|
"""
    sums = [line for core, (rows, ours) in measured.items() for line in network_rows(core, rows, ours)]
    for network, core, a, b, c, d in sorted(sums, key=lambda line: NETWORKS.index(line[0])):
        text += f"| {network} | {short_name(core)} | {a} | {b} | {a / b:.2f} | {c} | {d} | {c / d:.2f} |\n"
    text += "\n## Layers\n\n| operator | layer | networks | core | ours | vendor | ratio | output |\n|---|---|---|---|---|---|---|---|\n"
    lines = []
    for core, (rows, ours) in measured.items():
        for place, row in enumerate(rows):
            count, digest, scratch = ours[row["id"]]
            nets = ", ".join(f"{n} x{t}" if t != "1" else n for n, t in re.findall(r"(\w+):(\d+)", row["nets"]))
            equal = "equal" if int(digest, 16) == int(row["out_fnv1a"], 16) else f"DIFFERS {digest}"
            if row["op"] != "fully_connected" and scratch != int(row["scratch_bytes"]):  # whose sums the compiler brings
                equal += f"; scratch DIFFERS: {scratch}, the vendor's {row['scratch_bytes']}"
            lines.append((place, f"| {row['op']} | {row['id']} | {nets} | {short_name(core)} | {count} | {vendor_count(row)} | "
                                 f"{count / vendor_count(row):.2f} | {equal} |\n"))  # fmt: skip
    text += "".join(line for _, line in sorted(lines, key=lambda pair: pair[0]))
    text += OTHERS
    firsts = {}  # hashes, by what was run: all cores must have one
    for place in next(iter(others.values()), {}):
        for core, ours in others.items():
            elements, count, digest = ours[place]
            good = "" if firsts.setdefault(place, digest) == digest else f" DIFFERS {digest}"
            text += f"| {place[0]} | {place[1]} | {elements} | {short_name(core)} | {count} | {count / elements:.2f}{good} |\n"
    return text


def above_limits(measured):
    """What is slower than it may be: a network than the vendor's, a layer than 1.3 of it."""
    for core, (rows, ours) in measured.items():
        for network, _, a, b, _, _ in network_rows(core, rows, ours):
            if a > b:
                yield f"{network} on {short_name(core)}: {a} instructions, the vendor takes {b}"
        for row in rows:
            if ours[row["id"]][0] > 1.3 * vendor_count(row):
                yield f"{row['id']} on {short_name(core)}: {ours[row['id']][0]} instructions, the vendor takes {vendor_count(row)}"


def counts_on(text):
    """{(operator, layer, core): ours} of a page."""
    return {(op, layer, core): int(ours) for op, layer, core, ours in
            re.findall(r"\| (\w+) \| ([^|]+) \|[^|]*\| (M\d+) \| (\d+) \|", text)}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--core", choices=sorted(BOARDS), action="append", help="all of them unless named")
    parser.add_argument("--only", default="", help="layers whose name has this, and others whose operator's has")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/firmware")
    ends = parser.add_mutually_exclusive_group()
    ends.add_argument("--check", action="store_true")
    ends.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if missing := image.missing_tools():
        print(f"SKIPPED: not installed: {', '.join(missing)}")
        return 77
    if not (SHARED / "oracles").is_dir():
        print(f"SKIPPED: no oracles in {SHARED}")
        return 77
    measured, others = {}, {}
    for core in arguments.core or BOARDS:
        if rows := [row for row in vendor_rows(core) if arguments.only in row["id"]]:
            measured[core] = (rows, measure(core, rows, arguments.out))
        others[core] = measure_others(core, arguments.only, arguments.out)
    text = page(measured, others)
    if arguments.write:
        PAGE.write_text(text)
    elif not arguments.check:
        print(text, end="")
    good = "DIFFERS" not in text
    if arguments.check:
        slow = list(above_limits(measured))
        good = good and not slow
        print("".join(line + "\n" for line in slow), end="")
        known = counts_on(PAGE.read_text())
        for key, count in counts_on(text).items():
            if count > known.get(key, 0) * 1.02 + 8:
                print(f"{key[0]} {key[1]} on {key[2]}: {count} instructions, the page says {known.get(key)}")
                good = False
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
