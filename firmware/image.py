#!/usr/bin/env python3
"""Links an image of a .pte for a board, runs it under QEMU, and compares its outputs byte by byte (docs/firmware.md).

    ./dev firmware m.pte --board mps2-an386 [--input FILE --expect FILE]

--input and --expect hold the bytes of one or several cases, one after the other. Without them one case of noise is
run, and what `berth run` gives for it is expected. Ends with the image's exit code: 0 right, 1 wrong result, 2 load
status, 3 hard fault, 4 hang, 5 run status, 6 the emulator fails its own test, 7 memory; and 64 when no image came to
be or the emulator itself failed.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "firmware"))
import link_script  # noqa: E402

NO_IMAGE = 64
HARD_FAULT = 3
FLAGS = {
    "cortex-m0": ["-mcpu=cortex-m0"],
    "cortex-m3": ["-mcpu=cortex-m3"],
    "cortex-m4": ["-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"],
    "cortex-m7": ["-mcpu=cortex-m7", "-mfpu=fpv5-sp-d16", "-mfloat-abi=hard"],
    "cortex-m55": ["-mcpu=cortex-m55", "-mfloat-abi=hard"],
}
LANGUAGE = ["-std=c++17", "-DNDEBUG", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-ffunction-sections",
            "-fdata-sections", "-Wall", "-Wextra"]  # fmt: skip
TOOLS = ["arm-none-eabi-g++", "qemu-system-arm", "cmake", "ninja"]
# Kernels for tests of what a bad image ends with; "emulator" is no kernel.
INJECTED = {
    "emulator": "",
    "refuse": "return Status::kKernelFailed;",
    "fault": "__builtin_trap();",
    "hang": "for (;;) asm volatile(\"\");",
    "stray": "args.tensor(0).as_mutable<uint8_t>()[0] ^= 1;",  # an input's byte
}


class NoImage(Exception):
    """Why there is no image to run."""


def missing_tools():
    return [tool for tool in TOOLS if shutil.which(tool) is None]


def run(command, what):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise NoImage(f"{what}: {done.stdout}{done.stderr}".strip())
    return done.stdout


def flags_of(board):
    if board["cpu"] not in FLAGS:
        raise NoImage(f"board {board['name']}: no compiler flags for {board['cpu']}; known are {', '.join(FLAGS)}")
    return [*FLAGS[board["cpu"]], "-mthumb"]


def build_libraries(board, out, portable, build=None):
    """The runtime, its kernels and what images share, for the board's processor: a folder with static libraries. An image is a
    test, so that kernels check that scratch has exactly their size. `build`: (name, optimisation, definitions) of one that
    is not as images have it."""
    folder = out / board["cpu"]
    kind = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG", "-DBERTH_RUNTIME_CHECKS=ON"]
    flags = " ".join(flags_of(board) + ["-ffunction-sections", "-fdata-sections"])
    if build:
        name, optimize, definitions = build
        folder = out / f"{board['cpu']}-{name}"
        flags += "".join(f" -D{definition}" for definition in definitions)
        # No build type that kernels ask more of than this.
        kind = ["-DCMAKE_BUILD_TYPE=MinSizeRel", f"-DCMAKE_CXX_FLAGS_MINSIZEREL={optimize} -DNDEBUG"]
    if not (folder / "build.ninja").is_file():
        launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        run(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", f"--toolchain={ROOT}/cmake/arm_none_eabi.cmake",
             *kind, f"-DCMAKE_CXX_FLAGS={flags}", f"-DCMAKE_C_FLAGS={flags}", "-DBERTH_BUILD_TESTS=OFF", *launcher],
            "cmake")  # fmt: skip
    targets = ["berth_firmware", "berth_runtime_exec", "berth_runtime_kernels_cortex_m", "berth_runtime_kernels_berth",
               "berth_runtime_c"]
    if portable:
        targets.append("berth_runtime_kernels_portable")
    run(["ninja", "--quiet", "-C", folder, *targets], "building the runtime")
    return sorted(folder.rglob("lib*.a"))


def describe(berth, pte):
    methods = json.loads(run([berth, "inspect", pte, "--json"], "berth inspect"))["methods"]
    if not methods:
        raise NoImage(f"{pte}: has no method")
    return methods[0]


def check_board(method, board):
    if method["delegates"]:
        raise NoImage("delegates need a backend on the board; images here have none")
    ports = method["inputs"] + method["outputs"]
    if any(port["kind"] != "tensor" for port in ports):
        raise NoImage("inputs and outputs that are no tensors are not fed to an image")
    names = {link_script.c_name(pool["name"]) for pool in board["pool"]}
    for pool in method["pools"]:
        if link_script.c_name(pool["name"]) not in names:
            raise NoImage(f"the file is planned for a pool {pool['name']}, which board {board['name']} has not; "
                          f"compile or replan it with --board {board['name']}")  # fmt: skip


def make_case(berth, pte, method, folder):
    """An input of noise and the host's answer to it."""
    noise = random.Random(1)
    for port in method["inputs"]:
        if port["dtype"] not in ("i8", "u8", "i16"):
            raise NoImage(f"noise of {port['dtype']} means little; give --input and --expect")
    inputs, answers = folder / "input.bin", folder / "answer.bin"
    inputs.write_bytes(b"".join(noise.randbytes(port["bytes"]) for port in method["inputs"]))
    parts = [folder / f"answer{i}.bin" for i in range(len(method["outputs"]))]
    run([berth, "run", pte, "--input", inputs, *(word for part in parts for word in ("--output", part))], "berth run")
    answers.write_bytes(b"".join(part.read_bytes() for part in parts))
    return inputs, answers


