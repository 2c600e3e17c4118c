#!/usr/bin/env bash
# What syncline-mpi costs on several processes, against syncline on one core: median wall time, which
# wants an idle machine with a core for each process, mean processor seconds of the first process and of
# the busiest other one, which do not, the largest memory of any process and of the first one, bytes and
# messages sent per event.
#   bench/mpi_analysis.sh [--events 20000000] [--grid 8x8] [--processes '1 2 4 8'] [--runs 5]
#                         [--command 'check'] [--keep FOLDER]
# Makes an archive with collectives in a temporary folder, or in FOLDER, which it keeps and uses
# again. Outputs of --command sync, also 'sync --write events', are compared with those of syncline.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

events=20000000 grid=8x8 processes='1 2 4 8' runs=5 command=check folder=''
while [ "$#" -gt 0 ]; do
  case $1 in
    --events) events=$2; shift 2 ;;
    --grid) grid=$2; shift 2 ;;
    --processes) processes=$2; shift 2 ;;
    --runs) runs=$2; shift 2 ;;
    --command) command=$2; shift 2 ;;
    --keep) folder=$2; shift 2 ;;
    *) sed -n '2,10s/^# //p' "$0" >&2; exit 1 ;;
  esac
done
for program in build/release/{syncline,syncline-mpi}; do
  [ -x "$program" ] || { echo "$program is missing" >&2; exit 1; }
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
archive=${folder:-$scratch}/$grid-$events/trace/traces.otf2
if [ ! -e "$archive" ]; then
  build/release/syncline simulate grid --grid "$grid" --events "$events" --collectives 10 --start 10s \
    --clock '*:offset=~1ms+drift=~50ppm' --format otf2 --quiet -o "${folder:-$scratch}/$grid-$events"
fi

# Seconds of each run in $scratch/seconds, what the last one said in $scratch/cost, processor seconds of
# each process of each run in $scratch/busy.
# shellcheck disable=SC2016
timed='exec /usr/bin/time -o "$0" -a -f "${OMPI_COMM_WORLD_RANK:-0} %U %S" "$@"'
run_all() {
  : >"$scratch/seconds"
  rm -f "$scratch/busy"
  for ((i = 0; i < runs; ++i)); do
    rm -rf "$scratch/out"
    /usr/bin/time -a -o "$scratch/seconds" -f %e "$@" >/dev/null 2>"$scratch/cost"
  done
}
busy() {
  awk -v runs="$runs" '
    { seconds[$1] += ($2 + $3) / runs }
    END { for (p in seconds) if (p > 0 && seconds[p] > other) other = seconds[p]
          printf "%.2f %.2f", seconds[0], other }' "$scratch/busy"
}
median() { sort -n "$scratch/seconds" | sed -n "$(((runs + 1) / 2))p"; }

arguments=("$archive" --quiet)
[ "${command%% *}" != sync ] || arguments+=(-o "$scratch/out")
# shellcheck disable=SC2086
run_all taskset -c 0 sh -c "$timed" "$scratch/busy" build/release/syncline $command "${arguments[@]}" --json "$scratch/summary.json" --force
counted=$(sed -n 's/^ *"events": \([0-9]*\),\{0,1\}$/\1/p' "$scratch/summary.json" | tail -1)
[ ! -d "$scratch/out" ] || mv "$scratch/out" "$scratch/alone"
awk -v seconds="$(median)" -v busy="$(busy)" -v events="$counted" -v peak="$(sed -n 's/^ *"peak_bytes": \([0-9]*\)$/\1/p' "$scratch/summary.json" | tail -1)" \
  'BEGIN { split(busy, s)
           printf "%s events\nprocesses  seconds  first s  other s  first MB  other MB  bytes/event  messages\n", events
           printf "%9s  %7.2f  %7.2f  %7s  %8.0f\n", "(alone)", seconds, s[1], "", peak / 1e6 }'
for count in $processes; do
  # shellcheck disable=SC2086
  SYNCLINE_MPI_COST=1 run_all mpirun --allow-run-as-root --oversubscribe -n "$count" \
    sh -c "$timed" "$scratch/busy" build/release/syncline-mpi $command "${arguments[@]}"
  if [ -d "$scratch/alone" ]; then
    diff -rq --exclude syncline.json "$scratch/alone" "$scratch/out"
  fi
  sed -n 's/.*: process \([0-9]*\) of .*: sent \([0-9]*\) bytes in \([0-9]*\) messages, .* peak memory \([0-9]*\) bytes/\1 \2 \3 \4/p' \
    "$scratch/cost" |
    awk -v count="$count" -v seconds="$(median)" -v busy="$(busy)" -v events="$counted" '
      { bytes += $2; messages += $3 }
      $1 == 0 { first = $4; next }
      $4 > other { other = $4 }
      END { split(busy, s)
            printf "%9d  %7.2f  %7.2f  %7.2f  %8.0f  %8.0f  %11.2f  %8d\n", count, seconds, s[1], s[2], first / 1e6, other / 1e6, bytes / events, messages }'
done
