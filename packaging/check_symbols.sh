#!/usr/bin/env bash
# check_symbols.sh LIBRARY: whether libsyncline.so shows the symbols that libsyncline1.symbols lists, no more and no fewer.
# With --write it writes the list. One that goes, or changes its type, breaks programs that use it: then raise
# SYNCLINE_LIBRARY_VERSION's first number, SOVERSION and the package's name, too.
set -euo pipefail
list=$(dirname "${BASH_SOURCE[0]}")/libsyncline1.symbols
symbols() { nm -DC --defined-only "$1" | cut -d' ' -f2- | LC_ALL=C sort; }
if [ "$1" = --write ]; then
  symbols "$2" >"$list"
  exit
fi
if ! diff -u "$list" <(symbols "$1"); then
  echo "What libsyncline shows is not what packaging/libsyncline1.symbols lists: - gone, + new." >&2
  echo "If that is meant: packaging/check_symbols.sh --write $1" >&2
  exit 1
fi
echo "$(wc -l <"$list") symbols are those listed"
