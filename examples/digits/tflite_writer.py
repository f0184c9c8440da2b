"""Writes a .tflite file: tensors, operators, one subgraph. Covers what train.py needs, and says so when asked for more.

A file is one FlatBuffer. Its tables are written here slot by slot (the slot numbers are the schema's field numbers),
so that no generated code is needed. Children are written before the table that points at them, as FlatBuffers wants.
"""

import flatbuffers
import numpy as np

# What an operator is called in the file: (builtin code, version, number of its options union, slots of that table).
# A slot is (option name, type); types as in the schema: i8 = one-byte enum, i32, f32, vector = [i32].
OPERATORS = {
    "CONV_2D": (3, 3, 1, (("padding", "i8"), ("stride_w", "i32"), ("stride_h", "i32"), ("activation", "i8"))),
    "DEPTHWISE_CONV_2D": (4, 3, 2, (
        ("padding", "i8"), ("stride_w", "i32"), ("stride_h", "i32"), ("depth_multiplier", "i32"), ("activation", "i8"))),
    "AVERAGE_POOL_2D": (1, 2, 5, (
        ("padding", "i8"), ("stride_w", "i32"), ("stride_h", "i32"), ("filter_w", "i32"), ("filter_h", "i32"),
        ("activation", "i8"))),
    "RESHAPE": (22, 1, 17, (("new_shape", "vector"),)),
    "FULLY_CONNECTED": (9, 4, 8, (("activation", "i8"),)),
    "SOFTMAX": (25, 2, 9, (("beta", "f32"),)),
}  # fmt: skip
SAME, VALID = 0, 1
NONE, RELU = 0, 1
DTYPES = {"float32": 0, "int32": 2, "int8": 9}


class Model:
    """Collects tensors and operators; write() makes the bytes."""

    def __init__(self, description):
        self.description = description
        self.tensors = []
        self.operators = []

    def tensor(self, name, shape, dtype, data=None, scale=None, zero_point=0, axis=0):
        """Adds a tensor, with `data` a constant; returns its index. Several scales: one per index along `axis`."""
        if data is not None and (data.dtype != dtype or list(data.shape) != list(shape)):
            raise ValueError(f"{name}: data is {data.dtype} {data.shape}, the tensor {dtype} {shape}")
        self.tensors.append((name, list(shape), DTYPES[dtype], data, scale, zero_point, axis))
        return len(self.tensors) - 1

    def operator(self, kind, inputs, output, **options):
        """Adds an operator; options not given are the format's default, zero."""
        unknown = set(options) - {name for name, _ in OPERATORS[kind][3]}
        if unknown:
            raise ValueError(f"{kind} has no options {sorted(unknown)}")
        self.operators.append((kind, inputs, [output], options))

    def write(self, inputs, outputs):
        """The file's bytes; `inputs` and `outputs` are tensor indices."""
        b = flatbuffers.Builder(1 << 16)
        # Buffer 0 is the empty one, by convention; each constant has its own after it.
        buffers = [_table(b, 3)]
        tensors = []
        for name, shape, dtype, data, scale, zero_point, axis in self.tensors:
            number = 0
            if data is not None:
                number = len(buffers)
                buffers.append(_table(b, 3, {0: ("child", _bytes16(b, data.tobytes()))}))
            quantization = None
            if scale is not None:
                scales = np.atleast_1d(np.asarray(scale, np.float32))
                zeros = np.full(len(scales), zero_point, np.int64)
                quantization = _table(b, 7, {
                    2: ("child", b.CreateNumpyVector(scales)), 3: ("child", b.CreateNumpyVector(zeros)),
                    6: ("i32", axis if len(scales) > 1 else 0)})  # fmt: skip
            tensors.append(_table(b, 11, {
                0: ("child", _ints(b, shape)), 1: ("i8", dtype), 2: ("u32", number),
                3: ("child", b.CreateString(name)), 4: ("child", quantization)}))  # fmt: skip
        kinds = sorted({kind for kind, _, _, _ in self.operators})
        operators = [self._operator(b, kinds, *operator) for operator in self.operators]
        subgraph = _table(b, 6, {
            0: ("child", _tables(b, tensors)), 1: ("child", _ints(b, inputs)), 2: ("child", _ints(b, outputs)),
            3: ("child", _tables(b, operators)), 4: ("child", b.CreateString("main"))})  # fmt: skip
        codes = [
            _table(b, 4, {0: ("i8", OPERATORS[k][0]), 2: ("i32", OPERATORS[k][1]), 3: ("i32", OPERATORS[k][0])})
            for k in kinds
        ]
        model = _table(b, 10, {
            0: ("u32", 3), 1: ("child", _tables(b, codes)), 2: ("child", _tables(b, [subgraph])),
            3: ("child", b.CreateString(self.description)), 4: ("child", _tables(b, buffers))})  # fmt: skip
        b.Finish(model, file_identifier=b"TFL3")
        return bytes(b.Output())

    def _operator(self, b, kinds, kind, inputs, outputs, options):
        _, _, union, slots = OPERATORS[kind]
        fields = {}
        for slot, (name, kind_of_slot) in enumerate(slots):
            if name in options:
                value = options[name]
                fields[slot] = ("child", _ints(b, value)) if kind_of_slot == "vector" else (kind_of_slot, value)
        table = _table(b, len(slots), fields)
        return _table(b, 5, {
            0: ("u32", kinds.index(kind)), 1: ("child", _ints(b, inputs)), 2: ("child", _ints(b, outputs)),
            3: ("u8", union), 4: ("child", table)})  # fmt: skip


def _table(b, slots, fields=None):
    """One table; `fields` maps a slot to (type, value). A child that is None is left out."""
    b.StartObject(slots)
    for slot, (kind, value) in (fields or {}).items():
        if kind == "child":
            if value is not None:
                b.PrependUOffsetTRelativeSlot(slot, value, 0)
        else:
            add = {"i8": b.PrependInt8Slot, "u8": b.PrependUint8Slot, "i32": b.PrependInt32Slot,
                   "u32": b.PrependUint32Slot, "f32": b.PrependFloat32Slot}[kind]  # fmt: skip
            add(slot, value, 0)
    return b.EndObject()


def _ints(b, values):
    return b.CreateNumpyVector(np.asarray(values, np.int32))


def _tables(b, offsets):
    b.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        b.PrependUOffsetTRelative(offset)
    return b.EndVector()


def _bytes16(b, data):
    """A byte vector whose first byte lies at a multiple of 16 in the file, as runtimes that map the file expect."""
    b.StartVector(1, len(data), 16)
    for byte in reversed(data):
        b.PrependByte(byte)
    return b.EndVector()
