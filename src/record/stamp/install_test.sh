#!/usr/bin/env bash
# Installs the library as a user would and builds the example against it, by pkg-config alone.
#   install_test.sh BUILD EXAMPLE.c CMAKE CC
set -euo pipefail
build=$1 example=$2 cmake=$3 cc=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for component in libraries headers; do
  "$cmake" --install "$build" --component $component --prefix "$folder/usr" >/dev/null
done
PKG_CONFIG_PATH=$(dirname "$(find "$folder" -name syncline_stamp.pc)")
export PKG_CONFIG_PATH
read -ra flags <<<"$(pkg-config --cflags --libs syncline_stamp)"
library=$(pkg-config --variable=libdir syncline_stamp)
"$cc" -std=c11 -pedantic -Wall -Wextra -Werror "$example" -o "$folder/example" "${flags[@]}"
mkdir "$folder/traces"
LD_LIBRARY_PATH=$library "$folder/example" "$folder/traces"
[ "$(ls "$folder/traces")" = $'answerer.txt\nasker.txt' ]
# Nothing but the C interface is visible.
nm -D --defined-only "$library/libsyncline_stamp.so" | grep -v ' syncline_stamp_' && exit 1
echo "installed, built, run"