def injected_kernels(method, body):
    names = sorted({tuple(i["name"].rsplit(".", 1)) for i in method["instructions"] if i["kind"] == "kernel"})
    rows = ", ".join(f'{{find_operator("{name}", "{overload}"), misbehave}}' for name, overload in names)
    return (f"Status misbehave(KernelContext&, [[maybe_unused]] const Args& args) {{ {body} return Status::kOk; }}\n"
            f"constexpr SelectedKernels<{len(names)}> kSelected = {{{{{rows}}}}};\n")  # fmt: skip


def link_image(berth, pte, board, inputs, answers, folder, libraries, limit, inject=None, method=None):
    """An ELF file in `folder`."""
    generated = folder / "firmware"
    generated.mkdir(parents=True, exist_ok=True)
    model = folder / "image.pte"  # its name gives the macros' prefix
    shutil.copyfile(pte, model)
    run([berth, "inspect", model, "--header", generated / "image_memory.h"], "berth inspect")
    defines = [f"-DBERTH_INSTRUCTION_LIMIT={limit}"]
    if inject == "emulator":
        defines.append('-DBERTH_IMAGE_EMULATOR_FAULT="the answer of a test"')
    elif inject:
        (folder / "injected.h").write_text("#define BERTH_IMAGE_KERNELS " +
                                           injected_kernels(method, INJECTED[inject]).replace("\n", " ") + "\n")  # fmt: skip
        defines += ["-include", folder / "injected.h"]
    return link(board, ROOT / "firmware/image.cc", [image_data(folder, model, inputs, answers)], folder, libraries, defines)


def image_data(folder, model, inputs, answers):
    """An assembler file in `folder` that brings the three files: MODEL_BEGIN, MODEL_END and so on."""
    data = "\t.syntax unified\n"
    for section, symbol, path in (("model", "MODEL", model), ("cases", "INPUTS", inputs), ("cases", "ANSWERS", answers)):
        data += (f'\t.section .{section}, "a"\n\t.balign 16\n\t.global {symbol}_BEGIN, {symbol}_END\n{symbol}_BEGIN:\n'
                 f'\t.incbin "{os.path.abspath(path)}"\n{symbol}_END:\n')  # fmt: skip
    (folder / "image_data.s").write_text(data)
    return folder / "image_data.s"


