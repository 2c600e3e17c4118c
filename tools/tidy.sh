#!/usr/bin/env bash
# clang-tidy over the tracked sources, without or with their tests, or over the files given. Compiles
# nothing.
#   tools/tidy.sh [--sources | FILE.cc...]
# Tests go without the path-sensitive analyzer, which spends most of its time in GoogleTest, without
# the check for members without initializers, which tables of cases need not have, and without the one
# for protected destructors, which fixtures may have.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [ "${1:-}" = --sources ]; then
  mapfile -t files < <(git ls-files -- 'src/*.cc' 'fuzz/*.cc' ':!*_test.cc')
elif [ "$#" -gt 0 ]; then
  files=("$@")
else
  mapfile -t files < <(git ls-files -- 'src/*.cc' 'fuzz/*.cc')
fi
sources=() tests=()
for file in "${files[@]}"; do
  case $file in
    *_test.cc) tests+=("$file") ;;
    *) sources+=("$file") ;;
  esac
done

test_checks='-clang-analyzer-*,-cppcoreguidelines-pro-type-member-init'
test_checks+=',-cppcoreguidelines-virtual-class-destructor'

# Counts of suppressed warnings from system headers are not worth a line.
run_tidy() {
  xargs -0 -r -n 1 -P "$(nproc)" clang-tidy-14 --quiet -p build/tidy "$@" \
    2> >(grep -Ev '^[0-9]+ warnings? (generated|and|treated)' >&2)
}

cmake --preset tidy >/dev/null
failed=0
[ "${#sources[@]}" -eq 0 ] || printf '%s\0' "${sources[@]}" | run_tidy || failed=1
[ "${#tests[@]}" -eq 0 ] || printf '%s\0' "${tests[@]}" | run_tidy "--checks=$test_checks" ||
  failed=1
[ "$failed" -eq 0 ] || { echo "clang-tidy found something" >&2; exit 1; }
echo "clang-tidy: ${#files[@]} files are clean"
