#!/usr/bin/env python3
"""Links an image of a .pte for a board, runs it under QEMU, and compares its outputs byte by byte (docs/firmware.md).

    ./dev firmware m.pte --board mps2-an386 [--method NAME] [--input FILE --expect FILE]

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
import traceback

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "firmware"))
import link_script  # noqa: E402
from link_script import NoImage  # noqa: E402

NO_IMAGE = 64
HARD_FAULT = 3
# Of all processors that board files may name. gcc 12 does not know M52 and M85 by name, but their architecture.
FLAGS = {
    "cortex-m0": ["-mcpu=cortex-m0"],
    "cortex-m0plus": ["-mcpu=cortex-m0plus"],
    "cortex-m0+": ["-mcpu=cortex-m0plus"],
    "cortex-m1": ["-mcpu=cortex-m1"],
    "cortex-m3": ["-mcpu=cortex-m3"],
    "cortex-m4": ["-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"],
    "cortex-m7": ["-mcpu=cortex-m7", "-mfpu=fpv5-sp-d16", "-mfloat-abi=hard"],
    "cortex-m23": ["-mcpu=cortex-m23"],
    "cortex-m33": ["-mcpu=cortex-m33", "-mfpu=fpv5-sp-d16", "-mfloat-abi=hard"],
    "cortex-m35p": ["-mcpu=cortex-m35p", "-mfpu=fpv5-sp-d16", "-mfloat-abi=hard"],
    "cortex-m52": ["-march=armv8.1-m.main+mve.fp+fp.dp", "-mfloat-abi=hard"],
    "cortex-m55": ["-mcpu=cortex-m55", "-mfloat-abi=hard"],
    "cortex-m85": ["-march=armv8.1-m.main+mve.fp+fp.dp", "-mfloat-abi=hard"],
}
LANGUAGE = ["-std=c++17", "-DNDEBUG", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-ffunction-sections",
            "-fdata-sections", "-Wall", "-Wextra"]  # fmt: skip
TOOLS = ["arm-none-eabi-g++", "qemu-system-arm", "cmake", "ninja"]
# Kernels for tests of what a bad image ends with; "emulator" is no kernel. They stand in image.cc, below its memory.
INJECTED = {
    "emulator": "",
    "refuse": "return Status::kKernelFailed;",
    "fault": "__builtin_trap();",
    "hang": "for (;;) asm volatile(\"\");",
    "input": "args.tensor(0).as_mutable<uint8_t>()[0] ^= 1;",
    "beside_scratch": "for (uint32_t i = 0; i < args.count(); ++i) "
    "if (kSchema->args[i] == 'X') args.tensor(i).as_mutable<uint8_t>()[args.tensor(i).capacity] ^= 1;",
    "beside_pool": "const_cast<uint8_t*>(kPools[0].bytes.end())[0] = 0;",
    "method_memory": "method_memory.bytes[sizeof(method_memory.bytes) - 1] ^= 1;",
    "beside_method_memory": "method_memory.after[0] = 0;",
}


def missing_tools():
    return [tool for tool in TOOLS if shutil.which(tool) is None]


def run(command, what):
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace")
    except OSError as reason:
        raise NoImage(f"{what}: {reason}") from reason
    if done.returncode != 0:
        raise NoImage(f"{what}: {(done.stdout + done.stderr).strip().removeprefix('error: ')}")
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


def describe(berth, pte, name=None):
    """What `berth inspect` says of a method: the one of that name, else `forward`, as for `berth run`, or the only one."""
    methods = {m["name"]: m for m in json.loads(run([berth, "inspect", pte, "--json"], "berth inspect"))["methods"]}
    if name is None:
        name = next(iter(methods)) if len(methods) == 1 else "forward"
    if name not in methods:
        raise NoImage(f"{pte}: has no method {name}; --method is one of {', '.join(methods) or 'none'}")
    return methods[name]


def read_board(berth, name, out):
    """A board that berth takes, too: it looks at a file's every key and value while it compiles a model of one operator."""
    if name.endswith(".toml"):
        out.mkdir(parents=True, exist_ok=True)
        tiny = out / "board_check.bir"
        tiny.write_text("berth.ir 1\ngraph forward {\n  input %x : i8[1]\n  %y : i8[1] = aten::clamp.out(%x, 0, 6)\n  output %y\n}\n")
        run([berth, "-q", "compile", tiny, "--board", name, "-o", tiny.with_suffix(".pte")], "--board")
    return link_script.read_board(name)


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


def count_cases(method, inputs, answers):
    """How many cases two files hold."""
    need_in, need_out = (sum(port["bytes"] for port in method[what]) for what in ("inputs", "outputs"))
    have_in, have_out = (path.stat().st_size for path in (inputs, answers))
    if need_out == 0:
        raise NoImage(f"method {method['name']} has no output to compare")
    cases = have_out // need_out
    if cases == 0 or have_out != cases * need_out:
        raise NoImage(f"{answers}: has {have_out} bytes, needs {need_out} for each case")
    if have_in != cases * need_in:
        raise NoImage(f"{inputs}: has {have_in} bytes, needs {need_in} for each case, {cases * need_in} for the {cases} of {answers}")
    return cases


