#!/bin/sh
# One rule, a worker for each folder, and in the morning what is green is merged.
#
#   nightly-refactor.sh "Replace moment by Temporal" packages/api packages/web
#
# HOURS is how long they have (8). What is not merged stays as it is: branch, worktree, pull request.
set -eu
rule=$1
shift

names=
for folder in "$@"; do
  name=$(printf '%s' "$folder" | tr -c 'a-zA-Z0-9\n' '-')
  exomonad spawn workers "$name=In $folder, and nowhere else: $rule. Change no behaviour, run the tests of $folder, and file one pull request."
  names="$names $name"
done

# Ends when each has reported, idles or is dead; at the latest when the time is over.
# shellcheck disable=SC2086
exomonad wait "${HOURS:-8}h" $names

left=
for name in $names; do
  # It is checked on what it comes to after those before; red, in conflict or not there: it is left.
  exomonad pr merge "$name" --wait || left="$left $name"
done
exomonad clean --done
exomonad log --since "${HOURS:-8}h"
[ -z "$left" ] || echo "left for you:$left"
