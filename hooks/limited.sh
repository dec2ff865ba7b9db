#!/bin/sh
# Becomes a program that is held to limits: sh limited.sh [OPTION VALUE]… -- PROGRAM [ARGUMENT]…
#
#   --join FOLDER   a control group to be in, with all that is started from here
#   --slice NAME    of the systemd user manager, in which a scope is made; --runtime DIR: its XDG_RUNTIME_DIR;
#                   --scope PROPERTY=VALUE: of the scope
#   --data KIB      data of each process (RLIMIT_DATA)
#   --nice NUMBER   as nice(1)
# A limit that can't be set is no start at all.
fail() {
  printf '%s\n' "exomonad: a limit of this agent can't be kept: $1. It was not started. See: exomonad doctor" >&2
  exit 126
}
exomonad_slice='' exomonad_runtime='' exomonad_scope='' exomonad_nice=''
while [ "${1-}" != -- ]; do
  [ $# -ge 2 ] || fail 'its start is incomplete'
  case $1 in
    # 0 is whoever writes it: this shell, which the program takes the place of.
    --join) { printf '0\n' >"$2/cgroup.procs"; } 2>/dev/null || fail "the control group $2 can't be joined" ;;
    --slice) exomonad_slice=$2 ;;
    --runtime) exomonad_runtime=$2 ;;
    --scope) exomonad_scope=$2 ;;
    --data) ulimit -d "$2" 2>/dev/null || fail "processes can't be held to $2 KiB" ;;
    --nice) exomonad_nice=$2 ;;
    *) fail "its start has an unknown part: $1" ;;
  esac
  shift 2
done
shift
[ $# -ge 1 ] || fail 'its start names no program'
if ! command -v -- "$1" >/dev/null 2>&1; then
  printf '%s\n' "exomonad: the program $1 is not there. Install it, or correct [agents.NAME] command in .exomonad/config.toml." >&2
  exit 127
fi
if [ -n "$exomonad_nice" ]; then
  # Where Linux groups processes by session, only the niceness of the group counts between them.
  { printf '%s\n' "$exomonad_nice" >/proc/self/autogroup; } 2>/dev/null
  set -- nice -n "$exomonad_nice" "$@"
fi
if [ -n "$exomonad_slice" ]; then
  # Its way to the manager is not the agent's.
  if [ -n "${XDG_RUNTIME_DIR-}" ]; then
    set -- env "XDG_RUNTIME_DIR=$XDG_RUNTIME_DIR" "$@"
  else
    set -- env -u XDG_RUNTIME_DIR "$@"
  fi
  XDG_RUNTIME_DIR=$exomonad_runtime
  export XDG_RUNTIME_DIR
  [ -z "$exomonad_scope" ] || set -- "--property=$exomonad_scope" -- "$@"
  [ -n "$exomonad_scope" ] || set -- -- "$@"
  set -- systemd-run --user --scope --quiet --collect "--slice=$exomonad_slice" "$@"
fi
unset exomonad_slice exomonad_runtime exomonad_scope exomonad_nice
exec "$@"
