#!/usr/bin/env python3
"""Debian's clang as a second compiler for the int8 kernels on Cortex-M: no warning, and inline assembly it finds registers for.

  tests/clang_arm_test.py ROOT FOLDER

Nothing is linked: the images are gcc's. The C++ library's headers are those of arm-none-eabi-gcc.
"""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

CORES = (
    ("thumbv7m-none-eabi", "cortex-m3", "soft"),
    ("thumbv7em-none-eabi", "cortex-m4", "hard"),
    ("thumbv8.1m.main-none-eabi", "cortex-m55", "hard"),
)
HEADERS = pathlib.Path("/usr/lib/arm-none-eabi/include")


def main():
    root, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    clang = next((name for name in ("clang++-14", "clang++") if shutil.which(name)), None)
    library = sorted((HEADERS / "c++").glob("*"))
    if clang is None or not library:
        print("SKIPPED: no clang++, or no C++ headers of arm-none-eabi")
        return 77
    out.mkdir(parents=True, exist_ok=True)
    includes = [word for path in (library[-1], library[-1] / "arm-none-eabi", HEADERS) for word in ("-isystem", str(path))]
    sources = [path for path in sorted((root / "runtime/kernels/cortex_m").glob("*.cc")) if not path.name.endswith("_test.cc")]
    if not sources:
        print("no sources found")
        return 1

    def compile_one(core, path):
        target, cpu, floats = core
        command = [clang, f"--target={target}", f"-mcpu={cpu}", f"-mfloat-abi={floats}", "-std=c++17", "-O2", "-DNDEBUG", "-fno-exceptions",
                   "-fno-rtti", "-Wall", "-Wextra", "-Werror", "-Wno-pass-failed", *includes, f"-I{root}", "-c", str(path),
                   "-o", str(out / f"{path.stem}-{cpu}.o")]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True)
        return "" if done.returncode == 0 else f"{cpu} {path.name}:\n{done.stderr}"

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [text for text in pool.map(lambda pair: compile_one(*pair), [(c, s) for c in CORES for s in sources]) if text]
    print("".join(wrong), end="")
    print(f"{clang}: {len(sources)} files for {len(CORES)} processors, {len(wrong)} refused")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