def make_case(berth, pte, method, folder):
    """An input of noise and the host's answer to it."""
    noise = random.Random(1)
    for port in method["inputs"]:
        if port["dtype"] not in ("i8", "u8", "i16"):
            raise NoImage(f"noise of {port['dtype']} means little; give --input and --expect")
    inputs, answers = folder / "input.bin", folder / "answer.bin"
    inputs.write_bytes(b"".join(noise.randbytes(port["bytes"]) for port in method["inputs"]))
    parts = [folder / f"answer{i}.bin" for i in range(len(method["outputs"]))]
    if not method["inputs"]:
        raise NoImage("the method has no input that could be noise; give --input and --expect")
    run([berth, "run", pte, "--method", method["name"], "--input", inputs, *(word for part in parts for word in ("--output", part))], "berth run")
    answers.write_bytes(b"".join(part.read_bytes() for part in parts))
    return inputs, answers


def injected_kernels(method, body):
    names = sorted({tuple(i["name"].rsplit(".", 1)) for i in method["instructions"] if i["kind"] == "kernel"})
    schemas = [f'find_operator("{name}", "{overload}")' for name, overload in names]
    rows = ", ".join(f"{{{schema}, misbehave<{schema}>}}" for schema in schemas)
    return (f"template <const OperatorSchema* kSchema> Status misbehave(KernelContext&, [[maybe_unused]] const Args& args) {{ {body} return Status::kOk; }}\n"
            f"constexpr SelectedKernels<{len(names)}> kSelected = {{{{{rows}}}}};\n")  # fmt: skip


def c_string(text):
    return '"' + "".join(chr(c) if chr(c).isalnum() and c < 128 or c == 95 else f"\\{c:03o}" for c in text.encode()) + '"'


def link_image(berth, pte, board, method, inputs, answers, folder, libraries, limit, inject=None):
    """An ELF file in `folder`."""
    cases = count_cases(method, inputs, answers)
    generated = folder / "firmware"
    generated.mkdir(parents=True, exist_ok=True)
    model = folder / "image.pte"  # its name gives the macros' prefix
    shutil.copyfile(pte, model)
    run([berth, "inspect", model, "--method", method["name"], "--header", generated / "image_memory.h"], "berth inspect")
    defines = [f"-DBERTH_INSTRUCTION_LIMIT={limit}", f"-DBERTH_IMAGE_CASES={cases}",
               f"-DBERTH_IMAGE_METHOD={c_string(method['name'])}"]  # fmt: skip
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


def make_and_run(berth, pte, board_name, out, inputs=None, answers=None, limit=20_000_000_000, inject=None, name=None,
                 method_name=None):  # fmt: skip
    """Everything: (exit code, text). `out` holds libraries per processor, and a folder per board and name."""
    board = read_board(berth, board_name, out)
    method = describe(berth, pte, method_name)
    check_board(method, board)
    folder = out / board["name"] / (name or pathlib.Path(pte).stem)
    folder.mkdir(parents=True, exist_ok=True)
    if inputs is None:
        inputs, answers = make_case(berth, pte, method, folder)
    portable = any(not i["name"].startswith(("cortex_m::", "berth::")) for i in method["instructions"] if i["kind"] == "kernel")
    libraries = build_libraries(board, out, portable)
    elf = link_image(berth, pte, board, method, inputs, answers, folder, libraries, limit, inject)
    return run_image(elf, board)


class Parser(argparse.ArgumentParser):
    """Whose errors end with a code that no image ends with."""

    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(NO_IMAGE, f"{self.prog}: error: {message}\n")


def main():
    parser = Parser(prog="./dev firmware", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pte", type=pathlib.Path, help="compiled for the board")
    parser.add_argument("--board", required=True, help="a name of boards/, or a .toml file")
    parser.add_argument("--method", help="which method; forward, or the only one, when left out")
    parser.add_argument("--input", type=pathlib.Path, help="bytes of the inputs, case after case")
    parser.add_argument("--expect", type=pathlib.Path, help="bytes of the outputs, case after case")
    parser.add_argument("--instructions", type=int, default=20_000_000_000, help="a run of more is a hang")
    parser.add_argument("--inject", choices=sorted(INJECTED), help="for tests: kernels that misbehave")
    parser.add_argument("--berth", type=pathlib.Path, default=ROOT / "build/release/berth")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/firmware", help="where images are built")
    arguments = parser.parse_args()
    if (arguments.input is None) != (arguments.expect is None):
        parser.error("--input and --expect come together")
    if not 1 <= arguments.instructions < 1 << 53:
        parser.error(f"--instructions is {arguments.instructions}; it is a number from 1 to {(1 << 53) - 1}")
    if missing := missing_tools():
        print(f"error: not installed: {', '.join(missing)}", file=sys.stderr)
        return NO_IMAGE
    try:
        code, text = make_and_run(arguments.berth, arguments.pte, arguments.board, arguments.out, arguments.input,
                                  arguments.expect, arguments.instructions, arguments.inject,
                                  method_name=arguments.method)  # fmt: skip
    except (NoImage, OSError) as reason:
        print(f"error: {reason}", file=sys.stderr)
        return NO_IMAGE
    except Exception:  # a bug of ours; Python's own code for it would be "a wrong result"
        traceback.print_exc()
        return NO_IMAGE
    print(text, end="")
    return code


if __name__ == "__main__":
    sys.exit(main())
