#!/usr/bin/env bash
# Fails where a tracked C++ file is not formatted as .clang-format says.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mapfile -d '' -t files < <(git ls-files -z -- '*.h' '*.cc')
clang-format-14 --dry-run -Werror "${files[@]}" || {
  echo "Format with: clang-format-14 -i FILE..." >&2
  exit 1
}
echo "${#files[@]} files are formatted"
