#!/usr/bin/env bash
# Builds Zellij from its registry with cargo, without its web server, into a folder of its own that may be kept; does nothing where it is there already.
#
#   scripts/install-zellij.sh [--limit SECONDS]
#
# Prints the path of the binary on standard output; all else goes to standard error.
#
#   EXOMONAD_ZELLIJ_VERSION   which one (0.45.1)
#   EXOMONAD_ZELLIJ_FOLDER    where; the binary is FOLDER/bin/zellij (${XDG_CACHE_HOME:-~/.cache}/exomonad/zellij-VERSION)
#
# Ends with
#   0  it is there, now or already
#   1  the build failed, or anything else
#   2  wrong arguments
#   3  it could not begin: no cargo, or cargo can't reach its registry
#   4  it was not ready within --limit; nothing of it is left
set -euo pipefail

say() { echo "install-zellij: $*" >&2; }

limit=
while [ $# -gt 0 ]; do
  case $1 in
    --limit)
      limit=${2:-}
      case $limit in '' | *[!0-9]*) say "--limit takes a number of seconds"; exit 2 ;; esac
      shift 2
      ;;
    *) say "unknown argument $1; there is only --limit SECONDS"; exit 2 ;;
  esac
done

version=${EXOMONAD_ZELLIJ_VERSION:-0.45.1}
folder=${EXOMONAD_ZELLIJ_FOLDER:-${XDG_CACHE_HOME:-$HOME/.cache}/exomonad/zellij-$version}
binary=$folder/bin/zellij

# It has to run, too: a kept folder may come from another system.
works() {
  local scratch said
  [ -x "$1" ] || return 1
  # It makes a folder for its log before it says even its version.
  scratch=$(mktemp -d)
  said=$(TMPDIR=$scratch "$1" --version 2>/dev/null || true)
  rm -rf "$scratch"
  [ "$said" = "zellij $version" ]
}
is_late() { [ -n "$limit" ] && [ "$SECONDS" -ge "$limit" ]; }

if works "$binary"; then
  echo "$binary"
  exit 0
fi

cargo=$(command -v cargo || command -v "${CARGO_HOME:-$HOME/.cargo}/bin/cargo" || true)
if [ -z "$cargo" ]; then
  say "no cargo on PATH. Install Rust (https://rustup.rs), or Zellij itself."
  exit 3
fi

mkdir -p "$folder/bin"
work=
building=

# Everything that the build wrote goes, however this ends: its target folder alone is a gigabyte.
clean() {
  # `$!` is there with the start itself: a signal may come before the line that keeps it.
  local build=${building:+${!:-}}
  if [ -n "$build" ]; then
    # Its own process group (set -m below): the compilers go with cargo, and nobody writes there any more when the folder goes.
    kill -TERM -- "-$build" 2>/dev/null || true
    for _ in {1..50}; do
      kill -0 -- "-$build" 2>/dev/null || break
      sleep 0.1
    done
    kill -KILL -- "-$build" 2>/dev/null || true
  fi
  if [ -n "$work" ]; then rm -rf "$work"; fi
}
trap clean EXIT
trap 'exit 1' INT TERM HUP

# One build at a time. Without flock (macOS) two would both do the work, and the later one would put the same binary there again.
if command -v flock >/dev/null; then
  exec 9>"$folder/lock"
  until flock -n 9; do
    if is_late; then
      say "another build was not ready within $limit seconds"
      exit 4
    fi
    sleep 0.2
  done
  if works "$binary"; then
    echo "$binary"
    exit 0
  fi
  # Of a build that was killed: who has the lock knows that nobody works there.
  rm -rf "$folder"/build.*
fi

work=$(mktemp -d "$folder/build.XXXXXX")
# Beside a toolchain file or a cargo configuration of somebody else's it would be built otherwise.
cd "$work"

# Its own release profile (fat LTO, one codegen unit) keeps one core busy for long after the others are done. This one takes 6 minutes on two cores.
profile=(
  --config 'profile.release.lto="off"'        # no optimising across crates: the long tail of the build
  --config 'profile.release.codegen-units=16' # large crates on all cores, the last ones (zellij-server) above all
  --config 'profile.release.opt-level=1'      # much less work than 3; not 0, or the plugins that draw its bars crawl in its interpreter
  --config 'profile.release.debug=false'      # nobody debugs it here, and it would be most of what is written to disk
  --config 'profile.release.strip=true'       # 44 MB to keep between runs
  --config 'profile.release.panic="unwind"'   # as in its own profile: nothing about how it behaves is to differ
)

# All but its server for browsers, which is 40 crates and a database.
features=(--no-default-features --features plugins_from_target,vendored_curl)
# Else OpenSSL would be built too, for the same.
if command -v pkg-config >/dev/null && pkg-config --atleast-version=1.1.1 openssl; then export OPENSSL_NO_VENDOR=1; fi

say "building zellij $version in $work${limit:+, for at most $limit seconds}"
building=yes
set -m
(
  set +m
  "$cargo" install --locked --no-track "zellij@$version" --root "$work/root" --target-dir "$work/target" "${features[@]}" "${profile[@]}" 2>&1 | tee "$work/log" >&2
) &
build=$!
set +m

while kill -0 "$build" 2>/dev/null; do
  if is_late; then
    say "not ready within $limit seconds"
    exit 4
  fi
  sleep 0.2
done
status=0
wait "$build" || status=$?
building=

if [ "$status" -ne 0 ]; then
  # It has looked for its crates before it compiles the first.
  if ! grep -q '^ *Compiling ' "$work/log" &&
    grep -Eqi 'could not resolve|failed to (download|fetch|connect|query)|unable to update registry|spurious network|timed? ?out|connection (refused|reset)' "$work/log"; then
    say "cargo can't reach its registry"
    exit 3
  fi
  say "the build failed"
  exit 1
fi
if ! works "$work/root/bin/zellij"; then
  say "what was built does not say that it is zellij $version"
  exit 1
fi
# In one step: who starts it meanwhile has the whole of it.
mv -f "$work/root/bin/zellij" "$binary"
echo "$binary"
