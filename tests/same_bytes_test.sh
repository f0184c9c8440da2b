#!/usr/bin/env bash
# The same model gives the same file: compiled twice by one build of berth, and by builds of two compilers.
#
#   tests/same_bytes_test.sh BERTH [OTHER-BERTH] -- MODEL...
set -euo pipefail

builds=()
while (($#)) && [[ $1 != -- ]]; do builds+=("$1"); shift; done
shift || true
((${#builds[@]} && $#)) || { echo "usage: $0 BERTH [OTHER-BERTH] -- MODEL..."; exit 2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0
status=0
for model in "$@"; do
  number=0
  for berth in "${builds[0]}" "${builds[@]}"; do  # the first one twice
    "$berth" -q compile "$model" -o "$work/$number.pte" --report "$work/$number.json"
    # The report names the file it was written with; every other byte must be equal.
    sed -i "s|$work/$number.pte|OUT|" "$work/$number.json"
    for kind in pte json; do
      cmp "$work/0.$kind" "$work/$number.$kind" || { echo "$model: $berth gives another .$kind"; status=1; }
    done
    number=$((number + 1))
  done
  count=$((count + 1))
done
echo "same bytes: $count models, ${#builds[@]} builds, each twice by the first"
exit "$status"
