#!/usr/bin/env bash
# Bytes of the runtime core (runtime/core, load, exec; no kernels), for this machine, a Cortex-M4 and a Cortex-M55, compiled
# for size as a firmware would be. What a firmware can leave out (prim operators, tracing, external data, delegates) is listed
# apart. bench/size_by_part.py tells what a whole image with a model takes.
#
#   bench/size.sh [--out FOLDER]            the tables
#   bench/size.sh --check [--out FOLDER]    the Cortex-M4 core alone, whole and bare, against bench/size_limits.txt: fails when
#                                           it has grown above its limit, when it has shrunk so far that the limit says
#                                           little, when it has variables, and when nm shows a heap, exceptions or stdio
#                                           (exit 77, "skipped", without the cross-compiler)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

out=build/size
check=false
while (($#)); do
  case $1 in
    --check) check=true ;;
    --out) out=$2; shift ;;
    *) echo "bench/size.sh: unknown argument $1" >&2; exit 2 ;;
  esac
  shift
done
flags=(-std=c++17 -Os -DNDEBUG -ffreestanding -fno-exceptions -fno-rtti -fno-threadsafe-statics -ffunction-sections
  -fdata-sections -Wall -I.)

mapfile -t sources < <(find runtime/core runtime/load runtime/exec -name '*.cc' ! -name '*_test.cc' ! -name '*_testing.cc' 2>/dev/null | sort)
((${#sources[@]})) || { echo "bench/size.sh: no sources in runtime/core, load, exec"; exit 1; }

# compile TARGET COMPILER FLAGS...: one object per source, under $out/TARGET
compile() {
  local target=$1 compiler=$2 source object
  shift 2
  for source in "${sources[@]}"; do
    object="$out/$target/${source%.cc}.o"
    mkdir -p "$(dirname "$object")"
    "$compiler" "$@" "${flags[@]}" -c "$source" -o "$object"
  done
}

# sections PREFIX [-u SYMBOL]... OBJECT...: "text rodata data bss" of a relocatable link, so that an inline function
# counts once. With symbols: only what they need, as in an image linked with --gc-sections.
sections() {
  local prefix=$1 gc=()
  shift
  [[ $1 != -u ]] || gc=(--gc-sections)
  "${prefix}ld" -r "${gc[@]}" -o "$out/linked.o" "$@"
  "${prefix}size" -A "$out/linked.o" | awk '
    $1 ~ /^\.text/ { text += $2 } $1 ~ /^\.rodata/ { rodata += $2 }
    $1 ~ /^\.(data|init_array)/ { data += $2 } $1 ~ /^\.bss/ { bss += $2 }
    END { print text + 0, rodata + 0, data + 0, bss + 0 }'
}

# report TARGET LABEL PREFIX: a table; leaves the core's .text + .rodata in `total`, its .data + .bss in `variables`, and
# the core itself in $out/TARGET/core.o
report() {
  local target=$1 label=$2 prefix=$3 text rodata data bss group objects core=() entries
  local -A groups=([prim]='prim' [tracing]='trac(e|ing)|etdump' [external_data]='external_data' [delegates]='delegates')
  printf '%s\n' "$label"
  printf '  %-28s %8s %8s %8s %8s\n' '' .text .rodata .data .bss
  row() {
    printf '  %-28s %8d %8d %8d %8d\n' "$@"
  }
  for folder in core load exec; do
    mapfile -t objects < <(find "$out/$target/runtime/$folder" -name '*.o' 2>/dev/null | grep -vE "/[^/]*(${groups[prim]}|${groups[tracing]}|${groups[external_data]}|${groups[delegates]})[^/]*$" | sort)
    ((${#objects[@]})) || continue
    core+=("${objects[@]}")
    read -r text rodata data bss < <(sections "$prefix" "${objects[@]}")
    row "runtime/$folder" "$text" "$rodata" "$data" "$bss"
  done
  mapfile -t entries < <("${prefix}nm" --defined-only -g "$out/$target"/runtime/exec/*.o | awk '$2 == "T" { print "-u"; print $3 }')
  read -r text rodata data bss < <(sections "$prefix" "${entries[@]}" "${core[@]}")
  row "core, as linked" "$text" "$rodata" "$data" "$bss"
  total=$((text + rodata)) variables=$((data + bss))
  mv "$out/linked.o" "$out/$target/core.o"
  for group in prim tracing external_data delegates; do
    mapfile -t objects < <(find "$out/$target/runtime" -name '*.o' | grep -E "/[^/]*(${groups[$group]})[^/]*$" | sort)
    ((${#objects[@]})) || continue
    read -r text rodata data bss < <(sections "$prefix" "${objects[@]}")
    row "apart: $group" "$text" "$rodata" "$data" "$bss"
  done
}

# check_limit NAME BYTES COMPILER: its line in the limits file.
check_limit() {
  local name=$1 bytes=$2 compiler=$3 limit date with
  read -r _ limit date with < <(grep -E "^$name " bench/size_limits.txt) ||
    { echo "error: bench/size_limits.txt has no line for $name"; return 1; }
  printf '%s: %d of %d bytes (limit of %s, %s)\n' "$name" "$bytes" "$limit" "$date" "$with"
  [[ "$compiler" == "$with" ]] || echo "note: this compiler is $compiler; the limit was set with $with"
  if ((bytes > limit)); then
    echo "error: $name has grown $((bytes - limit)) bytes above its limit; bench/size_limits.txt says how to go on"
    return 1
  fi
  if ((bytes * 100 < limit * 95)); then
    echo "error: $name is more than 5 % below its limit: keep what was won, lower the limit in bench/size_limits.txt"
    return 1
  fi
}

# check_core TARGET NAME COMPILER: what was reported last against its limit; no variables, no symbol that a device has not.
check_core() {
  local failed=0
  check_limit "$2" "$total" "$3" || failed=1
  ((variables == 0)) || { echo "error: $2 has $variables bytes of .data and .bss"; failed=1; }
  NM=arm-none-eabi-nm tests/symbols_test.sh "$out/$1/core.o" || failed=1
  return "$failed"
}

m4=(arm-none-eabi-g++ -mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard -mthumb)
bare=(-DBERTH_NO_LOAD_FAULT -DBERTH_NO_CERTIFICATE -DBERTH_TRUST_FILE)
rm -rf "$out"
if ! command -v "${m4[0]}" >/dev/null; then
  missing="Cortex-M4: SKIPPED, no arm-none-eabi-g++ (Debian: gcc-arm-none-eabi libstdc++-arm-none-eabi-newlib); its limit is NOT checked"
  if $check; then echo "$missing"; exit 77; fi
fi
if ! $check; then
  compile host g++
  report host "this machine ($(uname -m)), $(g++ --version | head -n 1)" ""
  [[ -z "${missing:-}" ]] || { echo "$missing"; exit 0; }
fi
compiler=$(arm-none-eabi-g++ --version | head -n 1)
compile cortex-m4 "${m4[@]}"
report cortex-m4 "Cortex-M4, $compiler" arm-none-eabi-
status=0
check_core cortex-m4 cortex_m4_core "$compiler" || status=1
compile cortex-m4-bare "${m4[@]}" "${bare[@]}"
report cortex-m4-bare "Cortex-M4, bare: ${bare[*]#-D}" arm-none-eabi-
check_core cortex-m4-bare cortex_m4_core_bare "$compiler" || status=1
if $check; then exit "$status"; fi
# What the same core takes without parts that runtime.h lets a tiny image leave out.
for left_out in -DBERTH_NO_LOAD_FAULT -DBERTH_NO_CERTIFICATE "-DBERTH_NO_LOAD_FAULT -DBERTH_NO_CERTIFICATE"; do
  # shellcheck disable=SC2086
  compile cortex-m4-less "${m4[@]}" $left_out
  report cortex-m4-less "" arm-none-eabi- >/dev/null
  printf '  Cortex-M4 with %-48s %6d\n' "$left_out:" "$total"
done
compile cortex-m55 arm-none-eabi-g++ -mcpu=cortex-m55 -mthumb -mfloat-abi=hard
report cortex-m55 "Cortex-M55, $compiler" arm-none-eabi-
exit "$status"
