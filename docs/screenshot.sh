#!/usr/bin/env bash
# Makes docs/memory_map.png, the picture of README.md: the page of `berth compile --report x.html`, as a browser without a
# window shows it. Needs Debian's chromium-headless-shell (or chromium) and a built berth.
#
#   docs/screenshot.sh BERTH [MODEL] [OUT.png]
set -euo pipefail

root="$(cd "$(dirname "$0")/.." && pwd)"
berth="$(realpath "${1:?which berth?}")"
model="$(realpath "${2:-$root/compiler/passes/testdata/branches/nas_cell.bir}")"
out="$(realpath -m "${3:-$root/docs/memory_map.png}")"

browser=""
for name in chromium-headless-shell chromium google-chrome; do
  if command -v "$name" >/dev/null; then browser="$name"; break; fi
done
if [ -z "$browser" ]; then
  echo "docs/screenshot.sh: no browser; apt-get install chromium-headless-shell" >&2
  exit 1
fi

folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$berth" -q compile "$model" --board mps2-an386 -o "$(basename "${model%.*}").pte" --report page.html
# --no-sandbox: the page is ours, and inside a container there is no other way as root.
"$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1 \
  --window-size=1280,720 --screenshot="$out" "file://$folder/page.html" >browser.log 2>&1 || { cat browser.log >&2; exit 1; }
bytes="$(stat -c %s "$out")"
echo "$out: $bytes bytes"
[ "$bytes" -lt 150000 ] || { echo "docs/screenshot.sh: a picture of the README has less than 150000 bytes" >&2; exit 1; }
