#!/usr/bin/env bash
# install_help.sh PROGRAM SHARE: writes the manual pages and the completions of the program PROGRAM into
# the folder SHARE, where man and the shells look for them (/usr/share, /usr/local/share).
set -euo pipefail
program=$1
share=$2
mkdir -p "$share/man/man1" "$share/bash-completion/completions" "$share/zsh/site-functions" \
  "$share/fish/vendor_completions.d"
# The commands are what the pages refer to.
queue=("")
while [ "${#queue[@]}" -gt 0 ]; do
  command=${queue[0]}
  queue=("${queue[@]:1}")
  page="$share/man/man1/syncline${command// /-}.1"
  # shellcheck disable=SC2086  # words
  "$program" help --man $command >"$page"
  while read -r name; do
    queue+=("$command $name")
  done < <("$program" help $command | sed -n '/^Commands:/,/^$/s/^  \([a-z]\{1,\}\) .*/\1/p')
done
"$program" completion bash >"$share/bash-completion/completions/syncline"
"$program" completion zsh >"$share/zsh/site-functions/_syncline"
"$program" completion fish >"$share/fish/vendor_completions.d/syncline.fish"
