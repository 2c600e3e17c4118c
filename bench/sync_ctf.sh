#!/usr/bin/env bash
# Compares `syncline sync` with a program that only reads all events of the same CTF traces by
# libbabeltrace2: wall time, ratio, CPU time, peak memory.
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
    *) sed -n '2,8s/^# //p' "$0" >&2; exit 1 ;;
  esac
done
for program in build/release/{syncline,ctf_read,make_ctf}; do
  [ -x "$program" ] || { echo "$program is missing: build the release preset first" >&2; exit 1; }
done
command -v /usr/bin/time >/dev/null || { echo "install the package time" >&2; exit 1; }

if [ -z "$folder" ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi
traces=$folder/ctf-$events-$hosts
[ -e "$traces" ] || build/release/make_ctf "$traces" "$events" "$hosts"

read_events() { measure read build/release/ctf_read "$traces"/*/kernel; }
sync_clocks() {
  measure syncline build/release/syncline sync "$traces" -o "$folder/synced" --force --quiet \
    --write "$write" --match 'msg:send(id, src, dst) -> msg:recv(id, src, dst)'
}

# measure NAME COMMAND...: appends "NAME seconds user+sys-seconds peak-KiB" to the figures.
measure() {
  local name=$1 status=0 before
  shift
  before=$(date +%s%N)
  /usr/bin/time -o "$folder/time" -f '%U %S %M' "$@" >"$folder/output" 2>&1 || status=$?
  # syncline ends with 3 when it states a weakness; what it did is the same.
  if [ "$status" -ne 0 ] && [ "$status" -ne 3 ]; then
    cat "$folder/output" >&2
    exit "$status"
  fi
  tail -n 1 "$folder/time" | awk -v name="$name" -v ns=$(($(date +%s%N) - before)) \
    '{ printf "%s %.3f %.2f %d\n", name, ns / 1e9, $1 + $2, $3 }' | tee -a "$folder/figures"
}

echo "warming up"
read_events
sync_clocks
: >"$folder/figures"
echo "measuring: program, wall s, CPU s, peak KiB"
for ((run = 0; run < runs; ++run)); do
  read_events
  sync_clocks
done

# Medians of the runs, and the ratio of the median wall times.
sort -k1,1 -k2,2n "$folder/figures" | awk '
  { wall[$1, ++n[$1]] = $2; cpu[$1] += $3; if ($4 > peak[$1]) peak[$1] = $4 }
  function row(p) { m[p] = wall[p, int((n[p] + 1) / 2)]
    printf "%-10s %10.3f %10.3f %10.3f %10.2f %12.1f\n", p, wall[p, 1], m[p], wall[p, n[p]],
      cpu[p] / n[p], peak[p] / 1024 }
  END { printf "%-10s %10s %10s %10s %10s %12s\n", "program", "wall min", "median", "max", "CPU mean",
      "peak MiB"
    row("read"); row("syncline")
    printf "syncline / read: %.2f of the wall time (of the least: %.2f), %.2f of the CPU time\n",
      m["syncline"] / m["read"], wall["syncline", 1] / wall["read", 1],
      cpu["syncline"] / cpu["read"] }'
