#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests under valgrind on 1 and 4 ranks: reads of what was never set, accesses outside of what was allocated, memory that
# nothing points to any more. tools/valgrind.supp leaves out what MPI and OpenMP do, and nothing of oak.
#
# usage: valgrind.sh BUILD [TEST ...]      such as test_solver_step
set -u
build=$1
shift
[ $# -gt 0 ] || set -- test_base_reduce test_mesh test_io_plotfile test_solver_describe test_solver_injected
here=$(cd "$(dirname "$0")" && pwd)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl=^tcp \
  OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
# Its own simulated processor decides what -march=native means; the memory of kernels is what is looked at.
export OAK_HOME=${here%/*} OAK_CACHE=$build/kernel_cache OAK_TEST_SHORT=1 OMP_NUM_THREADS=1 \
  OAK_CFLAGS="-O1 -g1 -march=x86-64-v2"
failed=0
for name in "$@"; do
  for np in 1 4; do
    log=$build/valgrind_${name}_np$np.log
    begin=$SECONDS
    mpiexec -n "$np" valgrind --quiet --error-exitcode=9 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
      --suppressions="$here/valgrind.supp" --child-silent-after-fork=yes "$build/tests/$name" >"$log" 2>&1
    code=$?
    if [ "$code" -eq 0 ] && ! grep -qE '^==[0-9]+== +(Invalid|Conditional|Use of|Syscall|[0-9,]+ (bytes|\()|Mismatched)' "$log"; then
      echo "$name on $np: clean ($((SECONDS - begin)) s)"
    else
      echo "$name on $np: exit status $code, see $log"
      failed=1
    fi
  done
done
exit $failed
