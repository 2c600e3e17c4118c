#!/usr/bin/env bash
# Installs the library of region clocks as a user would and builds the example against it, by
# pkg-config alone.
#   install_test.sh BUILD EXAMPLE.cc CMAKE CXX
set -euo pipefail
build=$1 example=$2 cmake=$3 cxx=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for component in libraries headers; do
  "$cmake" --install "$build" --component $component --prefix "$folder/usr" >/dev/null
done
PKG_CONFIG_PATH=$(dirname "$(find "$folder" -name syncline_region.pc)")
export PKG_CONFIG_PATH
read -ra flags <<<"$(pkg-config --cflags --libs syncline_region)"
library=$(pkg-config --variable=libdir syncline_region)
"$cxx" -std=c++20 -Wall -Wextra -Werror "$example" -o "$folder/example" "${flags[@]}"
LD_LIBRARY_PATH=$library "$folder/example" | sort >"$folder/said"
cat "$folder/said"
# Twenty rounds of half a millisecond each; on the path to the first, those of all three.
awk '{ if ($4 < 10) exit 1 } END { exit NR != 3 }' "$folder/said"
awk '$2 == "0:" { exit !($11 >= 30) }' "$folder/said"
echo "installed, built, run"
