#!/usr/bin/env python3
"""Debian's clang as a second compiler of the kernels for Cortex-M: it takes them, without a warning, for all three
instruction sets, and what it makes of them gives the reference's bytes on random layers on the emulated boards.

    tests/clang_arm_test.py ROOT BUILD

BUILD holds the libraries of tests/firmware_test.py; what else the image needs is gcc's. Skips, and says so, without clang, the
C++ headers of gcc-arm-none-eabi or the emulator (exit 77).
"""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

ROOT, BUILD = (pathlib.Path(a) for a in sys.argv[1:3])
sys.path.insert(0, str(ROOT / "firmware"))
import image  # noqa: E402

TARGETS = {"mps2-an385": "thumbv7m-none-eabi", "mps2-an386": "thumbv7em-none-eabi", "mps3-an547": "thumbv8.1m.main-none-eabi"}
HEADERS = pathlib.Path("/usr/lib/arm-none-eabi/include")
# The image; its own parts too, because clang's uint32_t has another mangled name than newlib's for gcc.
IMAGE = [ROOT / f"firmware/{name}.cc" for name in (
    "int8_layers_test", "emulator_test", "instruction_count", "semihosting", "stack_paint", "startup")]  # fmt: skip
DEFINES = ["-DBERTH_INSTRUCTION_LIMIT=20000000000", "-DBERTH_ROUNDS=100"]


def main():
    clang = next((name for name in ("clang++-14", "clang++") if shutil.which(name)), None)
    library = sorted((HEADERS / "c++").glob("*"))
    if clang is None or not library:
        print("SKIPPED: no clang++, or no C++ headers of arm-none-eabi")
        return 77
    if missing := image.missing_tools():
        print(f"SKIPPED: not installed: {', '.join(missing)}")
        return 77
    includes = [word for path in (library[-1], library[-1] / "arm-none-eabi", HEADERS) for word in ("-isystem", str(path))]
    kernels = ROOT / "runtime/kernels"
    sources = [path for folder in (kernels, kernels / "cortex_m") for path in sorted(folder.glob("*.cc"))
               if not path.name.endswith("_test.cc")]  # fmt: skip
    boards = {name: image.link_script.read_board(name) for name in TARGETS}

    def compile_one(pair):
        """(board, object file, what clang said against it)"""
        board, path = pair
        folder = BUILD / board / "clang"
        folder.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [clang, f"--target={TARGETS[board]}", *image.flags_of(boards[board]), "-O2", "-fshort-enums", *image.LANGUAGE, "-Werror",
             "-Wno-pass-failed", *includes, f"-I{ROOT}", *DEFINES, "-c", str(path), "-o", str(folder / f"{path.stem}.o")],
            capture_output=True, text=True)  # fmt: skip
        return board, folder / f"{path.stem}.o", "" if done.returncode == 0 else f"{board} {path.name}:\n{done.stderr}"

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        made = list(pool.map(compile_one, [(board, path) for board in boards for path in (*IMAGE, *sources)]))
    if wrong := [text for _, _, text in made if text]:
        print("".join(wrong), end="")
        return 1
    for name, board in boards.items():
        objects = [path for of, path, _ in made if of == name]
        elf = image.link(board, objects[0], objects[1:], BUILD / name / "clang", image.build_libraries(board, BUILD, False), [])
        code, text = image.run_image(elf, board)
        print(f"{clang}, {name}: {len(objects)} files; {text}", end="")
        if code != 0:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
