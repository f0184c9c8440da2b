#!/usr/bin/env python3
"""Bytes of an image with a model, part by part, as the linker laid it out: Cortex-M4 and M55, -Os, only the kernels that
the model needs.

    python3 bench/size_by_part.py --berth build/release/berth [MODEL.tflite | FILE.pte]... [--out build/firmware]

The method's memory and its pools are not counted: `berth compile` reports them. Without files: the digits of examples/, and kws where ../shared has it. Tracing has no part of its own: a tracer is the
caller's, and what asks for one are two comparisons in execute(). Skips (77) without the cross-compiler.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "firmware"), str(ROOT / "bench")]
import device  # noqa: E402
import image  # noqa: E402

COLUMNS = (".text", ".rodata", ".data", ".bss")
# The first pattern that an input section's place matches gives its part.
PARTS = (
    (r"certificate", "plan check"),
    (r"delegates|external_data", "delegates, external data"),
    (r"berth_runtime_(load|exec)", "core"),
    (r"op_(prim_numbers|et_\w+)\.", "prim operators"),
    (r"berth_runtime_kernels\w*\.a\(op_(\w+)\.", "kernel"),
    (r"berth_runtime_kernels", "kernels, shared"),
    (r"image_data|\.model|\.cases", "model"),
    (r"berth_firmware|image\.elf|\.o$|device_cost", "start-up, main"),
    (r"", "C library"),
)


def part_of(section, place):
    if section in (".model", ".cases"):
        return "model" if section == ".model" else None
    for pattern, part in PARTS:
        if found := re.search(pattern, place):
            return f"kernel {found.group(1)}" if part == "kernel" else part
    return None


def read_map(path):
    """{part: {column: bytes}} of the linker's map."""
    parts, column, section = {}, None, None
    text = path.read_text().split("Linker script and memory map", 1)[1]
    text = re.sub(r"\n (\.\S+|\*\S+|COMMON)\n +0x", r"\n \1 0x", text)  # long names stand on a line of their own
    for line in text.splitlines():
        if found := re.match(r"(\.\w+)", line):
            section = found.group(1)
            column = {".vectors": ".rodata", ".model": ".rodata", ".text": ".text", ".rodata": ".rodata", ".data": ".data",
                      ".bss": ".bss"}.get(section)  # fmt: skip
        found = re.match(r" (\.\S+|COMMON) +0x[0-9a-f]+ +0x([0-9a-f]+) (\S.*)", line)
        if not found or column is None or re.search("method_memory|4poolE", found.group(1)):  # as large as the report says
            continue
        row = parts.setdefault(part_of(section, found.group(3)), dict.fromkeys(COLUMNS, 0))
        row[column] += int(found.group(2), 16)
    parts.pop(None, None)
    return parts


def compiled(berth, path, board, out):
    if path.suffix == ".pte":
        return path
    pte = out / board / "pte" / f"{path.parent.name}-size.pte"
    pte.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([berth, "-q", "compile", path, "-o", pte, "--board", board], check=True)
    return pte


def show(berth, path, core, out):
    pte = compiled(berth, path, device.CORES[core], out)
    operators = sorted({i["name"] for i in image.describe(berth, pte)["instructions"] if i["kind"] == "kernel"})
    kernels = ", ".join('{"%s", "%s"}' % tuple(operator.rsplit(".", 1)) for operator in operators)
    elf = device.link_cost(core, pte, kernels, device.SMALL, out, options=["BERTH_COST_MINIMAL"])
    parts = read_map(elf.with_suffix(".map"))
    print(f"{path.parent.name}/{path.name}, Cortex-{core}, {len(operators)} operators")
    print(f"  {'':36}" + "".join(f"{column:>9}" for column in COLUMNS))
    order = ["core", "plan check", "delegates, external data", "prim operators"]
    order += sorted(part for part in parts if part.startswith("kernel ")) + ["kernels, shared", "C library", "start-up, main", "model"]
    for part in order:
        if part in parts:
            print(f"  {part:36}" + "".join(f"{parts[part][column]:>9}" for column in COLUMNS))
    print("", flush=True)
    return parts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=pathlib.Path, nargs="*")
    parser.add_argument("--berth", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/firmware")
    arguments = parser.parse_args()
    if missing := image.missing_tools():
        print(f"SKIPPED: not installed: {', '.join(missing)}")
        return 77
    files = arguments.files or [ROOT / "examples/digits/digits.tflite"]
    kws = device.SHARED / "models/kws/model.tflite"
    if not arguments.files and kws.is_file():
        files.append(kws)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for core in device.CORES:
        for path in files:
            show(arguments.berth, path, core, arguments.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
