#!/usr/bin/env python3
"""Machine instructions of int8 networks on emulated Cortex-M cores, layer by layer beside the vendor's library.

    python3 bench/network_layers.py --berth build/release/berth [--layers] [--out build/firmware]

The vendor's counts, and how they were counted, stand in ../shared/oracles: per layer the smaller of its two compilers. Ours
are whole operators of a running model, arguments and checks included. --layers prints every layer.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "firmware"), str(ROOT / "bench")]
import image  # noqa: E402
from cores import BOARDS, NETWORKS, PRODUCTS, SHARED, short_name, times_in, vendor_count, vendor_rows  # noqa: E402

KINDS = {"conv": "quantized_conv2d", "depthwise": "quantized_depthwise_conv2d", "fully_connected": "quantized_linear",
         "add": "quantized_add", "avg_pool": "quantized_avg_pool2d", "softmax": "softmax"}  # fmt: skip


def vendor_layers(core, network):
    """{kind: [(row's id, instructions)...]} in the order of the network."""
    layers = {kind: [] for kind in KINDS}
    for row in vendor_rows(core):
        if row["op"] in layers:
            layers[row["op"]] += [(row["id"], vendor_count(row))] * times_in(network, row)
    if network == "ad01":  # its eight layers of 128 to 128, 8 and back do not stand in the table's order
        rows = dict(layers["fully_connected"])
        names = ["640_128", *["128_128"] * 3, "128_8", "8_128", *["128_128"] * 3, "128_640"]
        layers["fully_connected"] = [(f"ad_{name}", rows[f"ad_{name}"]) for name in names]
    return layers


def our_layers(berth, network, board, out):
    """[(operator, instructions)...]; the answers are checked on the way."""
    folder = SHARED / "models" / network
    pte = out / f"{network}-{board}.pte"
    subprocess.run([berth, "-q", "compile", folder / "model.tflite", "-o", pte, "--board", board], check=True)
    code, text = image.make_and_run(berth, pte, board, out, folder / "input0.bin", folder / "output0.bin")
    if code != 0:
        raise SystemExit(f"error: {network} on {board}: {text}")
    return [(name, int(count)) for name, count in re.findall(r"instruction \d+ cortex_m::(\w+): (\d+)", text)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--berth", type=pathlib.Path, required=True)
    parser.add_argument("--layers", action="store_true")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/firmware")
    arguments = parser.parse_args()
    if missing := image.missing_tools():
        raise SystemExit(f"error: not installed: {', '.join(missing)}")
    if not (SHARED / "oracles").is_dir():
        raise SystemExit(f"error: no oracles in {SHARED}")
    arguments.out.mkdir(parents=True, exist_ok=True)
    print("| network | core | convolutions, linear | vendor | ratio | all layers | worst layer |\n|---|---|---|---|---|---|---|")
    for network in NETWORKS:
        for core, board in BOARDS.items():
            theirs = vendor_layers(core, network)
            ours = our_layers(arguments.berth, network, board, arguments.out)
            products = [0, 0]
            worst = (0.0, "")
            for kind, rows in theirs.items():
                mine = [count for name, count in ours if name == KINDS[kind]]
                for (row, count), own in zip(rows, mine, strict=True):
                    worst = max(worst, (own / count, row))
                    if arguments.layers:
                        print(f"    {row:24} {own:9} {count:9} {own / count:5.2f}", file=sys.stderr)
                    if kind in PRODUCTS:
                        products[0] += own
                        products[1] += count
            total = sum(count for _, count in ours)
            print(f"| {network} | {short_name(core)} | {products[0]} | {products[1]} | {products[0] / products[1]:.2f} | {total} | "
                  f"{worst[0]:.2f} {worst[1]} |")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
