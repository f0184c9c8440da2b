#!/usr/bin/env python3
"""A table: how long the float32 models run through our kernels, through the oneDNN backend, through oneDNN called
directly, and in LiteRT's interpreter (XNNPACK), each on one thread. Started by bench/run.sh.

The minimum is the figure: times on a shared machine only ever err upwards.

  float_models.py --berth BERTH [--direct ONEDNN_DIRECT] [--models FOLDER] [--seconds S]
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent


def run(command):
    ran = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {ran.returncode}:\n{ran.stderr}")
    return ran.stdout


def time_berth(berth, model, input_file, seconds, backend):
    """Milliseconds of the fastest run, or None where the build lacks the backend."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "model.pte"
        run([berth, "-q", "compile", model, "-o", out, *backend])
        repeat = 20
        while True:
            report = json.loads(run([berth, "run", out, "--input", input_file, "--repeat", repeat, "--json"]))
            if report["seconds"]["mean"] * repeat > seconds or repeat > 100000:
                return report["seconds"]["fastest"] * 1e3
            repeat *= 4


def time_litert(model, input_file, seconds):
    """The same of LiteRT's interpreter on one thread, or None where it is not installed."""
    try:
        import numpy
        from ai_edge_litert.interpreter import Interpreter
    except ImportError:
        return None
    interpreter = Interpreter(model_path=str(model), num_threads=1)
    interpreter.allocate_tensors()
    (given,) = interpreter.get_input_details()
    interpreter.set_tensor(given["index"], numpy.fromfile(input_file, numpy.float32).reshape(given["shape"]))
    least, begin = 1e9, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        interpreter.invoke()
        least = min(least, time.perf_counter() - start)
    return least * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--berth", required=True, type=pathlib.Path)
    parser.add_argument("--direct", type=pathlib.Path)
    shared = pathlib.Path(os.environ.get("BERTH_SHARED_DIR", HERE.parent.parent / "shared"))
    parser.add_argument("--models", type=pathlib.Path, default=shared / "models" / "f32")
    parser.add_argument("--seconds", type=float, default=2.0)
    options = parser.parse_args()
    models = sorted(options.models.glob("*/model.tflite"))
    if not models:
        print(f"no float32 models in {options.models}")
        return
    has_backend = options.direct is not None and options.direct.exists()
    print("float32 models, ms (one thread)")
    print(f"  {'':<10}{'ours':>9}{'onednn':>9}{'litert':>9}{'of it in':>11}{'called':>10}{'ratio':>8}")
    print(f"  {'':<10}{'':>9}{'':>9}{'':>9}{'delegates':>11}{'directly':>10}")
    for model in models:
        source = model.parent / "input0.bin"
        plain = time_berth(options.berth, model, source, options.seconds, [])
        lite = time_litert(model, source, options.seconds)
        cells = [f"{plain:9.3f}"]
        if has_backend:
            through = time_berth(options.berth, model, source, options.seconds, ["--backend", "onednn"])
            split = json.loads(run([options.direct, model, options.seconds]))
            cells.append(f"{through:9.3f}")
        else:
            cells.append(f"{'-':>9}")
        cells.append(f"{lite:9.3f}" if lite is not None else f"{'-':>9}")
        if has_backend:
            ratio = split["delegates_ms"] / split["direct_ms"]
            cells.append(f"{split['delegates_ms']:11.3f}{split['direct_ms']:10.3f}{ratio:8.2f}")
        print(f"  {model.parent.name:<10}{''.join(cells)}")


if __name__ == "__main__":
    main()
