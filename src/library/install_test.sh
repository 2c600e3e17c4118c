#!/usr/bin/env bash
# Installs the library as a user would, builds the examples against it by CMake and one of them by
# pkg-config, and runs them.
#   install_test.sh BUILD SOURCE CMAKE CXX
set -euo pipefail
build=$1 source=$2 cmake=$3 cxx=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for component in libraries headers; do
  "$cmake" --install "$build" --component $component --prefix "$folder/usr" >/dev/null
done
"$cmake" -S "$source/examples/library" -B "$folder/examples" -DCMAKE_PREFIX_PATH="$folder/usr" \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Werror" >/dev/null
"$cmake" --build "$folder/examples" >/dev/null
captures=$source/examples/captures
"$folder/examples/correct_captures" "$captures/a.pcap" "$captures/b.pcap" "$folder/corrected"
[ "$(find "$folder/corrected" -type f | wc -l)" = 3 ]
"$folder/examples/own_messages" | tee "$folder/said"
grep -q '^B is 1000000000 ns ahead, 250' "$folder/said"
"$folder/examples/time_of_event" 10 "$captures/a.pcap" "$captures/b.pcap" | grep 'surely from'
PKG_CONFIG_PATH=$(dirname "$(find "$folder/usr" -name syncline.pc)")
export PKG_CONFIG_PATH
read -ra flags <<<"$(pkg-config --cflags --libs syncline)"
"$cxx" -std=c++20 "$source/examples/library/own_messages.cc" -o "$folder/own" "${flags[@]}"
LD_LIBRARY_PATH=$(pkg-config --variable=libdir syncline) "$folder/own" | cmp - "$folder/said"
# Nothing but the interface is visible, and all of it.
"$source/packaging/check_symbols.sh" "$(pkg-config --variable=libdir syncline)/libsyncline.so.1"
echo "installed, built, run"
