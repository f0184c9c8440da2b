#!/usr/bin/env python3
"""Checks names with clang-tidy, several sources in one translation unit.

clang-tidy spends its time on the headers, so it is given sources of one folder and one set of flags together, a dozen at
a time. Those that do not compile side by side (two have a `kWidth` of their own) are read by halves, which gives the same
answer later. Usage: names_lint.py BUILD_DIRECTORY [SOURCE...]; without sources, all of the build's.
"""

import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

SOURCES_IN_ONE = 12
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Not the tests, for time; not the examples, whose headers come out of a whole build, nor what is built on other people's.
LEFT_OUT = re.compile(r"_test\.cc$|^examples/|^tests/interop/|^bench/stock_steps|^build/")


def flags_of(entry):
    """The compile command without compiler, launcher, source and output."""
    words = shlex.split(entry["command"])
    words = words[1 + next(i for i, word in enumerate(words) if re.search(r"(\+\+|g?cc)(-\d+)?$", word)) :]
    kept = []
    while words:
        word = words.pop(0)
        if word in ("-o", "-c"):
            words.pop(0)
        elif not word.startswith("-W"):
            kept.append(word)
    return (*kept, "-w")  # warnings are the compilers' business


def groups_of(build, wanted):
    """(flags, sources) with at most SOURCES_IN_ONE sources of one folder each, in a fixed order."""
    by_kind = {}
    with open(os.path.join(build, "compile_commands.json")) as file:
        for entry in json.load(file):
            source = os.path.relpath(os.path.join(entry["directory"], entry["file"]), ROOT)
            if not LEFT_OUT.search(source) and (not wanted or source in wanted):
                by_kind.setdefault((os.path.dirname(source), flags_of(entry)), set()).add(source)
    for (_, flags), sources in sorted(by_kind.items()):
        sources = sorted(sources)
        for begin in range(0, len(sources), SOURCES_IN_ONE):
            yield flags, sources[begin : begin + SOURCES_IN_ONE]


def tidy(path, flags):
    command = ["clang-tidy-14", "--quiet", f"--config-file={ROOT}/.clang-tidy", path, "--", *flags]
    run = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return run.returncode, run.stdout


def check(folder, flags, sources):
    """What clang-tidy finds in the sources, as text; empty when all is well."""
    path = sources[0]
    if len(sources) > 1:
        path = os.path.join(folder, f"{len(sources)}_{sources[0].replace('/', '_')}")
        with open(path, "w") as file:
            file.writelines(f'#include "{ROOT}/{source}"\n' for source in sources)
    code, found = tidy(path, flags)
    if len(sources) > 1 and "clang-diagnostic-error" in found:
        half = len(sources) // 2
        return check(folder, flags, sources[:half]) + check(folder, flags, sources[half:])
    return found if code != 0 else ""


def main():
    build, wanted = os.path.abspath(sys.argv[1]), set(sys.argv[2:])
    folder = os.path.join(build, "names_lint")
    os.makedirs(folder, exist_ok=True)
    groups = list(groups_of(build, wanted))
    if not groups:
        sys.exit("names_lint: no source to check; is this a build directory with compile_commands.json?")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda group: check(folder, *group), groups))
    print("".join(found), end="")
    print(f"names of {sum(len(sources) for _, sources in groups)} sources checked")
    sys.exit(any(found))


if __name__ == "__main__":
    main()
