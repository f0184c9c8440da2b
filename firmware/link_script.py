"""A linker script from a board file: what lies in which memory is said there ("holds"), pools by their names.

    python3 firmware/link_script.py mps2-an386        prints it

Whether a board file is right in all that plans ask of it, berth says (image.py has it looked at); here is checked what
an image needs besides.
"""

import pathlib
import re
import sys
import tomllib

BOARDS = pathlib.Path(__file__).resolve().parent.parent / "boards"
UNITS = {"B": 1, "": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
STACK = 16 << 10  # where the memory has as much left


class NoImage(Exception):
    """Why there is no image to run."""


def bytes_of(size):
    """ "2 MiB" or a number, as board files have it."""
    if isinstance(size, int):
        return size
    found = re.fullmatch(r"\s*(\d+)\s*(\w*)\s*", str(size))
    if not found or found.group(2) not in UNITS:
        raise NoImage(f"size {size!r} is neither a number of bytes nor one of KiB, MiB, GiB")
    return int(found.group(1)) * UNITS[found.group(2)]


def read_board(name):
    """A board of boards/, or a file."""
    path = pathlib.Path(name) if name.endswith(".toml") else BOARDS / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in BOARDS.glob("*.toml")))
        raise NoImage(f"no board {name}; boards are {known}, or a .toml file")
    try:
        board = tomllib.loads(path.read_text())
    except (OSError, ValueError) as reason:  # not TOML, not UTF-8
        raise NoImage(f"{path}: {reason}") from reason
    for key, kind in (("name", str), ("cpu", str), ("pool", list)):
        if not isinstance(board.get(key), kind):
            raise NoImage(f"{path}: {key}: missing, or no {'text' if kind is str else 'list of tables'}")
    return board


def c_name(pool):
    """As `berth compile --header` writes a pool's name."""
    return re.sub(r"[^a-z0-9]", "_", pool.lower())


def memories(board):
    """Pools and other memories: {C name: (address, bytes, holds)}. Plans do without some of it, images do not."""
    found = {}
    for kind, memory in [*(("pool", m) for m in board["pool"]), *(("memory", m) for m in board.get("memory", []))]:
        for key in ("name", "address", "size"):
            if key not in memory:
                raise NoImage(f"board {board['name']}: {kind} {memory.get('name', '')}: no {key}, which an image needs")
        found[c_name(memory["name"])] = (memory["address"], bytes_of(memory["size"]), memory.get("holds", []))
    return found


def holder(board, what):
    for name, (_, _, holds) in memories(board).items():
        if what in holds:
            return name
    raise NoImage(f'board {board["name"]}: holds: no pool or memory holds "{what}"')


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
              for p in board["pool"]]  # fmt: skip
    lines += [
        f"  .data : ALIGN(4) {{ DATA_BEGIN = .; *(.data .data.*) . = ALIGN(4); DATA_END = .; }} > {data} AT > {constants}",
        "  DATA_IN_ROM = LOADADDR(.data);",
        f"  .bss (NOLOAD) : ALIGN(8) {{ BSS_BEGIN = .; *(.bss .bss.* COMMON) . = ALIGN(8); BSS_END = .; }} > {data}",
        f"  STACK_TOP = ORIGIN({data}) + LENGTH({data});",
        f"  STACK_LIMIT = MAX(BSS_END, STACK_TOP - {STACK});",
        '  ASSERT(STACK_TOP - STACK_LIMIT >= 2048, "less than 2 KiB are left for the stack")',
        "  .init_array : ALIGN(4) { CONSTRUCTORS_BEGIN = .; KEEP(*(SORT(.init_array.*) .init_array)) CONSTRUCTORS_END = .; }"
        f" > {constants}",
        "  /DISCARD/ : { *(.ARM.exidx* .ARM.extab* .comment .fini_array*) }",
        "}",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    try:
        print(link_script(read_board(sys.argv[1])), end="")
    except NoImage as reason:
        sys.exit(f"error: {reason}")
