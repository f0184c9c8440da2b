#!/usr/bin/env python3
"""Who may include and link whom: the table below, which ARCHITECTURE.md shows.

Reads every `#include` of the project's C++ files and every CMake link, and fails on anything the table does not
allow, on a table in ARCHITECTURE.md that says otherwise, and on a folder that ARCHITECTURE.md does not name. It first
checks itself on made-up files that it must refuse. Standard library only.

  tests/layering_test.py [ROOT]
  tests/layering_test.py --table     prints the table as ARCHITECTURE.md has it
"""

import pathlib
import re
import sys

# What a firmware hands to the loader.
KERNEL_TABLES = [f"runtime/kernels/{folder}/{folder}_kernels.h" for folder in ("portable", "cortex_m", "berth")]
KERNEL_TABLES.append("runtime/kernels/kernel_selection.h")

# A unit is a folder, or several folders that stand under one row of the table.
# unit: (what it may use beside itself)
MAY_USE = {
    "contract": [],
    "format": [],
    "plan": ["contract"],
    "program": ["contract", "format"],
    "compiler/ir": ["contract"],
    "compiler/target": ["contract"],  # board files
    "compiler/import": ["contract", "format", "compiler/ir"],
    "compiler/passes": ["contract", "compiler/ir", "compiler/target", "runtime/kernels", "runtime/core"],
    "compiler/delegate": ["contract", "compiler/ir", "compiler/target"],
    "compiler/emit": ["contract", "program", "compiler/ir", "compiler/target"],
    "compiler/place": ["contract", "plan", "program", "compiler/target"],
    "compiler/report": ["contract", "format", "plan", "program", "compiler/target"],
    "compiler": ["*"],  # compiler.h and the pipeline: the one place that knows all stages
    "runtime/core": ["contract"],
    "runtime/load": ["contract", "runtime/core"],
    "runtime/exec": ["contract", "runtime/core", "runtime/load"],
    "runtime/kernels": ["contract", "runtime/core"],
    "runtime": ["contract", "runtime/core", "runtime/load", "runtime/exec"],  # runtime.h
    "runtime/c_api": ["contract", "runtime", "runtime/core", "runtime/load", "runtime/exec", "runtime/kernels"],
    "backends/shared": ["contract"],  # what the two halves of one agree on
    "backends/compile": ["contract", "compiler/ir", "compiler/delegate", "backends/shared"],
    "backends/runtime": ["contract", "runtime/core", "backends/shared"],
    "tools": ["*"],
    "tests": ["*"],
    "bench": ["*"],
    "examples": ["compiler/compiler.h", "plan/plan.h", "plan/check.h", "runtime/runtime.h", "runtime/c_api/berth.h",
                 "runtime/c_api/c_kernels.h", *KERNEL_TABLES],  # public headers only
    "firmware": ["runtime/runtime.h", *KERNEL_TABLES],
}

# Names of other people's headers that device code may include: nothing that allocates, throws or prints.
DEVICE_UNITS = ("runtime", "backends/runtime", "firmware")
DEVICE_HEADERS = {
    "cstdint", "cstddef", "cstring", "climits", "limits", "type_traits", "cmath", "cassert", "new", "utility",
    "stdint.h", "stddef.h", "arm_mve.h", "arm_acle.h",
}  # fmt: skip

# Backends on a library of a host: their runtime half allocates, and includes and links what is not ours.
HOSTED_BACKENDS = ("backends/onednn/",)

TEST_FILES = ("_test.cc", "_test_util.h")

# Headers of contract/ that only the hosted half may use: they need the heap.
HOSTED_CONTRACT = {"contract/result.h"}

SKIPPED_FOLDERS = {"build", ".git", ".venv"}
GENERATED = re.compile(r"^(format/\w+_generated|examples/\w+/\w+_memory|firmware/image_memory|bench/(cost_kernels|vendor_layers_table))\.h$")  # made by the build
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


def unit_of(path):
    """The row of the table for a file or folder, or None for what is not ours."""
    parts = pathlib.PurePosixPath(path).parts
    if not parts:
        return None
    if parts[0] == "backends" and len(parts) >= 3:
        return f"backends/{parts[2]}"
    if parts[0] in ("compiler", "runtime") and len(parts) >= 2 and "/".join(parts[:2]) in MAY_USE:
        return "/".join(parts[:2])
    return parts[0] if parts[0] in MAY_USE else None


def is_device(unit):
    return any(unit == d or unit.startswith(d + "/") for d in DEVICE_UNITS)


def allowed(user, used_path):
    used = unit_of(used_path)
    rules = MAY_USE[user]
    return used == user or "*" in rules or used in rules or used_path in rules


