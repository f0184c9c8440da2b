#!/usr/bin/env bash
# ./dev demo: from a .tflite to the right answer, with every byte accounted for.
#
#   demo.sh BUILD-FOLDER OUTPUT-FOLDER
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$1 out=$2
mkdir -p "$out"

step() { printf '\n$ %s\n' "$*"; "$@"; }

step "$build/berth" compile "$here/digits.tflite" -o "$out/digits.pte" --report "$out/digits.txt" --header "$out/digits.h"
step cat "$out/digits.txt"
step "$build/examples/digits/digits_classify" "$out/digits.pte" "$here"
