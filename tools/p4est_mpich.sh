#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Build p4est with MPICH in a folder of its own, from the source package of Debian or Ubuntu: their libp4est is linked
# with Open MPI. Does nothing if it is there already. Needs no root; lists of packages are kept in the folder too.
#
# usage: p4est_mpich.sh FOLDER JOBS      p4est is then in FOLDER/installed
set -eu
mkdir -p "$1"
top=$(cd "$1" && pwd)
[ ! -e "$top/installed/include/p4est.h" ] || exit 0
echo "building p4est with MPICH in $1 (a minute or two; log: $1/log)"
cd "$top"
rm -rf source lists
mkdir -p source lists/partial
(
  # "500 http://deb.debian.org/debian bookworm/main amd64 Packages"
  apt-cache policy libp4est-dev | awk '$2 ~ /^http/ && !done { split($3, s, "/"); print "deb-src", $2, s[1], s[2]; done = 1 }' >src.list
  apt() {
    apt-get -q -o Dir::Etc::sourcelist="$top/src.list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$top/lists" \
      -o Dir::Cache::srcpkgcache= -o Dir::Cache::pkgcache= "$@"
  }
  apt update && apt source --download-only p4est && tar xf p4est_*.orig.tar.* -C source --strip-components=1 && cd source &&
    version=$(ls ../p4est_*.orig.tar.* | sed 's/.*p4est_\(.*\)\.orig.*/\1/') &&
    echo "$version" >.tarball-version && { [ ! -d sc ] || echo "$version" >sc/.tarball-version; } && ./bootstrap &&
    ./configure --prefix="$top/installed" --enable-mpi --enable-mpiio --enable-shared --disable-static \
      --without-blas CC=mpicc.mpich CFLAGS="-O2 -w" &&
    make -j "$2" V=0 && make install
) >log 2>&1 || {
  tail -20 log >&2
  echo "p4est was not built; see $1/log. With a p4est of your own: make test-mpich P4EST=FOLDER" >&2
  exit 1
}
