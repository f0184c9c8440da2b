"""A linker script from a board file: what lies in which memory is said there ("holds"), pools by their names.

    python3 firmware/link_script.py mps2-an386        prints it
"""

import pathlib
import re
import sys
import tomllib

BOARDS = pathlib.Path(__file__).resolve().parent.parent / "boards"
UNITS = {"B": 1, "": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
STACK = 16 << 10  # where the memory has as much left


def bytes_of(size):
    """"2 MiB" or a number, as board files have it; berth has checked it."""
    if isinstance(size, int):
        return size
    number, unit = re.fullmatch(r"\s*(\d+)\s*(\w*)\s*", size).groups()
    return int(number) * UNITS[unit]


def read_board(name):
    """A board of boards/, or a file."""
    path = pathlib.Path(name) if name.endswith(".toml") else BOARDS / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in BOARDS.glob("*.toml")))
        raise SystemExit(f"error: no board {name}; boards are {known}, or a .toml file")
    return tomllib.loads(path.read_text())


def c_name(pool):
    """As `berth compile --header` writes a pool's name."""
    return re.sub(r"[^a-z0-9]", "_", pool.lower())


def memories(board):
    """Pools and other memories that have an address: {C name: (address, bytes, holds)}."""
    return {
        c_name(m["name"]): (m["address"], bytes_of(m["size"]), m.get("holds", []))
        for m in board["pool"] + board.get("memory", [])
        if "address" in m and "size" in m
    }


def holder(board, what):
    for name, (_, _, holds) in memories(board).items():
        if what in holds:
            return name
    raise SystemExit(f'error: board {board["name"]}: no memory with an address holds "{what}"')


def link_script(board):
    known = memories(board)
    code, constants, data = (holder(board, what) for what in ("code", "constants", "data"))
    lines = [f"/* {board['name']}. Made by firmware/link_script.py from its board file. */", "ENTRY(start_image)", "MEMORY {"]
    lines += [f"  {name} : ORIGIN = {address:#010x}, LENGTH = {size:#x}" for name, (address, size, _) in known.items()]
    lines += [
        "}",
        "SECTIONS {",
        f"  .vectors : {{ KEEP(*(.vectors)) }} > {code}",
        f"  .text : {{ *(.text .text.*) }} > {code}",
        f"  .rodata : {{ *(.rodata .rodata.*) }} > {constants}",
        f"  .model : ALIGN(16) {{ KEEP(*(.model)) }} > {constants}",
        f"  .cases : ALIGN(16) {{ KEEP(*(.cases)) }} > {constants}",
    ]
    # The plan's own memories, before what the rest of the program wants there.
    lines += [f"  .pool.{c_name(p['name'])} (NOLOAD) : ALIGN(32) {{ *(.pool.{c_name(p['name'])}) }} > {c_name(p['name'])}"
              for p in board["pool"] if c_name(p["name"]) in known]  # fmt: skip
    lines += [
        f"  .data : ALIGN(4) {{ DATA_BEGIN = .; *(.data .data.*) . = ALIGN(4); DATA_END = .; }} > {data} AT > {constants}",
        "  DATA_IN_ROM = LOADADDR(.data);",
        f"  .bss (NOLOAD) : ALIGN(8) {{ BSS_BEGIN = .; *(.bss .bss.* COMMON) . = ALIGN(8); BSS_END = .; }} > {data}",
        f"  STACK_TOP = ORIGIN({data}) + LENGTH({data});",
        f"  STACK_LIMIT = MAX(BSS_END, STACK_TOP - {STACK});",
        '  ASSERT(STACK_TOP - STACK_LIMIT >= 2048, "less than 2 KiB are left for the stack")',
        "  /DISCARD/ : { *(.ARM.exidx* .ARM.extab* .comment .init_array* .fini_array*) }",
        "}",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(link_script(read_board(sys.argv[1])), end="")
