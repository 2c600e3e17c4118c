#!/usr/bin/env bash
# Compares `syncline sync --write metadata` with a program that only reads all events of the same
# OTF2 archive by the same library: wall time, ratio, CPU time, peak memory.
#   bench/sync_otf2.sh [--events 2000000] [--runs 11] [--clocks straight|wandering] [--logical NAME]
#                      [--keep FOLDER] [--archive TRACES.otf2]
# Makes an archive of 64 locations in a temporary folder, or in FOLDER, which it keeps and uses
# again. `straight`: a row of clocks of constant drift; `wandering`: a grid, their drift changes, and
# lines leave contradictions. --logical: none, or controlled (the default of sync). Each program
# runs once to warm up, then both in turn, so that both meet the same machine.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

events=2000000 runs=11 clocks=straight logical=controlled folder='' archive=''
while [ "$#" -gt 0 ]; do
  case $1 in
    --events) events=$2; shift 2 ;;
    --runs) runs=$2; shift 2 ;;
    --clocks) clocks=$2; shift 2 ;;
    --logical) logical=$2; shift 2 ;;
    --keep) folder=$2; shift 2 ;;
    --archive) archive=$2; shift 2 ;;
    *) sed -n '2,9s/^# //p' "$0" >&2; exit 1 ;;
  esac
done
case $clocks in
  straight) grid=1x64 clock='*:offset=~1ms+drift=~50ppm' ;;
  wandering) grid=8x8 clock='*:offset=~1ms+drift=~50ppm+walk=1ppm/10s' ;;
  *) echo "--clocks: straight or wandering" >&2; exit 1 ;;
esac
for program in build/release/{syncline,otf2_read}; do
  [ -x "$program" ] || { echo "$program is missing: build the release preset first" >&2; exit 1; }
done
command -v /usr/bin/time >/dev/null || { echo "install the package time" >&2; exit 1; }

if [ -z "$folder" ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi
if [ -z "$archive" ]; then
  archive=$folder/$clocks/trace/traces.otf2
  if [ ! -e "$archive" ]; then
    mkdir -p "$folder"
    build/release/syncline simulate grid --grid "$grid" --events "$events" --start 1s --clock "$clock" \
      --format otf2 -o "$folder/$clocks"
  fi
fi

read_events() { measure read build/release/otf2_read "$archive"; }
sync_clocks() {
  measure syncline build/release/syncline sync "$archive" -o "$folder/synced" --force --quiet \
    --write metadata --logical "$logical"
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
    printf "syncline / read: %.2f of the wall time (of the least: %.2f)\n",
      m["syncline"] / m["read"], wall["syncline", 1] / wall["read", 1] }'
