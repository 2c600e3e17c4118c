#!/usr/bin/env bash
# check_built.sh FOLDER: builds the page into FOLDER and compares it with the one that is kept.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
node_modules/.bin/vite build --logLevel warn --outDir "$1" --emptyOutDir
cmp "$1/report.html" dist/report.html || {
  echo "web/dist/report.html is not what web/ builds now: run npm run build there" >&2
  exit 1
}
