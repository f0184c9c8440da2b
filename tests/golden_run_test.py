#!/usr/bin/env python3
"""Runs every program of the stock tools that the shared folder has with its own inputs and compares the outputs: the file
as it is, replanned, and replanned without reuse; whatever the pools held, and twice in a row. Standard library only.

  tests/golden_run_test.py BERTH SHARED_DIR
"""

import json
import pathlib
import subprocess
import sys
import tempfile

# Compiled parts of other vendors: the file is refused, and the backend named.
FOREIGN = {
    "demo_backend_partitions": "BackendWithCompilerDemo",
    "demo_backend_sin": "BackendWithCompilerDemo",
    "ethosu_residual_int8": "EthosUBackend",
    "etdump_xnnpack": "XnnpackBackend",
    "xnnpack_add": "XnnpackBackend",
    "xnnpack_cnn_int8": "XnnpackBackend",
    "xnnpack_dyn_batch": "XnnpackBackend",
    "xnnpack_inline_blob": "XnnpackBackend",
    "xnnpack_mlp": "XnnpackBackend",
    "xnnpack_repeated_call": "XnnpackBackend",
    "xnnpack_two_partitions": "XnnpackBackend",
}
WAYS = (["--fill", "0x00"], ["--fill", "0xFF", "--repeat", "2"], ["--fill", "noise:3", "--repeat", "2"])
TOLERANCE = ["--atol", "1e-5", "--rtol", "1e-4"]


def run(berth, *args):
    return call(berth, "run", *args, "-q")


def call(berth, *args):
    done = subprocess.run([berth, *map(str, args)], capture_output=True, timeout=300)
    return done.returncode, done.stderr.decode()


def check_replanned(berth, folder, program, scratch):
    """Complaints about the same case with new places for its buffers."""
    complaints = []
    for flags, ways in (([], WAYS), (["--no-reuse"], WAYS[-1:])):
        code, err = call(berth, "replan", folder / "model.pte", "-o", scratch / "replanned.pte", *flags)
        if code != 0:
            complaints.append(f"replan {' '.join(flags)}: exit {code}: {err}")
            continue
        for way in ways:
            code, err = run(berth, scratch / "replanned.pte", *program[1:], *way)
            if code != 0:
                complaints.append(f"replanned {' '.join(flags + way)}: exit {code}: {err}")
    return complaints


def check_case(berth, folder, scratch):
    """("ran" | "refused", complaints)"""
    program = [folder / "model.pte", "--calls", folder / "case.json", *TOLERANCE]
    for data in sorted(folder.glob("*.ptd")):
        program += ["--ptd", data]
    code, err = run(berth, *program)
    if folder.name in FOREIGN:
        good = code == 1 and FOREIGN[folder.name] in err
        return "refused", [] if good else [f"exit {code}, wanted 1 and {FOREIGN[folder.name]}: {err}"]
    complaints = []
    if folder.name == "cond_two_in_a_row":  # the stock plan lets the second conditional overwrite the first's result
        if code != 1:
            complaints.append(f"exit {code}, wanted 1: {err}")
        code, err = run(berth, *program, "--trust-plan")
        if code != 3:
            complaints.append(f"--trust-plan: exit {code}, wanted 3: {err}")
        return "ran", complaints + check_replanned(berth, folder, program, scratch)
    for way in WAYS:
        code, err = run(berth, *program, *way)
        if code != 0:
            complaints.append(f"{' '.join(way)}: exit {code}: {err}")
    for bundle in sorted(folder.glob("*.bpte")):
        for tolerance in (TOLERANCE, []):
            code, err = run(berth, bundle, *tolerance)
            if code != 0:
                complaints.append(f"{bundle.name}: exit {code}: {err}")
    return "ran", complaints + check_replanned(berth, folder, program, scratch)


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    berth, root = sys.argv[1], pathlib.Path(sys.argv[2]) / "pte"
    folders = sorted(path.parent for path in root.glob("*/case.json"))
    if not folders:
        print(f"SKIPPED: no cases in {root}: answers of the stock tools' programs are NOT checked")
        return 77
    counts, failed = {}, 0
    with tempfile.TemporaryDirectory(prefix="berth_golden_") as scratch:
        for folder in folders:
            if "vectors" not in json.loads((folder / "case.json").read_text()):
                continue
            verdict, complaints = check_case(berth, folder, pathlib.Path(scratch))
            counts[verdict] = counts.get(verdict, 0) + 1
            failed += bool(complaints)
            for complaint in complaints:
                print(f"error: {folder.name}: {complaint.strip()}")
    print(f"golden programs: {counts}, {failed} failed")
    return 1 if failed or not counts.get("ran") else 0


if __name__ == "__main__":
    sys.exit(main())
