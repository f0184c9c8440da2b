#!/usr/bin/env python3
"""What it costs to load and run a .pte, Berth beside the stock runtime of the executorch wheel, in one table: instructions
under callgrind as slopes over ../shared/pte/chain (a machine's noise does not touch them), bytes of method memory,
times of small networks on one core, and the time of berth inspect on a large file.

  pte.py --berth BERTH --steps PTE_STEPS --large LARGE_PTE [--shared FOLDER] [--folder WORK_FOLDER]

Standard library, valgrind, g++; without the wheel or valgrind it says what it leaves out.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests" / "interop"))
import stock_runtime  # noqa: E402

PHASES = ["open", "need", "load", "execute"]
SIZES = (100, 1000)
REPEATS = 100
INSPECTIONS = 20
LARGER = 15  # times mnv2_025: 15 MB
NETWORKS = ["mlp_relu", "small_cnn", "lstm", "tiny_transformer_block", "mnv2_025"]


def run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stderr}")
    return done


def instructions(program, phase, file, folder):
    """Instructions inside phase_PHASE while `program` loads and runs `file`."""
    done = run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/callgrind.out",
                f"--toggle-collect=phase_{phase}", program, file])  # fmt: skip
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def slopes(program, phases, files, folder):
    """Per phase: instructions for one more instruction of the chain."""
    out = {}
    for phase in phases:
        few, many = (instructions(program, phase, files[size], folder) for size in SIZES)
        out[phase] = (many - few) / (SIZES[1] - SIZES[0])
    return out


def build_stock(folder):
    package = stock_runtime.install(folder)
    program = folder / "stock_steps"
    include = package / "include"
    stock_runtime.run_tool(
        ["g++", "-std=c++17", "-O2", "-w", HERE / "stock_steps.cc", "-o", program, f"-I{include}",
         f"-I{include}/executorch/runtime/core/portable_type/c10", "-DC10_USING_CUSTOM_GENERATED_MACROS",
         "-DET_EVENT_TRACER_ENABLED", f"-L{package}/lib", "-Wl,--no-as-needed",
         *[f"-l{name}" for name in stock_runtime.LIBRARIES], f"-Wl,-rpath,{package.resolve()}/lib"],
        "building stock_steps.cc")  # fmt: skip
    return program


def chain_files(args, kind, replanned):
    files = {}
    for size in SIZES:
        file = args.shared / "pte" / "chain" / f"{kind}_{size}.pte"
        if replanned:
            target = args.folder / file.name
            run([args.berth, "-q", "replan", file, "-o", target])
            file = target
        files[size] = file
    return files


def method_bytes(steps, file):
    return int(run([steps, file]).stdout.split()[0])


def show_instructions(args, stock):
    print("Instructions (callgrind), for one more instruction of a chain of one-float adds")
    print(f"  {'':34} {'open':>7} {'need':>7} {'load':>7} {'in all':>7} {'execute':>8}")
    rows = []
    for kind, what in (("chain", "add, a tensor of its own"), ("chain2t", "add, tensors shared"), ("nop", "empty kernel")):
        for replanned in (False, True):
            cost = slopes(args.steps, PHASES, chain_files(args, kind, replanned), args.folder)
            rows.append((f"berth  {what}", ", proven" if replanned else "", cost))
        if stock:
            cost = slopes(stock, ["open", "load", "execute"], chain_files(args, kind, False), args.folder)
            rows.append((f"stock  {what}", "", {"need": 0, **cost}))
    for name, more, cost in rows:
        total = cost["open"] + cost["need"] + cost["load"]
        print(f"  {name + more:42.42}" + "".join(f"{cost[phase]:>8.0f}" for phase in PHASES[:3])
              + f"{total:>8.0f}{cost['execute']:>9.0f}")  # fmt: skip
    chain, shared = (chain_files(args, kind, True) for kind in ("chain", "chain2t"))
    each = {k: (method_bytes(args.steps, f[SIZES[1]]) - method_bytes(args.steps, f[SIZES[0]])) / (SIZES[1] - SIZES[0])
            for k, f in (("chain", chain), ("chain2t", shared))}  # fmt: skip
    # A tensor is a value as well: both are counted with it.
    print(f"  method memory: {each['chain2t']:.0f} bytes per instruction, {each['chain'] - each['chain2t']:.0f} per tensor"
          " (stock: 64 and 88)\n")  # fmt: skip


def show_times(args, stock):
    print(f"Least microseconds of {REPEATS} on one core, the file as it is; Berth's load is all of it, the stock runtime's is"
          " load_method alone")  # fmt: skip
    print(f"  {'':24} {'load':>10} {'stock':>10} {'execute':>12} {'stock':>12}")
    one_core = ["taskset", "-c", "0"] if shutil.which("taskset") else []
    for name in NETWORKS:
        file = args.shared / "pte" / name / "model.pte"
        given = [word for path in sorted(file.parent.glob("v0_in*.bin")) for word in ("--input", path)]
        load = float(run([*one_core, args.steps, file, REPEATS]).stdout)
        repeated = run([*one_core, args.berth, "run", file, *given, "--repeat", REPEATS, "--json"]).stdout
        execute = json.loads(repeated)["seconds"]["fastest"] * 1e6
        theirs = ["", ""]
        if stock:
            theirs = [f"{float(word):.1f}" for word in run([*one_core, stock, file, REPEATS]).stdout.split()]
        print(f"  {name:24} {load:>10.1f} {theirs[0]:>10} {execute:>12.1f} {theirs[1]:>12}")


def show_inspect(args):
    file = args.folder / "large.pte"
    run([args.large, args.shared / "pte" / "mnv2_025" / "model.pte", file, LARGER])
    print(f"\nLeast milliseconds of {INSPECTIONS}: berth inspect of a file of {file.stat().st_size / 1e6:.1f} MB")
    for name, words in (("text", []), ("JSON", ["--json"])):
        least = float("inf")
        for _ in range(INSPECTIONS):
            begin = time.perf_counter()
            run([args.berth, "inspect", file, *words])
            least = min(least, time.perf_counter() - begin)
        print(f"  {name:24} {least * 1e3:>10.1f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--berth", type=pathlib.Path, required=True)
    parser.add_argument("--steps", type=pathlib.Path, required=True)
    parser.add_argument("--large", type=pathlib.Path, required=True)
    parser.add_argument("--shared", type=pathlib.Path, default=HERE.parent.parent / "shared")
    parser.add_argument("--folder", type=pathlib.Path, default=HERE.parent / "build" / "bench-pte")
    args = parser.parse_args()
    if not (args.shared / "pte" / "chain").is_dir():
        sys.exit(f"SKIPPED: the files of {args.shared / 'pte'} are not here")
    args.folder.mkdir(parents=True, exist_ok=True)
    stock = None
    try:
        stock = build_stock(args.folder)
    except stock_runtime.Unavailable as error:
        print(f"SKIPPED the comparison with the stock runtime: {error}", file=sys.stderr)
    if shutil.which("valgrind"):
        show_instructions(args, stock)
    else:
        print("SKIPPED instructions: valgrind is not installed", file=sys.stderr)
    show_times(args, stock)
    show_inspect(args)


if __name__ == "__main__":
    main()
