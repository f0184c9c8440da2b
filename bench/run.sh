#!/usr/bin/env bash
# ./dev bench: makes the virtual environment with TensorFlow Lite Micro once, then measures.
#
#   bench/run.sh BUILD-FOLDER [bench.py options]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$1
shift

# The version is pinned: another day's kernels are another yardstick.
micro=tflite-micro==0.dev20261023182759
venv=build/bench-venv
python=python3
if [[ ! -f "$venv/ready" ]]; then
  rm -rf "$venv"
  if python3 -m venv "$venv" && "$venv/bin/pip" install -q --disable-pip-version-check "$micro"; then
    touch "$venv/ready"
  else
    echo "bench/run.sh: SKIPPED the comparison with TensorFlow Lite Micro: $micro could not be installed" >&2
  fi
fi
[[ ! -f "$venv/ready" ]] || python=$venv/bin/python
litert=ai-edge-litert==2.3.0
if [[ -f "$venv/ready" && ! -f "$venv/litert" ]]; then
  if "$venv/bin/pip" install -q --disable-pip-version-check "$litert"; then
    touch "$venv/litert"
  else
    echo "bench/run.sh: SKIPPED the comparison with LiteRT: $litert could not be installed" >&2
  fi
fi
"$python" bench/bench.py --berth "$build/berth" "$@"
"$python" bench/float_models.py --berth "$build/berth" --direct "$build/bench/onednn_direct"
[[ ! -x "$build/bench/shared_delegate" ]] || "$build/bench/shared_delegate"