def link(board, program, more, folder, libraries, options, optimize="-O2"):
    """An ELF file in `folder` of a program with a run_image()."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "image.ld").write_text(link_script.link_script(board))
    elf = folder / "image.elf"
    run(["arm-none-eabi-g++", *flags_of(board), optimize, *LANGUAGE, f"-I{ROOT}", f"-I{folder}", *options, program, *more,
         "-nostartfiles", "-T", folder / "image.ld", "-Wl,--gc-sections", "-Wl,--no-warn-rwx-segments",
         f"-Wl,-Map={folder}/image.map", "-Wl,--start-group", *libraries, "-lc", "-lgcc", "-Wl,--end-group", "-o", elf],
        "linking the image")  # fmt: skip
    return elf


def run_image(elf, board):
    """(exit code, what it printed). The image ends itself by its count of instructions; the minutes are for an emulator
    that does not."""
    command = ["qemu-system-arm", "-M", board["name"], "-icount", "shift=0", "-nographic", "-monitor", "none", "-serial", "null",
               "-semihosting-config", "enable=on,target=native", "-kernel", str(elf)]  # fmt: skip
    if board["name"] == "microbit":  # the one machine that has as much memory as it is told; tests want more than is real
        for memory, size in (("ram", "sram-size"), ("flash", "flash-size")):
            command += ["-global", f"nrf51-soc.{size}={link_script.memories(board)[memory][1]}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=1800)
    except subprocess.TimeoutExpired as late:
        raise NoImage("the emulator did not come back within 30 minutes") from late
    text = done.stdout + done.stderr
    if "Lockup" in text:  # a fault within the fault handler
        return HARD_FAULT, text
    if done.returncode < 0 or "qemu-system-arm:" in text:
        raise NoImage(f"the emulator failed: {text}")
    return done.returncode, text


def make_and_run(berth, pte, board_name, out, inputs=None, answers=None, limit=20_000_000_000, inject=None, name=None):
    """Everything: (exit code, text). `out` holds libraries per processor, and a folder per board and name."""
    board = link_script.read_board(board_name)
    method = describe(berth, pte)
    check_board(method, board)
    folder = out / board["name"] / (name or pathlib.Path(pte).stem)
    folder.mkdir(parents=True, exist_ok=True)
    if inputs is None:
        inputs, answers = make_case(berth, pte, method, folder)
    portable = any(not i["name"].startswith(("cortex_m::", "berth::")) for i in method["instructions"] if i["kind"] == "kernel")
    libraries = build_libraries(board, out, portable)
    elf = link_image(berth, pte, board, inputs, answers, folder, libraries, limit, inject, method)
    return run_image(elf, board)


def main():
    parser = argparse.ArgumentParser(prog="./dev firmware", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pte", type=pathlib.Path, help="compiled for the board")
    parser.add_argument("--board", required=True, help="a name of boards/, or a .toml file")
    parser.add_argument("--input", type=pathlib.Path, help="bytes of the inputs, case after case")
    parser.add_argument("--expect", type=pathlib.Path, help="bytes of the outputs, case after case")
    parser.add_argument("--instructions", type=int, default=20_000_000_000, help="a run of more is a hang")
    parser.add_argument("--inject", choices=sorted(INJECTED), help="for tests: kernels that misbehave")
    parser.add_argument("--berth", type=pathlib.Path, default=ROOT / "build/release/berth")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/firmware", help="where images are built")
    arguments = parser.parse_args()
    if (arguments.input is None) != (arguments.expect is None):
        parser.error("--input and --expect come together")
    if missing := missing_tools():
        print(f"error: not installed: {', '.join(missing)}", file=sys.stderr)
        return NO_IMAGE
    try:
        code, text = make_and_run(arguments.berth, arguments.pte, arguments.board, arguments.out, arguments.input,
                                  arguments.expect, arguments.instructions, arguments.inject)  # fmt: skip
    except NoImage as reason:
        print(f"error: {reason}", file=sys.stderr)
        return NO_IMAGE
    print(text, end="")
    return code


if __name__ == "__main__":
    sys.exit(main())