def check_includes(path, text, exists):
    """Complaints about one file; `exists(path)` says whether the tree has that file."""
    user = unit_of(path)
    if user is None:
        return [f"{path}: a C++ file in a folder the table does not know; add the folder to {__file__}"]
    is_test = path.endswith(TEST_FILES)  # a test may look at both sides of what it tests
    complaints = []
    for match in INCLUDE.finditer(text):
        bracket, name = match.groups()
        place = f"{path}:{text.count(chr(10), 0, match.start()) + 1}"
        if bracket == "<":
            hosted = is_test or path.startswith(HOSTED_BACKENDS)
            if is_device(user) and not hosted and name not in DEVICE_HEADERS:
                complaints.append(f"{place}: device code includes <{name}>; it may use {sorted(DEVICE_HEADERS)}")
            continue
        if unit_of(name) is None:
            complaints.append(f'{place}: "{name}": write ours from the project root, other people\'s in <>')
        elif not exists(name) and not GENERATED.match(name):
            complaints.append(f'{place}: "{name}" is not in the tree')
        elif is_test:
            continue
        elif name.endswith(TEST_FILES):
            complaints.append(f'{place}: "{name}" is for tests only')
        elif name in HOSTED_CONTRACT and is_device(user):
            complaints.append(f'{place}: "{name}" needs the heap; device code may not include it')
        elif not allowed(user, name):
            complaints.append(f"{place}: {user} may not use {name}; it may use {MAY_USE[user]}")
    return complaints


def cmake_commands(text):
    """(name, arguments) of each command; comments gone, quotes taken off."""
    text = re.sub(r"#[^\n]*", "", text)
    for name, body in re.findall(r"\b(\w+)\s*\(([^()]*)\)", text):
        yield name.lower(), re.findall(r'"[^"]*"|[^\s"]+', body)


def arguments_after(keyword, keywords, arguments):
    """The arguments between `keyword` and the next of `keywords`."""
    found, inside = [], False
    for argument in arguments:
        if argument in keywords:
            inside = argument == keyword
        elif inside:
            found.append(argument.strip('"'))
    return found


KEYWORDS = {"NAME", "SOURCES", "LIBS", "LABELS", "RUNTIME", "PUBLIC", "PRIVATE", "INTERFACE", "STATIC", "OBJECT"}


def read_links(folder, text):
    """Yields (target, unit, libraries, is_test) for what one CMakeLists.txt says."""
    for name, arguments in cmake_commands(text):
        if name in ("berth_library", "berth_test"):
            target = (arguments_after("NAME", KEYWORDS, arguments) or ["?"])[0]
            sources = arguments_after("SOURCES", KEYWORDS, arguments)
            place = f"{folder}/{sources[0]}" if sources and "$" not in sources[0] else f"{folder}/x"
            yield target, unit_of(place), arguments_after("LIBS", KEYWORDS, arguments), name == "berth_test"
        elif name == "add_executable" and arguments:
            yield arguments[0], unit_of(f"{folder}/x"), [], arguments[0].endswith("_test")
        elif name == "target_link_libraries" and arguments:
            libraries = [a for a in arguments[1:] if a not in KEYWORDS]
            yield arguments[0], None, libraries, False


def check_links(cmake_files):
    """Complaints about links; `cmake_files` maps a folder to the text of its CMakeLists.txt."""
    links = [(folder, *link) for folder, text in sorted(cmake_files.items()) for link in read_links(folder, text)]
    units = {target: unit for _, target, unit, _, _ in links if unit is not None}
    tests = {target for _, target, _, _, is_test in links if is_test}
    complaints = []
    for folder, target, _, libraries, _ in links:
        user = units.get(target)
        if target in tests or user is None:
            continue
        for library in libraries:
            place = f"{folder}/CMakeLists.txt: {target}"
            if "$" in library:
                complaints.append(f"{place} links {library}; name the library, so that this test can read it")
            elif library in units:
                used = units[library]
                # A public header comes with the libraries behind it, which are in the same top folder.
                public = {rule.split("/")[0] for rule in MAY_USE[user] if rule.endswith(".h")}
                if not (allowed(user, used) or used.split("/")[0] in public):
                    complaints.append(f"{place} ({user}) may not link {library} ({used})")
            elif library.startswith("berth_"):
                complaints.append(f"{place} links {library}, which no CMakeLists.txt defines")
            elif f"{folder}/".startswith(HOSTED_BACKENDS):
                pass
            elif is_device(user) or user == "contract":
                complaints.append(f"{place} ({user}) links {library}; device code links nothing of others")
    return complaints


def markdown_table():
    rows = ["| folder | may use |", "|---|---|"]
    for unit, rules in MAY_USE.items():
        rows.append(f"| `{unit}` | {'everything' if '*' in rules else ', '.join(f'`{r}`' for r in rules) or 'nothing'} |")
    return "\n".join(rows) + "\n"


