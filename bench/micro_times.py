#!/usr/bin/env python3
"""Times TensorFlow Lite Micro's reference kernels on models. Run by bench/bench.py in a virtual environment that has the
`tflite-micro` package; prints one JSON line per model: {"model", "min_us", "median_us", "runs"}.

  micro_times.py SECONDS MODEL.tflite...
"""

import json
import statistics
import sys
import time

from tflite_micro.python.tflite_micro import runtime


def times(path, seconds):
    """Seconds of each invoke() for about `seconds`, at least five; inputs stay as the interpreter made them."""
    interpreter = runtime.Interpreter.from_file(path)
    interpreter.invoke()
    taken = []
    end = time.perf_counter() + seconds
    while len(taken) < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        interpreter.invoke()
        taken.append(time.perf_counter() - start)
    return taken


for path in sys.argv[2:]:
    taken = times(path, float(sys.argv[1]))
    print(json.dumps({"model": path, "runs": len(taken), "min_us": min(taken) * 1e6,
                      "median_us": statistics.median(taken) * 1e6}))  # fmt: skip
