#!/usr/bin/env bash
# Compares `syncline sync` with `mergecap` on two large captures: wall time, ratio, peak memory.
#   bench/sync_captures.sh [--size 1GB] [--runs 3] [--offset-s 0] [--between-only] [--keep FOLDER]
# Makes the captures in a temporary folder (about 4 × size), or in FOLDER, which it keeps and uses
# again. Each program runs once to warm up, then both in turn, so that both meet the same machine.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

size=1GB runs=3 folder='' make_options=()
while [ "$#" -gt 0 ]; do
  case $1 in
    --size) size=$2; shift 2 ;;
    --runs) runs=$2; shift 2 ;;
    --offset-s) make_options+=(--offset-s "$2"); shift 2 ;;
    --between-only) make_options+=("$1"); shift ;;
    --keep) folder=$2; shift 2 ;;
    *) sed -n '2,5s/^# //p' "$0" >&2; exit 1 ;;
  esac
done
for program in build/release/syncline build/release/make_captures; do
  [ -x "$program" ] || { echo "$program is missing: build the release preset first" >&2; exit 1; }
done
for program in mergecap /usr/bin/time; do
  command -v "$program" >/dev/null || {
    echo "$program is missing: install the packages tshark and time" >&2
    exit 1
  }
done

if [ -z "$folder" ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi
if [ ! -e "$folder/truth.json" ]; then
  build/release/make_captures examples/captures/{a,b}.pcap --truth examples/captures/truth.json \
    --size "$size" -o "$folder" "${make_options[@]}"
fi
ls -l "$folder"/*.pcap

merge() { measure mergecap mergecap -F nsecpcap -w "$folder/merged.pcap" "$folder"/{a,b}.pcap; }
sync_clocks() {
  measure syncline build/release/syncline sync "$folder"/{a,b}.pcap -o "$folder/synced" --force \
    --quiet
}

# measure NAME COMMAND...: appends "NAME seconds user+sys-seconds peak-KiB" to the figures.
measure() {
  local name=$1 status=0
  shift
  sync
  /usr/bin/time -o "$folder/time" -f '%e %U %S %M' "$@" >"$folder/output" 2>&1 || status=$?
  # syncline ends with 3 when it states a weakness; what it did is the same.
  if [ "$status" -ne 0 ] && [ "$status" -ne 3 ]; then
    cat "$folder/output" >&2
    exit "$status"
  fi
  tail -n 1 "$folder/time" | awk -v name="$name" '{ print name, $1, $2 + $3, $4 }' |
    tee -a "$folder/figures"
}

echo "warming up"
merge
sync_clocks
: >"$folder/figures"
echo "measuring: program, wall s, CPU s, peak KiB"
for ((run = 0; run < runs; ++run)); do
  merge
  sync_clocks
done
rm -f "$folder/merged.pcap"

# Medians of the runs, and the ratio of the median wall times.
sort -k1,1 -k2,2n "$folder/figures" | awk '
  { wall[$1, ++n[$1]] = $2; cpu[$1] += $3; if ($4 > peak[$1]) peak[$1] = $4 }
  function row(p) { m[p] = wall[p, int((n[p] + 1) / 2)]
    printf "%-10s %10.2f %10.2f %10.2f %10.2f %12.1f\n", p, wall[p, 1], m[p], wall[p, n[p]],
      cpu[p] / n[p], peak[p] / 1024 }
  END { printf "%-10s %10s %10s %10s %10s %12s\n", "program", "wall min", "median", "max", "CPU mean",
      "peak MiB"
    row("mergecap"); row("syncline")
    printf "syncline / mergecap: %.2f of the wall time\n", m["syncline"] / m["mergecap"] }'
