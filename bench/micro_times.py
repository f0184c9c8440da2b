#!/usr/bin/env python3
"""Times TensorFlow Lite Micro's reference kernels on one model. Run by bench/bench.py with the `tflite-micro` package;
prints one JSON line: {"runs", "min_us", "mean_us"}.

  micro_times.py SECONDS MODEL.tflite INPUT.bin
"""

import json
import statistics
import sys
import time

import numpy as np
from tflite_micro.python.tflite_micro import runtime


def main():
    seconds, model, input_file = float(sys.argv[1]), sys.argv[2], sys.argv[3]
    interpreter = runtime.Interpreter.from_file(model)
    details = interpreter.get_input_details(0)
    data = np.fromfile(input_file, dtype=details["dtype"])
    interpreter.set_input(data.reshape(details["shape"]), 0)
    interpreter.invoke()
    taken = []
    end = time.perf_counter() + seconds
    while len(taken) < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        interpreter.invoke()
        taken.append(time.perf_counter() - start)
    print(json.dumps({"runs": len(taken), "min_us": min(taken) * 1e6, "mean_us": statistics.fmean(taken) * 1e6}))


if __name__ == "__main__":
    main()
