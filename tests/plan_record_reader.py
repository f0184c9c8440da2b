#!/usr/bin/env python3
"""Prints the plan record of a .pte as JSON. Written from docs/plan-record.md alone, as a second reader of the format.

  tests/plan_record_reader.py FILE.pte...

One JSON object per file and line; `null` for a file without a record. Exit 1 with a message when a file or its record is
not what the page says. Standard library only.
"""

import json
import struct
import sys

ROLES = ["input", "output", "activation", "state", "op_scratch", "delegate_scratch", "persistent"]
ISAS = ("host", "scalar", "dsp", "mve", "unstated")


class Malformed(Exception):
    pass


def need(condition, message):
    if not condition:
        raise Malformed(message)


class Buffer:
    """Bytes of one FlatBuffer; every read is checked against their end."""

    def __init__(self, data):
        self.data = data

    def number(self, code, at):
        size = struct.calcsize("<" + code)
        need(0 <= at <= len(self.data) - size, f"byte {at} is outside the {len(self.data)} there are")
        return struct.unpack_from("<" + code, self.data, at)[0]

    def refer(self, at):
        return at + self.number("I", at)

    def root(self):
        return Table(self, self.refer(0))

    def vector(self, at, element_size):
        """(position of the first element, count)"""
        count = self.number("I", at)
        need(at + 4 + count * element_size <= len(self.data), f"a vector of {count} at {at} ends outside")
        return at + 4, count

    def text(self, at):
        begin, count = self.vector(at, 1)
        need(self.number("B", begin + count) == 0, f"the string at {at} has no zero at its end")
        return self.data[begin : begin + count].decode("utf-8")


class Table:
    def __init__(self, buffer, at):
        self.buffer, self.at = buffer, at
        self.vtable = at - buffer.number("i", at)

    def find(self, slot):
        """Position of a field, or None where it is absent."""
        if 4 + 2 * slot >= self.buffer.number("H", self.vtable):
            return None
        offset = self.buffer.number("H", self.vtable + 4 + 2 * slot)
        return self.at + offset if offset else None

    def number(self, slot, code, default=0):
        at = self.find(slot)
        return default if at is None else self.buffer.number(code, at)

    def text(self, slot):
        at = self.find(slot)
        return "" if at is None else self.buffer.text(self.buffer.refer(at))

    def elements(self, slot, element_size, required=False):
        at = self.find(slot)
        need(at is not None or not required, f"required slot {slot} is absent")
        if at is None:
            return []
        begin, count = self.buffer.vector(self.buffer.refer(at), element_size)
        return [begin + i * element_size for i in range(count)]

    def numbers(self, slot, code, required=False):
        positions = self.elements(slot, struct.calcsize("<" + code), required)
        return [self.buffer.number(code, at) for at in positions]

    def tables(self, slot, required=False):
        return [Table(self.buffer, self.buffer.refer(at)) for at in self.elements(slot, 4, required)]

    def texts(self, slot):
        return [self.buffer.text(self.buffer.refer(at)) for at in self.elements(slot, 4)]

    def structs(self, slot, fields, required=False):
        """Structs of u32 fields, as dictionaries."""
        found = []
        for at in self.elements(slot, 4 * len(fields), required):
            found.append({name: self.buffer.number("I", at + 4 * i) for i, name in enumerate(fields)})
        return found


def is_power_of_two(number):
    return number > 0 and number & (number - 1) == 0


def find_record(file):
    """The bytes of the record, or None."""
    need(len(file) >= 64 and file[4:8] == b"ET12", "not a .pte file")
    if file[8:12] != b"eh00":
        return None
    program_size, base = struct.unpack_from("<QQ", file, 16)
    need(program_size <= len(file), "the program is cut short")
    program = Buffer(file[:program_size]).root()
    segments = program.tables(4)
    found = [entry for entry in program.tables(7) if entry.text(0) == "berth.plan_record"]
    need(len(found) <= 1, "two plan records")
    if not found:
        return None
    index = found[0].number(1, "I")
    need(index < len(segments), f"segment {index} of {len(segments)}")
    offset, size = segments[index].number(0, "Q"), segments[index].number(1, "Q")
    need(base + offset + size <= len(file), "the record's segment ends outside the file")
    return file[base + offset : base + offset + size]


