#!/usr/bin/env bash
# Installs the package and the library it loads below a prefix of its own, and imports it from there.
#   install_test.sh BUILD CMAKE PYTHON FOLDER       FOLDER: the package's, below the prefix
set -euo pipefail
build=$1 cmake=$2 python=$3 below=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for component in libraries python; do
  "$cmake" --install "$build" --component $component --prefix "$folder" >/dev/null
done
[ -e "$folder/$below/syncline/py.typed" ] && [ -e "$folder/$below/syncline/__init__.pyi" ]
cd "$folder"
PYTHONPATH=$folder/$below "$python" -B -c '
import syncline, sys
assert syncline.__file__.startswith(sys.argv[1]), syncline.__file__
maps = open("/proc/self/maps").read()
assert sys.argv[1] in [line for line in maps.splitlines() if "libsyncline.so.1" in line][0]
print(syncline.estimate(["a", "b"], [[0, 0, 1, 5], [1, 6, 0, 9]]).clocks["b"])' "$folder"
