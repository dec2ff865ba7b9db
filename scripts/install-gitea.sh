#!/usr/bin/env bash
# Builds Gitea from the Go module proxy, for the tests of the Gitea forge, into a folder of its own that may be kept; does nothing where it is there already.
#
#   scripts/install-gitea.sh
#
# Prints the path of the binary on standard output; all else goes to standard error. Takes about 5 minutes on two cores, and 155 MB.
#
#   EXOMONAD_GITEA_VERSION   which one (1.24.6)
#   EXOMONAD_GITEA_FOLDER    where; the binary is FOLDER/bin/gitea, what it shows pages with is in FOLDER/share
#                            (${XDG_CACHE_HOME:-~/.cache}/exomonad/gitea-VERSION)
#
# Ends with
#   0  it is there, now or already
#   1  the build failed, or anything else
#   3  it could not begin: no go, or go can't reach its proxy
set -euo pipefail

say() { echo "install-gitea: $*" >&2; }

version=${EXOMONAD_GITEA_VERSION:-1.24.6}
folder=${EXOMONAD_GITEA_FOLDER:-${XDG_CACHE_HOME:-$HOME/.cache}/exomonad/gitea-$version}
binary=$folder/bin/gitea

# It has to run, too: a kept folder may come from another system.
works() { [ -d "$folder/share/options" ] && "$1" --version 2>/dev/null | grep -q "^[Gg]itea version $version "; }

if works "$binary"; then
  echo "$binary"
  exit 0
fi

go=$(command -v go || command -v /usr/local/go/bin/go || true)
if [ -z "$go" ]; then
  say "no go on PATH. Install Go (https://go.dev/dl), or set EXOMONAD_GITEA_FOLDER to where Gitea is."
  exit 3
fi

mkdir -p "$folder/bin"
work=$(mktemp -d "$folder/build.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
cd "$work"

source=$("$go" mod download -json "code.gitea.io/gitea@v$version" | sed -n 's/^[[:space:]]*"Dir": "\(.*\)",*$/\1/p')
if [ -z "$source" ]; then
  say "go can't get code.gitea.io/gitea@v$version from its module proxy"
  exit 3
fi
# The module cache is read-only, and Go builds a program of another module only inside it.
cp -r "$source" source
chmod -R u+w source
say "building gitea $version"
(cd source && "$go" build -tags 'sqlite sqlite_unlock_notify' -ldflags "-X main.Version=$version" -o "$work/gitea" .) >&2

mkdir -p "$work/share"
for part in options templates public; do cp -r "source/$part" "$work/share/"; done
rm -rf "$folder/share"
mv "$work/share" "$folder/share"
mv -f "$work/gitea" "$binary"
if ! works "$binary"; then
  say "what was built does not say that it is gitea $version"
  exit 1
fi
echo "$binary"
