#!/usr/bin/env python3
"""Two tables: how long berth takes to compile each model, and how long the compiled model runs beside TensorFlow Lite
Micro's reference kernels (same machine, same minute, one thread). Started by bench/run.sh.

Times on a shared machine only ever err upwards, so the minimum is the figure; median or mean say how noisy the day was.

  bench.py --berth BERTH [--models FOLDER] [--runs N] [--seconds S] [--json FILE] [NAME...]
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
MODELS = ["kws", "vww", "resnet8", "ad01", "hello_world", "micro_speech", "mobilenet_v2"]
STAGE = re.compile(r"^time: (.*?)\s+([0-9.]+) ms", re.MULTILINE)


def stages(text):
    """The `time:` lines of berth as {stage: milliseconds}."""
    return {name: float(ms) for name, ms in STAGE.findall(text)}


def run(command):
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {ran.returncode}:\n{ran.stderr}")
    return ran.stdout + ran.stderr


def time_compile(berth, model, out, runs):
    """Milliseconds of the whole process, and of planning as berth itself counts it: lists of `runs`."""
    whole, planning = [], []
    for _ in range(runs):
        start = time.perf_counter()
        text = run([berth, "-q", "compile", model, "-o", out, "--time"])
        whole.append((time.perf_counter() - start) * 1e3)
        found = [ms for stage, ms in stages(text).items() if stage.split()[0] == "plan"]
        if not found:
            sys.exit(f"berth compile --time names no stage `plan`:\n{text}")
        planning.append(sum(found))
    return whole, planning


def time_run(berth, file, input_file, seconds):
    """Milliseconds of one run, inputs copied in: (min, mean)."""
    repeat = 3
    while True:
        text = run([berth, "run", file, "--input", input_file, "--repeat", str(repeat), "--json"])
        seconds_of = json.loads(text)["seconds"]
        least, mean = seconds_of["fastest"] * 1e3, seconds_of["mean"] * 1e3
        wanted = max(5, min(100000, int(seconds * 1e3 / max(mean, 1e-4))))
        if repeat >= wanted // 2:
            return least, mean
        repeat = wanted


def time_micro(model, input_file, seconds):
    """(min, mean) in milliseconds from TensorFlow Lite Micro, or None where it is not installed."""
    try:
        import tflite_micro  # noqa: F401
    except ImportError:
        return None
    out = run([sys.executable, HERE / "micro_times.py", str(seconds), model, input_file])
    row = next(json.loads(line) for line in out.splitlines() if line.startswith("{"))
    return row["min_us"] / 1e3, row["mean_us"] / 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--berth", required=True, type=pathlib.Path)
    shared = os.environ.get("BERTH_SHARED_DIR", HERE.parent.parent / "shared")
    parser.add_argument("--models", type=pathlib.Path, default=pathlib.Path(shared) / "models")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()

    models = {"digits": HERE.parent / "examples" / "digits" / "digits.tflite"}
    models |= {name: arguments.models / name / "model.tflite" for name in MODELS}
    models = {k: v for k, v in models.items() if not arguments.names or k in arguments.names}
    missing = [str(path) for path in models.values() if not path.is_file()]
    if missing:
        print(f"bench: SKIPPED, models that are not here: {', '.join(missing)}", file=sys.stderr)
    models = {k: v for k, v in models.items() if v.is_file()}

    results = {}
    with tempfile.TemporaryDirectory() as scratch:
        print(f"compile, ms, {arguments.runs} runs      whole min    median    planning min")
        for name, model in models.items():
            file = pathlib.Path(scratch) / f"{name}.pte"
            whole, planning = time_compile(arguments.berth, model, file, arguments.runs)
            results[name] = {"compile_ms": min(whole), "compile_median_ms": statistics.median(whole),
                             "planning_ms": min(planning)}  # fmt: skip
            print(f"  {name:<26} {min(whole):9.2f} {statistics.median(whole):9.2f}       {min(planning):9.3f}")
        print("\nrun, ms, one thread        berth min      mean   reference min      mean    faster")
        for name, model in models.items():
            input_file = model.parent / "input0.bin"
            if name == "digits":
                input_file = pathlib.Path(scratch) / "digit.bin"
                input_file.write_bytes((model.parent / "heldout.bin").read_bytes()[:64])
            file = pathlib.Path(scratch) / f"{name}.pte"
            least, mean = time_run(arguments.berth, file, input_file, arguments.seconds)
            results[name] |= {"run_ms": least, "run_mean_ms": mean}
            row = f"  {name:<24} {least:11.4f} {mean:9.4f}"
            micro = time_micro(model, input_file, arguments.seconds)
            if micro is None:
                row += "   SKIPPED: no tflite-micro here"
            else:
                reference, reference_mean = micro
                results[name] |= {"reference_ms": reference, "reference_mean_ms": reference_mean}
                row += f"     {reference:11.4f} {reference_mean:9.4f} {reference / least:8.1f}x"
            print(row, flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
