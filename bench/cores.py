"""What the benchmarks of Cortex-M cores share: a board for each core, and the vendor's table (../shared/oracles)."""

import csv
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
TABLE = SHARED / "oracles/cmsis_nn_instructions.csv"

BOARDS = {"cortex-m3": "mps2-an385", "cortex-m4": "mps2-an386", "cortex-m55": "mps3-an547"}
NETWORKS = ("kws", "vww", "resnet8", "ad01")
PRODUCTS = ("conv", "depthwise", "fully_connected")  # what a network's sum is made of


def short_name(core):
    """ "M4" of "cortex-m4", as tables have it."""
    return core.removeprefix("cortex-").upper()


def vendor_rows(core):
    """The table's rows of a core; sums of weights are no operator of ours, the compiler makes them."""
    with TABLE.open() as table:
        return [row for row in csv.DictReader(table) if row["core"] == core and row["op"] != "vector_sum"]


def vendor_count(row):
    """Machine instructions of a layer: the smaller of the vendor's two compilers."""
    return min(int(row["instructions"]), int(row["instructions_clang19"]))


def times_in(network, row):
    """How often a network has the row's layer."""
    found = re.search(rf"\b{network}:(\d+)", row["nets"])
    return int(found.group(1)) if found else 0
