"""Arguments for stock_runner and the comparison of what it answers, with values as ../shared/pte/*/case.json has them:
{"kind": "tensor", "dtype", "shape", "dim_order", "file"} or {"kind", "value"}. Standard library only."""

import math
import struct

# Name: (number in ScalarType, struct code)
DTYPES = {
    "uint8": (0, "B"), "int8": (1, "b"), "int16": (2, "h"), "int32": (3, "i"), "int64": (4, "q"), "float16": (5, "e"),
    "float32": (6, "f"), "float64": (7, "d"), "bool": (11, "?"), "bfloat16": (15, "H"), "uint16": (27, "H"),
    "uint32": (28, "I"), "uint64": (29, "Q"),
}  # fmt: skip
FLOATS = {"float16", "float32", "float64", "bfloat16"}


def numbers(items):
    return ",".join(map(str, items)) or "-"


def argument(value, folder):
    if value["kind"] == "tensor":
        where = folder / value["file"]
        return f"t:{DTYPES[value['dtype']][0]}:{numbers(value['shape'])}:{numbers(value['dim_order'])}:{where}"
    if value["kind"] == "none":
        return "n"
    return f"{value['kind'][0]}:{int(value['value']) if value['kind'] == 'bool' else value['value']}"


def unpack(dtype, data):
    values = [item[0] for item in struct.iter_unpack("<" + DTYPES[dtype][1], data)]
    if dtype == "bfloat16":
        return [struct.unpack("<f", struct.pack("<I", bits << 16))[0] for bits in values]
    return values


def difference(dtype, got, want, atol, rtol):
    """What is wrong with the bytes `got`, or None. Numbers that are no floats must differ by no more than atol."""
    if got == want:
        return None
    if len(got) != len(want):
        return f"{len(got)} bytes, not {len(want)}"
    for i, (a, b) in enumerate(zip(unpack(dtype, got), unpack(dtype, want))):
        if a == b or (a != a and b != b):
            continue
        if not math.isfinite(a) or not math.isfinite(b) or abs(a - b) > atol + rtol * abs(b):
            return f"element {i} is {a}, not {b}"
    return None


def compare(words, got_file, want, folder, integer_atol=0, float_tolerance=(1e-5, 1e-4)):
    """What is wrong with one output, or None. `words` is what stock_runner said of it."""
    kind, *rest = words.split(" ")
    if kind != want["kind"]:
        return f"is a {kind}, not a {want['kind']}"
    if kind == "none":
        return None
    if kind != "tensor":
        same = rest[0] == want["value"] if kind == "string" else float(rest[0]) == float(want["value"])
        return None if same else f"is {rest[0]}, not {want['value']}"
    form = [str(DTYPES[want["dtype"]][0]), numbers(want["shape"]), numbers(want["dim_order"])]
    if rest != form:
        return f"has type, sizes and dim order {rest}, not {form}"
    atol, rtol = float_tolerance if want["dtype"] in FLOATS else (integer_atol, 0)
    return difference(want["dtype"], got_file.read_bytes(), (folder / want["file"]).read_bytes(), atol, rtol)
