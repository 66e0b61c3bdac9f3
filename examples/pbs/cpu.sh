#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# oak on CPU nodes of a cluster with PBS: one rank for each NUMA domain, one thread for each core of the domain.
# examples/slurm/cpu.sh explains more.
#
# Change the lines that are marked CHANGE, then: qsub -v arguments="my.ini mesh.max_level=6" cpu.sh

#PBS -N oak
#PBS -j oe
#PBS -q cpu
#PBS -l walltime=01:00:00
#PBS -l place=scatter:excl
#PBS -l select=4:ncpus=128:mpiprocs=8:ompthreads=16
# CHANGE the queue, the time, and in `select` the nodes, and their cores, NUMA domains and cores of a domain.
seconds=3600                         # CHANGE: the same time as above
script=$PBS_O_WORKDIR/cpu.sh         # CHANGE: where this script is, which submits itself again

set -eu
cd "$PBS_O_WORKDIR"
started=$(date +%s)
if [ -z "${arguments:-}" ]; then
  echo 'usage: qsub -v arguments="FILE.ini [section.key=value ...]" cpu.sh' >&2
  exit 2
fi
read -ra words <<< "$arguments ${again:-}"

# CHANGE: modules with the MPI that oak was built with and a C compiler, which oak needs when a run starts; where oak is.
# module load gcc openmpi
export PATH=$HOME/.local/bin:$PATH
export OAK_CACHE=${OAK_CACHE:-$HOME/.cache/oak}   # a folder that all nodes see

# The mpirun of Open MPI. With MPICH and Intel MPI: launch=(mpiexec -ppn 8 -bind-to core:16)
launch=(mpirun --map-by ppr:8:node:PE=16 --bind-to core)

oak run "${words[@]}" --check
status=0
"${launch[@]}" oak run "${words[@]}" run.wall_limit="$seconds" || status=$?
# 3: the run has written a checkpoint and ended early. If its time is over, it goes on in a new job.
if [ $status -eq 3 ] && [ $(($(date +%s) - started)) -gt $((seconds - 600)) ]; then
  qsub -v arguments="$arguments",again=--restart "$script"
fi
exit $status
