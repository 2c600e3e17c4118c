#!/usr/bin/env bash
# Installs the packages of package-lock.json into node_modules, unless they are there already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
stamp=node_modules/.installed-lock
if [ -f "$stamp" ] && cmp -s "$stamp" package-lock.json; then exit 0; fi
npm ci --ignore-scripts --no-progress
cp package-lock.json "$stamp"
