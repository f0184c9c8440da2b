#!/usr/bin/env python3
"""What loading and running a .pte costs on Cortex-M4 and M55: machine instructions as QEMU counts them, and bytes.

    python3 bench/device.py --berth build/release/berth [--check] [--networks] [--out build/firmware]

Slopes over the chains of ../shared/pte/chain, built with -Os: dispatch, a one-float add, loading an instruction with its
tensor, method memory. Whole programs of the stock tools: cortex_m_residual_int8 and cortex_m_dwconv_int8 of ../shared/pte,
whose answers must be exact, and the flash that each takes. docs/device-cost.md tells what is counted. --check fails
where a figure is above its limit (LIMITS, NETWORK_LIMITS); --networks leaves the slopes out. Skips (77), and says so, without the
compiler, the emulator or the files.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "firmware"), str(ROOT / "bench")]
import image  # noqa: E402
from cores import BOARDS, SHARED, short_name  # noqa: E402

CORES = {short_name(core): BOARDS[core] for core in ("cortex-m4", "cortex-m55")}
SIZES = (100, 1000)
BARE_DEFINES = ["BERTH_NO_LOAD_FAULT", "BERTH_NO_CERTIFICATE", "BERTH_TRUST_FILE"]
# Name, optimisation, definitions.
SMALL, BARE, FAST = ("small", "-Os", []), ("bare", "-Os", BARE_DEFINES), ("fast", "-O2", [])
ADD = '{"aten::add", "out"}'
NETWORKS = ("cortex_m_residual_int8", "cortex_m_dwconv_int8")

# What --check holds the figures to, on both cores; and those of the stock runtime, measured on an M4 and an M55.
LIMITS = {"dispatch": 60, "one-float add": 110, "load": 1000, "bytes per instruction": 32, "bytes per tensor": 52}
STOCK = {"dispatch": 127, "one-float add": 150, "load": 3012, "bytes per instruction": 32, "bytes per tensor": 52}
NETWORK_LIMITS = {("cortex_m_residual_int8", "load"): 31000, ("cortex_m_residual_int8", "execute"): 150000,
                  ("cortex_m_residual_int8", "flash, bare"): 20480}  # fmt: skip
NETWORK_STOCK = {("cortex_m_residual_int8", "load"): 62156, ("cortex_m_residual_int8", "execute"): 178156,
                 ("cortex_m_residual_int8", "flash, bare"): 31616}  # fmt: skip


def link_cost(core, pte, kernels, build, out, inputs=None, answers=None, options=()):
    """An ELF file of bench/device_cost.cc; `kernels`: what a table is selected by, "" for the trivial ones."""
    board = image.link_script.read_board(CORES[core])
    libraries = image.build_libraries(board, out, "aten::" in kernels, build)
    kind = "-".join(["cost", build[0], pte.parent.name, pte.stem, "kernels" if kernels else "trivial", *options])
    folder = out / board["name"] / kind
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bench").mkdir(exist_ok=True)
    (folder / "bench/cost_kernels.h").write_text(f"#define COST_OPERATORS {kernels}\n" if kernels else "")
    if inputs is None:
        inputs, answers = folder / "input.bin", folder / "answer.bin"
        inputs.write_bytes(bytes(4))
        answers.write_bytes(b"")
    data = image.image_data(folder, pte, inputs, answers)
    defines = [f"-D{name}" for name in (*build[2], *options)]
    return image.link(board, ROOT / "bench/device_cost.cc", [data], folder, libraries, defines, build[1])


def run_cost(core, pte, kernels, build, out, inputs=None, answers=None):
    """{phase: instructions} of one file; of several executions the last."""
    elf = link_cost(core, pte, kernels, build, out, inputs, answers)
    code, text = image.run_image(elf, image.link_script.read_board(CORES[core]))
    if code != 0:
        raise SystemExit(f"error: {pte} on {core} ended with {code}: {text}")
    return {name: int(count) for name, count in re.findall(r"([a-z ]+): (\d+)\n", text)}


def slope(core, folder, kind, kernels, out):
    few, many = (run_cost(core, folder / f"{kind}_{size}.pte", kernels, SMALL, out) for size in SIZES)
    return {name: (many[name] - few[name]) / (SIZES[1] - SIZES[0]) for name in many}


def show_slopes(berth, out):
    """Prints a row per core; the figures that are above their limits."""
    chains, proven = SHARED / "pte/chain", out / "proven"
    proven.mkdir(parents=True, exist_ok=True)
    for size in SIZES:
        name = f"chain_{size}.pte"
        subprocess.run([berth, "-q", "replan", chains / name, "-o", proven / name], check=True)
    print("| per instruction, -Os | dispatch | one-float add | the same, aten::add.out | load with its tensor | the same, proven "
          "| bytes per instruction | bytes per tensor |\n|---|---|---|---|---|---|---|---|")  # fmt: skip
    print("| stock | " + " | ".join(str(n) for n in (STOCK["dispatch"], STOCK["one-float add"], "", STOCK["load"], "", 32, 52)) + " |")
    above = []
    for core in CORES:
        nop, shared = (slope(core, chains, kind, "", out) for kind in ("nop", "chain2t"))
        own, certified = (slope(core, folder, "chain", "", out) for folder in (chains, proven))
        figures = {
            "dispatch": nop["execute"],
            "one-float add": shared["execute"],
            "aten::add.out": slope(core, chains, "chain2t", ADD, out)["execute"],
            "load": own["load"] + own["open"],
            "proven": certified["load"] + certified["open"],
            "bytes per instruction": shared["method memory"],
            "bytes per tensor": own["method memory"] - shared["method memory"],
        }
        print(f"| {core} | " + " | ".join(f"{figure:.0f}" for figure in figures.values()) + " |", flush=True)
        above += [f"{core}: {name}: {figures[name]:.0f} of {limit}" for name, limit in LIMITS.items() if figures[name] > limit]
    print()
    return above


def flash_bytes(elf):
    """Of code and constants, without the program and its cases."""
    rows = subprocess.run(["arm-none-eabi-size", "-A", elf], capture_output=True, text=True, check=True).stdout
    return sum(int(size) for name, size in re.findall(r"(?m)^\.(\w+) +(\d+)", rows) if name in ("vectors", "text", "rodata", "data"))


def show_networks(berth, out):
    """Prints a row per program, on the M55; the figures that are above their limits."""
    print("| program, on the M55 | open, load, -O2 | execute, -O2 | flash, -Os | the same, bare |\n|---|---|---|---|---|")
    above = []
    for name in NETWORKS:
        folder = SHARED / "pte" / name
        pte = folder / "model.pte"
        operators = sorted({i["name"] for i in image.describe(berth, pte)["instructions"] if i["kind"] == "kernel"})
        kernels = ", ".join('{"%s", "%s"}' % tuple(operator.rsplit(".", 1)) for operator in operators)
        cases = [out / f"{name}.{what}" for what in ("in", "out")]
        for case, what in zip(cases, ("in", "out"), strict=True):
            case.write_bytes(b"".join((folder / f"v{v}_{what}0.bin").read_bytes() for v in range(2)))
        counts = run_cost("M55", pte, kernels, FAST, out, *cases)
        figures = {"load": counts["open"] + counts["load"], "execute": counts["execute"]}
        for what, build in (("flash", SMALL), ("flash, bare", BARE)):
            run_cost("M55", pte, kernels, build, out, *cases)  # the answers are right in these builds too
            whole, empty = (flash_bytes(link_cost("M55", pte, kernels, build, out, *cases, options=[option]))
                            for option in ("BERTH_COST_MINIMAL", "BERTH_COST_EMPTY"))  # fmt: skip
            figures[what] = whole - empty
        print(f"| {name}, {len(operators)} operators | " + " | ".join(str(figure) for figure in figures.values()) + " |", flush=True)
        stock = [str(NETWORK_STOCK.get((name, what), "")) for what in figures]
        if any(stock):
            print("| the stock runtime | " + " | ".join(stock) + " |")
        above += [f"{name}: {what}: {figures[what]} of {NETWORK_LIMITS[name, what]}" for what in figures
                  if figures[what] > NETWORK_LIMITS.get((name, what), figures[what])]  # fmt: skip
    return above


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--berth", type=pathlib.Path, required=True)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--networks", action="store_true")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/firmware")
    arguments = parser.parse_args()
    if missing := image.missing_tools():
        print(f"SKIPPED: not installed: {', '.join(missing)}")
        return 77
    if not (SHARED / "pte/chain").is_dir():
        print(f"SKIPPED: no programs in {SHARED / 'pte'}")
        return 77
    arguments.out.mkdir(parents=True, exist_ok=True)
    above = [] if arguments.networks else show_slopes(arguments.berth, arguments.out)
    above += show_networks(arguments.berth, arguments.out)
    for figure in above:
        print(f"above its limit: {figure}", file=sys.stderr)
    return 1 if arguments.check and above else 0


if __name__ == "__main__":
    sys.exit(main())
