#!/usr/bin/env bash
# clang-tidy over the tracked sources, or over the files given. Compiles nothing.
#   tools/tidy.sh [FILE.cc...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [ "$#" -gt 0 ]; then
  files=("$@")
else
  mapfile -t files < <(git ls-files -- 'src/*.cc' 'fuzz/*.cc')
fi
cmake --preset tidy >/dev/null
# Counts of suppressed warnings from system headers are not worth a line.
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "$(nproc)" clang-tidy-14 --quiet -p build/tidy \
    2> >(grep -Ev '^[0-9]+ warnings? (generated|and|treated)' >&2) || {
  echo "clang-tidy found something" >&2
  exit 1
}
echo "clang-tidy: ${#files[@]} files are clean"
