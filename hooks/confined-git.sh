#!/bin/sh
# git of a confined agent: sh confined-git.sh FOLDER [ARGUMENT]…, where FOLDER is that of the `git` on
# the PATH that led here.
#
# References are taken away by git under a lock beside the file of all packed ones, which lies where
# a confined agent writes nothing. So git fails to delete those that it could delete, and leaves
# CHERRY_PICK_HEAD behind where a pick is done, after which it refuses to merge or to switch. What it
# had decided to take away, and what lies in a file of its own, is taken away here. Packed ones stay.
own=$1
shift
real=''
IFS=:
for folder in $PATH; do
  [ "$folder" != "$own" ] && [ -x "$folder/git" ] && real=$folder/git && break
done
unset IFS
[ -n "$real" ] || {
  echo 'exomonad: git is not on the PATH.' >&2
  exit 127
}
# What git is to do: its first word that is neither an option nor the value of one.
asked='' skip=0
for word; do
  if [ $skip = 1 ]; then
    skip=0
    continue
  fi
  case $word in
    -C | -c | --git-dir | --work-tree | --namespace | --exec-path) skip=1 ;;
    -*) ;;
    *)
      asked=$word
      break
      ;;
  esac
done
case $asked in
  branch | tag | update-ref)
    case " $* " in
      *' -d '* | *' -D '* | *' --delete '* | *' --stdin '*) kind=delete ;;
      *) exec "$real" "$@" ;;
    esac
    ;;
  cherry-pick | rebase | revert | pull) kind=pick ;;
  *) exec "$real" "$@" ;;
esac

# Done where HEAD has what was picked: by the same author, of the same time, with the same subject.
finish_pick() {
  folder=$("$real" rev-parse --absolute-git-dir 2>/dev/null) || return
  [ -d "$folder/sequencer" ] || [ -d "$folder/rebase-merge" ] || [ -d "$folder/rebase-apply" ] && return
  if [ -f "$folder/CHERRY_PICK_HEAD" ]; then
    picked=$("$real" log -1 --format='%an %ae %at %s' CHERRY_PICK_HEAD 2>/dev/null)
    [ -n "$picked" ] && [ "$picked" = "$("$real" log -1 --format='%an %ae %at %s' HEAD)" ] &&
      rm -f "$folder/CHERRY_PICK_HEAD"
  fi
  if [ -f "$folder/REVERT_HEAD" ]; then
    "$real" log -1 --format=%b HEAD | grep -q "^This reverts commit $(cat "$folder/REVERT_HEAD")" &&
      rm -f "$folder/REVERT_HEAD"
  fi
}

# Succeeds where it is gone. Its lock is git's own.
delete_loose() {
  grep -q " $1\$" "$common/packed-refs" 2>/dev/null && return 1
  [ -f "$common/$1" ] && [ ! -L "$common/$1" ] || return 1
  (set -C && : >"$common/$1.lock") 2>/dev/null || return 1
  rm -f "$common/$1" "$common/logs/$1"
  rm -f "$common/$1.lock"
}

if [ "$kind" = pick ]; then
  "$real" "$@"
  code=$?
  finish_pick
  exit $code
fi

# Of several at once git does not say which: one after the other.
delete_each() {
  script=$1 command=$2
  shift 2
  options=''
  for word; do
    case $word in -*) options="$options $word" ;; esac
  done
  failed=0
  for word; do
    # Words of options have no blanks in them.
    case $word in
      -*) ;;
      *) /bin/sh "$script" "$own" "$command" $options "$word" || failed=1 ;;
    esac
  done
  exit $failed
}

said=$(mktemp) || exec "$real" "$@"
trap 'rm -f "$said"' EXIT
# In the words that are looked for below.
LANGUAGE=en "$real" "$@" 2>"$said"
code=$?
if [ $code -ne 0 ] && grep -q 'packed-refs\.lock' "$said"; then
  case "$1" in
    branch | tag) grep -q '^error: could not delete references' "$said" && delete_each "$0" "$@" ;;
  esac
  common=$("$real" rev-parse --path-format=absolute --git-common-dir)
  if [ "$1 ${2-}" = 'update-ref -d' ] && [ $# -eq 3 ] && delete_loose "$3"; then exit 0; fi
  left=0
  while IFS= read -r line; do
    ref=$(printf '%s\n' "$line" | sed -n "s/^error: could not delete reference \(refs\/[^:]*\): Unable to create '.*packed-refs\.lock'.*/\1/p")
    if [ -z "$ref" ]; then
      printf '%s\n' "$line"
      left=1
    elif delete_loose "$ref"; then
      printf '%s\n' "Deleted $ref."
    else
      printf '%s\n' "error: $ref is packed, and stays: it can't be deleted in this sandbox."
      left=1
    fi
  done <"$said" >&2
  exit $left
fi
cat "$said" >&2
exit $code
