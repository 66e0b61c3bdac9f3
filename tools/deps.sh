#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Install what is missing of the Debian (or Ubuntu) packages named as arguments. Says nothing and asks for
# nothing when all are there; otherwise works as root or through sudo, without questions of apt. Nothing is ever
# removed. ONE/TWO: packages that exclude each other; the first one is installed if neither is there.
set -eu
command -v dpkg-query >/dev/null || {
  echo "make deps knows Debian and Ubuntu only. On this system install: a C compiler, cmake, pkg-config, MPI, p4est," \
    "libsc, libpng; for the tests also cmocka, Python 3 and VTK for Python." >&2
  exit 0
}
missing=""
for package in "$@"; do
  state=""
  for name in $(echo "$package" | tr / ' '); do
    case $(dpkg-query -W -f '${db:Status-Abbrev}' "$name" 2>/dev/null || true) in ii*) state=there ;; esac
  done
  [ -n "$state" ] || missing="$missing ${package%%/*}"
done
[ -z "$missing" ] && exit 0
install="apt-get install --no-remove --no-install-recommends$missing"
refuse() {
  echo "$1; an administrator installs them with: apt-get update; $install" >&2
  exit 1
}
as_root=""
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || refuse "packages are missing, and this machine has no sudo"
  as_root=sudo
fi

# On a terminal one line, rewritten, of how far apt has come; it begins when sudo has asked for what it asks.
show_progress() {
  while sleep 1 && [ -e "$log" ]; do
    total=$(sed -n 's/.* \([0-9]*\) newly installed.*/\1/p' "$log" | tail -1)
    [ -z "$total" ] || printf '\r%s packages: %s downloaded, %s unpacked, %s set up ' "$total" \
      "$(grep -c '^Get:' "$log")" "$(grep -c '^Unpacking ' "$log")" "$(grep -c '^Setting up ' "$log")"
  done
}

echo "installing$missing and what they need (half a minute to a few minutes)"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM
watcher=""
if [ -t 1 ]; then
  show_progress &
  watcher=$!
fi
status=0
# sudo is called once, so that it asks once. Lists of packages may be old or, as in a container's image, missing.
# shellcheck disable=SC2086 # no word or one
$as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C sh -c "
  apt() { apt-get -q -y -o Dpkg::Use-Pty=0 \"\$@\"; }
  apt install --no-remove --no-install-recommends$missing ||
    { apt update && apt install --no-remove --no-install-recommends$missing; }
" >"$log" 2>&1 || status=$?
[ -z "$watcher" ] || { kill $watcher; echo; }
[ $status -eq 0 ] || tail -20 "$log" >&2
[ $status -eq 0 ] || refuse "the packages were not installed"
