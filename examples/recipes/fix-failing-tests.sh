#!/bin/sh
# A worker for each test file that fails, a few at a time, until none is left or nobody got further.
#
#   fix-failing-tests.sh ./failing-tests.sh
#
# The argument is a command that prints the test files that fail, one on each line. AT_ONCE workers
# run side by side (4), each for MINUTES at most (60), in ROUNDS rounds at most (3).
set -eu
failing=$1

round=0
while [ "$round" -lt "${ROUNDS:-3}" ]; do
  round=$((round + 1))
  files=$("$failing" | head -n "${AT_ONCE:-4}")
  [ -n "$files" ] || break
  names=
  for file in $files; do
    name="fix-$round-$(basename "$file" | tr -c 'a-zA-Z0-9\n' '-')"
    exomonad spawn workers "$name=$file fails. Find out why, and repair what it tests, not the test; where the test is wrong, say so with note. File one pull request."
    names="$names $name"
  done
  # shellcheck disable=SC2086
  exomonad wait "${MINUTES:-60}m" $names
  merged=0
  for name in $names; do
    if exomonad pr merge "$name" --wait; then merged=$((merged + 1)); fi
  done
  exomonad clean --done
  # Nobody got further: another round would do the same again.
  [ "$merged" -gt 0 ] || break
done

files=$("$failing")
[ -z "$files" ] || {
  echo "still failing:"
  echo "$files"
  exit 1
}
