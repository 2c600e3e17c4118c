#!/usr/bin/env bash
# Compares `syncline sync` with `mergecap` on captures of a clock that is set back again and again, as a
# sawtooth: wall time, ratio, peak memory; and says what sync made of it, beside the truth.
#   bench/sync_sawtooth.sh [--captures FOLDER] [--copies 100] [--runs 3] [--keep FOLDER] [-- SYNC_OPTIONS...]
# FOLDER holds a.pcap, b.pcap and truth.json; $SYNCLINE_DATA/captures/linear if not given. Works in a
# temporary folder, or in that of --keep, whose captures it uses again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=tools/setup.sh
source tools/setup.sh

captures=${SYNCLINE_DATA:+$SYNCLINE_DATA/captures/linear}
copies=100 runs=3 folder='' options=()
while [ "$#" -gt 0 ]; do
  case $1 in
    --captures) captures=$2; shift 2 ;;
    --copies) copies=$2; shift 2 ;;
    --runs) runs=$2; shift 2 ;;
    --keep) folder=$2; shift 2 ;;
    --) shift; options=("$@"); break ;;
    *) sed -n '2,6s/^# //p' "$0" >&2; exit 1 ;;
  esac
done
[ -n "$captures" ] || { echo "name the captures with --captures, or set SYNCLINE_DATA" >&2; exit 1; }
for program in build/release/syncline build/release/make_sawtooth; do
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
  build/release/make_sawtooth "$captures" --copies "$copies" -o "$folder"
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
    --quiet "${options[@]}"
}

# shellcheck source=bench/side_by_side.sh
source bench/side_by_side.sh
compare_programs merge sync_clocks
rm -f "$folder/merged.pcap"

echo
build/release/syncline sync "$folder"/{a,b}.pcap -o "$folder/synced" --force --reference a \
  --truth "$folder/truth.json" --logical none "${options[@]}" || [ "$?" -eq 3 ]