def check_map(text, units):
    """ARCHITECTURE.md must show this table and name every folder that has code."""
    complaints = []
    if markdown_table() not in text:
        complaints.append(f"ARCHITECTURE.md: its table is not that of {__file__}; `--table` prints it")
    for unit in sorted(units):
        if f"`{unit}/`" not in text:
            complaints.append(f"ARCHITECTURE.md: does not name `{unit}/`, where there is code")
    return complaints


def check_tree(root):
    complaints, cmake_files, count, units = [], {}, 0, set()
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if SKIPPED_FOLDERS & set(name.split("/")) or not path.is_file():
            continue
        if path.suffix in (".cc", ".h"):
            count += 1
            units.add(unit_of(name))
            complaints += check_includes(name, path.read_text(), lambda p: (root / p).is_file())
        elif path.name == "CMakeLists.txt" and "/" in name:
            cmake_files[path.parent.relative_to(root).as_posix()] = path.read_text()
    if count == 0:
        complaints.append(f"{root}: no C++ file found; is this the project's root?")
    complaints += check_map((root / "ARCHITECTURE.md").read_text(), units - {None})
    return complaints + check_links(cmake_files), count


def check_itself():
    """Feeds what must be refused and what must not; returns what went wrong."""
    wrong = []

    def expect(refused, complaints, what):
        if refused != bool(complaints):
            wrong.append(f"self-test: {what} was {'accepted' if refused else 'refused: ' + complaints[0]}")

    def include(path, line):
        return check_includes(path, line, lambda p: True)

    expect(True, include("plan/a.cc", '#include "compiler/ir/ir.h"\n'), "plan/ that includes compiler/ir")
    expect(True, include("plan/a.cc", '  #  include "program/program.h"\n'), "an indented include")
    expect(True, include("runtime/load/a.cc", '#include "runtime/exec/method.h"\n'), "load that includes exec")
    expect(True, include("runtime/core/a.h", '#include "contract/result.h"\n'), "runtime with result.h")
    expect(True, include("runtime/core/a.h", "#include <vector>\n"), "runtime with std containers")
    expect(True, include("runtime/core/a.h", '#include "format/pte_generated.h"\n'), "runtime with flatbuffers")
    expect(True, include("compiler/ir/a.cc", '#include "ir.h"\n'), "an include that is not from the root")
    expect(True, include("examples/x/a.cc", '#include "runtime/core/tensor.h"\n'), "examples with an inner header")
    expect(True, include("elsewhere/a.cc", ""), "a folder outside the table")
    expect(True, check_includes("plan/a.cc", '#include "plan/no.h"\n', lambda p: False), "a file that is missing")
    expect(True, include("runtime/core/a.cc", '#include "runtime/core/a_test_util.h"\n'), "runtime on a test's header")
    expect(False, include("runtime/core/a_test_util.h", "#include <vector>\n"), "a test's header with containers")
    expect(False, include("plan/a_test.cc", '#include "compiler/ir/ir.h"\n'), "a test of both sides")
    expect(False, include("examples/x/a.cc", '#include "runtime/runtime.h"\n'), "examples with a public header")
    expect(False, include("compiler/emit/a.cc", '#include "program/program.h"\n'), "emit that includes program")

    def link(folder, text):
        known = {"contract": "berth_library(NAME berth_contract)", "plan": "berth_library(NAME berth_plan)"}
        return check_links({**known, folder: text})

    expect(True, link("runtime/core", "berth_library(NAME r RUNTIME\n SOURCES a.cc LIBS berth_plan)"), "core on plan")
    expect(True, link("program", "add_library(x a.cc)\nberth_library(NAME p LIBS berth_plan)"), "program on plan")
    expect(True, link("program", "berth_library(NAME p)\ntarget_link_libraries(p PUBLIC berth_plan)"), "a later link")
    expect(True, link("compiler/ir", "berth_library(NAME p LIBS ${LIBRARIES})"), "a link through a variable")
    expect(True, link("compiler/ir", "berth_library(NAME p LIBS berth_nothing)"), "a library that no one defines")
    expect(True, link("runtime/core", "berth_library(NAME p LIBS fmt::fmt)"), "a runtime on someone's library")
    expect(True, check_map(markdown_table(), {"plan"}), "a map without a folder")
    expect(True, check_map("`plan/`", {"plan"}), "a map without the table")
    expect(False, check_map("`plan/`\n" + markdown_table(), {"plan"}), "a map that is right")
    expect(False, link("program", "berth_library(NAME p LIBS berth_contract)"), "program on contract")
    expect(False, link("program", "berth_test(NAME p_test SOURCES p_test.cc LIBS berth_plan)"), "a test on both")
    return wrong


def main():
    if sys.argv[1:] == ["--table"]:
        print(markdown_table(), end="")
        return 0
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    complaints = check_itself()
    found, count = check_tree(root)
    complaints += found
    for complaint in complaints:
        print(f"error: {complaint}", file=sys.stderr)
    print(f"layering: {count} files read, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
