#!/usr/bin/env bash
# Records two processes that exchange messages and whose clocks disagree: b is 1.7 s ahead of a and
# runs 35 ppm fast.
#
#   record.sh OUT [REQUESTS]
#
# OUT/a and OUT/b become the traces. Needs lttng-tools, liblttng-ust-dev, pkg-config and g++
# (LTTng-UST refuses the clock as clang builds it), no kernel module and no rights. Exits with 77,
# and says why, where LTTng cannot run here.
set -euo pipefail
sources=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
requests=${2:-300}
session=syncline-$$
work=$(mktemp -d)
sessiond=

cannot() {
  echo "LTTng cannot record here: $1" >&2
  exit 77
}
cleanup() {
  lttng --no-sessiond destroy --no-wait "$session" >/dev/null 2>&1 || true
  if [ -n "$sessiond" ]; then
    kill "$sessiond" 2>/dev/null || true
    wait "$sessiond" 2>/dev/null || true
  fi
  rm -rf "$work"
}
trap cleanup EXIT

command -v lttng-sessiond >/dev/null || cannot "there is no lttng-sessiond (lttng-tools)"
ust=$(pkg-config --cflags --libs 'lttng-ust >= 2.13') || cannot "there is no liblttng-ust-dev"
compile() {
  # shellcheck disable=SC2086  # words
  g++ -std=c++20 -O1 -I"$sources" "$@" $ust
}
compile "$sources/peer.cc" -o "$work/lttng_peer"
compile -shared -fPIC "$sources/skewed_clock.cc" -o "$work/skewed_clock.so"
export LTTNG_HOME=$work
# One at a time: as root, all recordings of a machine share one session daemon.
exec 9>"${TMPDIR:-/tmp}/syncline-lttng-$(id -u).lock"
flock --wait 60 9 || cannot "another recording does not end"
if ! lttng --no-sessiond list >/dev/null 2>&1; then
  lttng-sessiond --no-kernel --quiet >"$work/sessiond.log" 2>&1 9>&- &
  sessiond=$!
  for _ in $(seq 50); do
    lttng --no-sessiond list >/dev/null 2>&1 && break
    kill -0 "$sessiond" 2>/dev/null || cannot "lttng-sessiond ends: $(tail -n 1 "$work/sessiond.log")"
    sleep 0.1
  done
fi

{
  lttng --no-sessiond create "$session" --output="$work/trace"
  # Buffers by process, so that each one's trace stands alone.
  lttng --no-sessiond enable-channel --userspace --session="$session" --buffers-pid messages
  lttng --no-sessiond enable-event --userspace --session="$session" --channel=messages 'msg:*'
  lttng --no-sessiond start "$session"
} >"$work/lttng.log" 2>&1 || cannot "$(tail -n 1 "$work/lttng.log")"

mkfifo "$work/port"
"$work/lttng_peer" a >"$work/port" &
a=$!
read -r port <"$work/port"
SKEW_NS=1700000000 SKEW_PPB=35000 LTTNG_UST_CLOCK_PLUGIN=$work/skewed_clock.so \
  "$work/lttng_peer" b "$port" "$requests" &
b=$!
wait "$a"
wait "$b"
lttng --no-sessiond destroy "$session" >>"$work/lttng.log" 2>&1

shopt -s nullglob
for name in a b; do
  found=("$work"/trace/ust/pid/lttng_peer-"${!name}"-*/)
  [ "${#found[@]}" -eq 1 ] || cannot "process $name left no trace"
  rm -rf "${out:?}/$name"
  mv "${found[0]}" "$out/$name"
done
