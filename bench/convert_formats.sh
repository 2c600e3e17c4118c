#!/usr/bin/env bash
# Measures `syncline convert` of one trace to each format, with times as recorded and corrected: wall
# time, CPU time, peak memory, size of what is written.
#   bench/convert_formats.sh [--events 1000000] [--keep FOLDER]
# Makes a text trace of 64 processes in a temporary folder, or in FOLDER, which it keeps and uses
# again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

events=1000000 folder=''
while [ "$#" -gt 0 ]; do
  case $1 in
    --events) events=$2; shift 2 ;;
    --keep) folder=$2; shift 2 ;;
    *) sed -n '2,6s/^# //p' "$0" >&2; exit 1 ;;
  esac
done
program=build/release/syncline
[ -x "$program" ] || { echo "$program is missing: build the release preset first" >&2; exit 1; }
command -v /usr/bin/time >/dev/null || { echo "install the package time" >&2; exit 1; }
if [ -z "$folder" ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi
trace=$folder/trace-$events/trace.txt
if [ ! -e "$trace" ]; then
  mkdir -p "$folder"
  "$program" simulate grid --grid 8x8 --events "$events" --start 1s --quiet \
    --clock '*:offset=~1ms+drift=~50ppm' -o "$folder/trace-$events"
fi

# measure NAME ARGUMENTS...
measure() {
  local name=$1 status=0
  shift
  rm -rf "$folder/out"
  /usr/bin/time -o "$folder/time" -f '%e %U %S %M' "$program" "$@" >/dev/null || status=$?
  if [ "$status" -ne 0 ] && [ "$status" -ne 3 ]; then exit "$status"; fi
  tail -n 1 "$folder/time" | awk -v name="$name" -v bytes="$( (du -sb "$folder/out" 2>/dev/null || echo 0) | cut -f1)" \
    '{ printf "%-20s %8.2f %8.2f %10.1f %10.1f\n", name, $1, $2 + $3, $4 / 1024, bytes / 1e6 }'
}

echo "format                 wall s    CPU s   peak MiB    file MB"
measure "(check)" check "$trace" --quiet
for times in recorded corrected; do
  for format in chrome perfetto shiviz csv text otf2 ctf; do
    how=()
    if [ "$times" = recorded ]; then how=(--recorded); fi
    measure "$format $times" convert "$trace" "${how[@]}" --quiet --to "$format" -o "$folder/out"
  done
done
