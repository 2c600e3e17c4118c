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

# shellcheck source=bench/side_by_side.sh
source bench/side_by_side.sh
compare_programs read_events sync_clocks
