#!/usr/bin/env python3
"""Small promises about the tree's files: names a newcomer can guess, one idea per file. Standard library only.

  tests/tree_test.py [ROOT]
"""

import collections
import pathlib
import re
import sys

SKIPPED_FOLDERS = {"build", ".git", ".venv"}
CODE = {".cc", ".h", ".c", ".py", ".sh", ".fbs"}
MAX_LINES = 500  # a place to ask whether one idea per file still holds: a warning, not an error
SNAKE_CASE = re.compile(r"^[a-z0-9]+(_[a-z0-9]+)*\.[a-z]+$")


def check(files):
    """(errors, warnings) for `files`, a map of path to text."""
    errors, warnings = [], []
    paths_of = collections.defaultdict(list)
    for path, text in sorted(files.items()):
        name = path.rsplit("/", 1)[-1]
        paths_of[name].append(path)
        if not SNAKE_CASE.match(name):
            errors.append(f"{path}: file names are snake_case")
        if name.endswith(".h") and "#pragma once" not in text:
            errors.append(f"{path}: a header opens with #pragma once")
        if text and not text.endswith("\n"):
            errors.append(f"{path}: the last line has no newline")
        lines = text.count("\n")
        if lines > MAX_LINES:
            warnings.append(f"{path}: {lines} lines; does it still hold one idea?")
    for name, paths in paths_of.items():
        if len(paths) > 1:
            errors.append(f"{name}: one name, {len(paths)} files: {', '.join(paths)}")
    return errors, warnings


def check_itself():
    refused = {
        "a file name in CamelCase": {"plan/BestFit.cc": "\n"},
        "two files of one name": {"plan/a.cc": "\n", "program/a.cc": "\n"},
        "a header without #pragma once": {"plan/a.h": "int x;\n"},
        "a cut last line": {"plan/a.cc": "int x;"},
    }
    wrong = [f"self-test: accepted {what}" for what, files in refused.items() if not check(files)[0]]
    if check({"plan/a.h": "#pragma once\n", "plan/a.cc": "\n"}) != ([], []):
        wrong.append("self-test: refused two good files")
    if not check({"plan/a.cc": "\n" * (MAX_LINES + 1)})[1]:
        wrong.append("self-test: no warning about a long file")
    return wrong


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    files = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.suffix in CODE and path.is_file() and not SKIPPED_FOLDERS & set(name.split("/")):
            files[name] = path.read_text()
    errors, warnings = check(files)
    errors = check_itself() + errors
    if not files:
        errors.append(f"{root}: no source file found; is this the project's root?")
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)
    for error in errors:
        print(f"error: {error}", file=sys.stderr)
    print(f"tree: {len(files)} files read, {len(errors)} errors, {len(warnings)} warnings")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
