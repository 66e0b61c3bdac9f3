#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cppcheck and gcc's analyzer on library and command. Silent if they find nothing.
#
# Left out of gcc's analyzer is what it cannot judge here: it takes oak_agree() for any function, which may call a failed
# allocation on this rank a success, and so reports uses of NULL and of what was not set after every agreement.
#
# usage: analyze.sh JOBS (at the top of the tree)
set -u
jobs=$1
bad=0
folders=(-Iinclude -Isrc -Isrc/base -Isrc/device -Isrc/mesh)
cppcheck -j "$jobs" --quiet --enable=warning,performance,portability --std=c11 --inline-suppr --error-exitcode=1 \
  --suppressions-list=tools/cppcheck.txt "${folders[@]}" src app || bad=1
analyze() {
  mpicc -std=gnu11 -O1 -fanalyzer -Wno-analyzer-null-dereference -Wno-analyzer-null-argument \
    -Wno-analyzer-possible-null-dereference -Wno-analyzer-possible-null-argument -Wno-analyzer-malloc-leak \
    -Wno-analyzer-use-of-uninitialized-value -D_GNU_SOURCE=1 '-DOAK_SOURCE_ROOT=""' \
    -Iinclude -Isrc -Isrc/base -Isrc/device -Isrc/mesh -c -o /dev/null "$1" 2>&1 | grep -A30 -- '-Wanalyzer'
  [ "${PIPESTATUS[1]}" -ne 0 ]
}
export -f analyze
if mpicc --version | grep -qiE 'gcc|free software'; then
  git ls-files 'src/*.c' 'app/*.c' | grep -v mesh/forest.c | xargs -P "$jobs" -I FILE bash -c 'analyze FILE' || bad=1
else
  echo "mpicc is not gcc: its analyzer is left out"
fi
exit $bad
