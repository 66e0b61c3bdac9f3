#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Compile bench/hypre_poisson.c and run it. Usage: bench/hypre_poisson.sh BUILD [CELLS ...]
# BUILD is oak's build folder; CELLS are the cells along each axis. Needs libhypre-dev.
set -eu
build=$(cd "${1:?usage: bench/hypre_poisson.sh BUILD [CELLS ...]}" && pwd)
top=$(cd "$(dirname "$0")/.." && pwd)
shift
program=$build/hypre_poisson
library=$(ls "$build"/liboak.so "$build"/liboak.a 2>/dev/null | head -n 1)
[ -f /usr/include/hypre/HYPRE_struct_ls.h ] || { echo "hypre_poisson.sh: install libhypre-dev" >&2; exit 1; }
mpicc -O2 -Wall -Wextra -I"$top/include" -I/usr/include/hypre "$top/bench/hypre_poisson.c" -o "$program" \
  "$library" -Wl,-rpath,"$build" -lHYPRE -lm
for cells in "${@:-64}"; do OMP_NUM_THREADS=1 OAK_HOME=$top mpiexec -n 1 "$program" "$cells"; done
