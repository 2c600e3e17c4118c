#!/usr/bin/env bash
# Compares `syncline sync` with a program that only reads all events of the same CTF traces by
# libbabeltrace2, and with --write events also with `babeltrace2 convert` to CTF, which writes the same
# events: wall time, ratio, CPU time, peak memory.
#   bench/sync_ctf.sh [--events 4000000] [--hosts 4] [--runs 11] [--write metadata] [--keep FOLDER]
# Makes traces of hosts with two streams each in a temporary folder, or in FOLDER, which it keeps
# and uses again. Each program runs once to warm up, then both in turn, so that both meet the same
# machine. syncline reads several traces at a time, the other one after the other: to compare work
# by work, look at the CPU time, or prefix the script with `taskset -c 0`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

events=4000000 hosts=4 runs=11 write=metadata folder=''
while [ "$#" -gt 0 ]; do
  case $1 in
    --events) events=$2; shift 2 ;;
    --hosts) hosts=$2; shift 2 ;;
    --runs) runs=$2; shift 2 ;;
    --write) write=$2; shift 2 ;;
    --keep) folder=$2; shift 2 ;;
    *) sed -n '2,9s/^# //p' "$0" >&2; exit 1 ;;
  esac
done
for program in build/release/{syncline,ctf_read,make_ctf}; do
  [ -x "$program" ] || {
    echo "$program is missing: cmake --preset release && ninja -C build/release syncline bench" >&2
    exit 1
  }
done
command -v /usr/bin/time >/dev/null || { echo "install the package time" >&2; exit 1; }

if [ -z "$folder" ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi
traces=$folder/ctf-$events-$hosts
[ -e "$traces" ] || build/release/make_ctf "$traces" "$events" "$hosts"

read_events() { measure read build/release/ctf_read "$traces"/*/kernel; }
convert() {
  rm -rf "$folder/converted"
  measure babeltrace2 babeltrace2 convert "$traces" --output-format ctf --output "$folder/converted"
}
sync_clocks() {
  measure syncline build/release/syncline sync "$traces" -o "$folder/synced" --force --quiet \
    --write "$write" --match 'msg:send(id, src, dst) -> msg:recv(id, src, dst)'
}

# shellcheck source=bench/side_by_side.sh
source bench/side_by_side.sh
if [ "$write" = events ]; then
  command -v babeltrace2 >/dev/null || { echo "install the package babeltrace2" >&2; exit 1; }
  compare_programs read_events convert sync_clocks
else
  compare_programs read_events sync_clocks
fi
