#!/usr/bin/env python3
"""Runs the commands that README.md and docs/ show, and compares what they print. Standard library only.

A transcript is a block fenced as ```console: lines that open with `$ ` are commands, what follows is their output.
A line `...` stands for any lines; how wide a column is does not matter. Commands run one after the other in a scratch
folder that sees examples/, boards/ and build/release (whichever build is tested), with the built programs on the PATH;
each must end with 0. `./dev` commands are not run from inside a test: only that the script has them is checked (CI runs
them).

  tests/readme_test.py ROOT FOLDER-WITH-BERTH
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ELLIPSIS = "..."


def transcripts(text):
    """Yields each block as a list of (command, expected lines)."""
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        steps = []
        for line in block.splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], []))
            elif steps:
                steps[-1][1].append(line.rstrip())
            else:
                raise ValueError(f"a transcript opens with output: {line!r}")
        yield steps


def matches(expected, got):
    """Whether `got` is `expected`, where a line `...` stands for any number of lines."""
    if not expected:
        return not got
    if expected[0] == ELLIPSIS:
        return any(matches(expected[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and expected[0].split() == got[0].split() and matches(expected[1:], got[1:])


def check_step(command, expected, root, scratch, environment):
    """Complaints about one command."""
    dev = re.fullmatch(r"\./dev ([a-z-]+)( .*)?", command)
    if dev:
        known = subprocess.run([root / "dev", "--help"], capture_output=True, text=True, check=True).stdout
        return [] if re.search(rf"^  {dev[1]} ", known, re.MULTILINE) else [f"./dev has no command {dev[1]}"]
    ran = subprocess.run(
        ["bash", "-c", command], cwd=scratch, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    got = [line.rstrip() for line in ran.stdout.splitlines()]
    if ran.returncode != 0:
        return [f"ended with {ran.returncode}:\n{ran.stdout}"]
    # A command shown without output may print; one shown with output prints that.
    if expected and not matches(expected, got):
        return ["prints\n" + "\n".join(got) + "\nbut the page shows\n" + "\n".join(expected)]
    return []


def check_page(page, root, built, environment):
    complaints, count = [], 0
    for steps in transcripts(page.read_text()):
        with tempfile.TemporaryDirectory() as scratch:
            for folder in ("examples", "boards"):
                (pathlib.Path(scratch) / folder).symlink_to(root / folder)
            (pathlib.Path(scratch) / "build").mkdir()
            (pathlib.Path(scratch) / "build/release").symlink_to(built)
            for command, expected in steps:
                count += 1
                found = check_step(command, expected, root, scratch, environment)
                complaints += [f"{page.relative_to(root)}: `{command}` {complaint}" for complaint in found]
    return complaints, count


def check_itself():
    text = "x\n```console\n$ a\n1\n...\n3\n$ b\n```\n```\n$ not this\n```\n"
    wrong = []
    if list(transcripts(text)) != [[("a", ["1", "...", "3"]), ("b", [])]]:
        wrong.append("self-test: transcripts are read wrongly")
    for expected, got, same in (
        (["1", "...", "3"], ["1", "2", "2", "3"], True),
        (["1", "...", "3"], ["1", "3"], True),
        (["1", "...", "3"], ["1", "2"], False),
        (["a  b"], ["a b"], True),
        (["a b"], ["ab"], False),
        (["1"], ["1", "2"], False),
        (["1", "2"], ["1"], False),
    ):
        if matches(expected, got) != same:
            wrong.append(f"self-test: {got} against {expected} should give {same}")
    return wrong


def main():
    root, built = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
    environment = {**os.environ, "PATH": f"{built}:{built}/examples/digits:{os.environ['PATH']}", "LC_ALL": "C"}
    complaints, count = check_itself(), 0
    for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        found, steps = check_page(page, root, built, environment)
        complaints += found
        count += steps
    if count == 0:
        complaints.append("no page shows a command; is this the project's root?")
    for complaint in complaints:
        print(f"error: {complaint}", file=sys.stderr)
    print(f"pages: {count} commands run, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
