#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Install what is missing of the Debian (or Ubuntu) packages named as arguments. Says nothing and asks for
# nothing when all are there; otherwise works as root or through sudo, without questions of apt.
set -eu
command -v dpkg-query >/dev/null || {
  echo "make deps knows Debian and Ubuntu only. On this system install: a C compiler, cmake, pkg-config, MPI, p4est," \
    "libsc, inih, libpng; for the tests also cmocka, Python 3 and VTK for Python." >&2
  exit 0
}
missing=""
for package in "$@"; do
  state=$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null || true)
  case $state in ii*) ;; *) missing="$missing $package" ;; esac
done
[ -z "$missing" ] && exit 0
echo "installing$missing"
as_root=""
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || {
    echo "these packages are missing:$missing; ask an administrator for: apt-get install$missing" >&2
    exit 1
  }
  as_root=sudo
fi
apt="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0"
$apt install --no-install-recommends $missing >/dev/null 2>&1 || {
  # Lists of packages that are old or were never fetched, as in a container's image.
  $apt update
  $apt install --no-install-recommends $missing
}
