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
  [ -x "$program" ] || {
    echo "$program is missing: cmake --preset release && ninja -C build/release syncline bench" >&2
    exit 1
  }
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

# What the one before wrote is on the disk before the next begins.
merge() {
  sync
  measure mergecap mergecap -F nsecpcap -w "$folder/merged.pcap" "$folder"/{a,b}.pcap
}
sync_clocks() {
  sync
  measure syncline build/release/syncline sync "$folder"/{a,b}.pcap -o "$folder/synced" --force \
    --quiet
}

# shellcheck source=bench/side_by_side.sh
source bench/side_by_side.sh
compare_programs merge sync_clocks
rm -f "$folder/merged.pcap"
