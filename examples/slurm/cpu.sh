#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# oak on CPU nodes: one rank for each NUMA domain of a node, one thread for each core of the domain.
#
# Change the lines that are marked CHANGE, then: sbatch cpu.sh my.ini
# Further words are passed to oak: sbatch cpu.sh my.ini mesh.max_level=6 output.folder=fine

#SBATCH --job-name=oak
#SBATCH --time=01:00:00            # CHANGE: hours:minutes:seconds
#SBATCH --partition=cpu            # CHANGE: a name that `sinfo` prints
#SBATCH --nodes=4                  # CHANGE: how many nodes
#SBATCH --exclusive
# CHANGE both to your nodes: `lscpu` on one of them prints "NUMA node(s)" and the number of cores. These are for
# 8 domains of 16 cores. Without them oak works too, but ranks then share domains, whose memory is farther away.
#SBATCH --ntasks-per-node=8        # NUMA domains of a node
#SBATCH --cpus-per-task=16         # cores of a domain
#SBATCH --hint=nomultithread       # a thread for each core; hardware threads gain nothing

set -eu
if [ $# -eq 0 ]; then
  echo "usage: sbatch $0 FILE.ini [section.key=value ...]" >&2
  exit 2
fi

# CHANGE: modules with the MPI that oak was built with and a C compiler, which oak needs when a run starts.
# module load gcc openmpi

# CHANGE: where oak is installed.
export PATH=$HOME/.local/bin:$PATH

# oak compiles kernels when a run starts and keeps them here. All nodes must see the folder, and nobody but you or root
# may write to it or to a folder above it. A folder that root has filled may be read-only.
export OAK_CACHE=${OAK_CACHE:-$HOME/.cache/oak}
[ -d "$OAK_CACHE" ] || mkdir -p -m 0700 "$OAK_CACHE"

# A rank stays on its domain. oak starts as many threads as the rank has cores. --cpus-per-task is repeated, since
# srun does not take it from above in every version of SLURM.
# CHANGE if each rank believes that it is alone ("in use by another run"): srun --mpi=pmix.
srun --cpu-bind=cores --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" oak run "$@"