def read_pool(pool):
    read = {
        "name": pool.text(0),
        "mem_id": pool.number(1, "I"),
        "alignment": pool.number(2, "I", 16),
        "capacity": pool.number(3, "Q"),
        "attributes": pool.texts(4),
    }
    need(read["name"] and read["mem_id"] >= 1, "a pool without name or number")
    need(is_power_of_two(read["alignment"]), f"pool {read['name']}: alignment {read['alignment']}")
    return read


def read_buffers(method, moments):
    extents = method.numbers(3, "I", required=True)
    roles = method.numbers(4, "B", required=True)
    alignments = method.numbers(5, "I", required=True)
    starts = method.numbers(6, "I", required=True)
    intervals = method.structs(7, ["begin", "end"], required=True)
    count = len(extents)
    owners = method.numbers(8, "i") or [-1] * count
    names = method.texts(9) or [""] * count
    for what in (roles, alignments, owners, names):
        need(len(what) == count, f"{len(what)} entries for {count} buffers")
    need(len(starts) == count + 1 and starts[0] == 0 and starts[-1] == len(intervals), "interval_start")
    buffers = []
    for b in range(count):
        live = [[i["begin"], i["end"]] for i in intervals[starts[b] : starts[b + 1]]]
        need(live, f"buffer {b} is never live")
        free_from = 0
        for begin, end in live:
            need(free_from <= begin < end <= moments, f"buffer {b}: interval [{begin}, {end})")
            free_from = end
        need(roles[b] < len(ROLES), f"buffer {b}: role {roles[b]}")
        need(is_power_of_two(alignments[b]), f"buffer {b}: alignment {alignments[b]}")
        buffers.append({
            "extent": extents[b],
            "live": live,
            "role": ROLES[roles[b]],
            "alignment": alignments[b],
            "owner": owners[b],
            "name": names[b],
        })
    order = [(buffer["live"][0][0], buffer["extent"]) for buffer in buffers]
    need(order == sorted(order), "buffers are not sorted")
    return buffers


def read_method(method):
    instructions = method.number(1, "I")
    value_buffer = method.numbers(2, "i", required=True)
    buffers = read_buffers(method, max(1, instructions))
    for value, buffer in enumerate(value_buffer):
        need(-1 <= buffer < len(buffers), f"value {value}: buffer {buffer}")
    for b, buffer in enumerate(buffers):
        need(buffer["extent"] < len(value_buffer), f"buffer {b}: extent {buffer['extent']}")
        need(value_buffer[buffer["extent"]] == b, f"buffer {b}: its extent belongs elsewhere")
    uses = ["mem_id", "bytes", "lower_bound", "greedy_bytes", "tail"]
    return {
        "name": method.text(0),
        "instruction_count": instructions,
        "value_buffer": value_buffer,
        "buffers": buffers,
        "in_place": method.structs(10, ["instruction", "output", "input"]),
        "calls": method.structs(11, ["instruction", "inputs", "outputs", "scratch"]),
        "pool_use": [
            {name: use.number(slot, "I" if slot == 0 else "Q") for slot, name in enumerate(uses)}
            for use in method.tables(12)
        ],
        "planner": method.text(13),
        "proven_optimal": method.number(14, "?", False),
    }


def read_record(data):
    need(len(data) >= 8 and data[4:8] == b"BPR1", "the record's identifier is not BPR1")
    record = Buffer(data).root()
    version, flags, isa = record.number(0, "I"), record.number(1, "Q"), record.number(2, "B")
    need(version >= 1, "version 0")
    need(flags == 0, f"feature flags {flags:#x} need a newer reader")
    need(isa < len(ISAS), f"isa {isa}")
    return {
        "version": version,
        "feature_flags": flags,
        "isa": ISAS[isa],
        "board": record.text(5),
        "separate_methods": record.number(6, "B") != 0,
        "pools": [read_pool(pool) for pool in record.tables(3, required=True)],
        "methods": [read_method(method) for method in record.tables(4, required=True)],
    }


def main():
    failed = False
    for path in sys.argv[1:]:
        try:
            with open(path, "rb") as file:
                data = find_record(file.read())
            print(json.dumps(None if data is None else read_record(data)))
        except (Malformed, OSError, UnicodeDecodeError) as error:
            print(f"error: {path}: {error}", file=sys.stderr)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
