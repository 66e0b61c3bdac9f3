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
#SBATCH --mem=0                    # all memory of a node
#SBATCH --requeue                  # the job may go back into the queue, see the end of this script
#SBATCH --signal=USR1@300          # 300 s before the end of its time the run writes a checkpoint and ends
#SBATCH --open-mode=append         # a job that goes on adds to its output
# CHANGE both to your nodes: `lscpu` on one of them prints "NUMA node(s)" and the number of cores. These are for
# 8 domains of 16 cores. Without them oak works too, but ranks then share domains, whose memory is farther away.
#SBATCH --ntasks-per-node=8        # NUMA domains of a node
#SBATCH --cpus-per-task=16         # cores of a domain
#SBATCH --threads-per-core=1       # a thread for each core; hardware threads gain nothing

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

# How ranks start. They stay on their cores, and oak starts as many threads as a rank has cores. --cpus-per-task is
# repeated, since srun does not take it from above in every version of SLURM. Do not add --hint: srun refuses it beside
# --cpu-bind.
# CHANGE if each rank believes that it is alone ("in use by another run"): `srun --mpi=list` prints the ways that your
# SLURM has. Open MPI needs --mpi=pmix; MPICH and Intel MPI need --mpi=pmi2 or --mpi=pmix.
launch=(srun --cpu-bind=cores --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}")
# Without srun, with the mpirun of Open MPI 4 or 5, or with the mpiexec of MPICH:
# launch=(mpirun --map-by "ppr:$SLURM_NTASKS_PER_NODE:node:PE=$SLURM_CPUS_PER_TASK" --bind-to core)
# launch=(mpiexec -ppn "$SLURM_NTASKS_PER_NODE" -bind-to "core:$SLURM_CPUS_PER_TASK")

# Mistakes in the parameters show here, and the kernels get into the cache, before all ranks start.
check=(srun --nodes=1 --ntasks=1 oak run "$@" --check)
found=$("${check[@]}")
echo "$found"

# A job that SLURM has started again goes on from the newest checkpoint. If it ended before there was one, it starts
# anew and removes what it had written. The file $mine says that this job wrote it, not an earlier run.
mine=slurm-${SLURM_JOB_ID:-0}.started
again=()
if [ "${SLURM_RESTART_COUNT:-0}" -gt 0 ]; then
  again=(--restart)
  if [ -e "$mine" ] && "${check[@]}" --restart 2>&1 | grep -q 'there is no checkpoint'; then again=(--overwrite); fi
elif [[ $found != *'holds a run'* ]]; then
  touch "$mine"
fi

status=0
"${launch[@]}" oak run "$@" ${again[@]+"${again[@]}"} || status=$?
# 3: the run has written a checkpoint and ended early. If this was because its time is over, the job goes on later. If
# you have asked for it, with a file `stop` in the output folder, it ends.
left=$((${SLURM_JOB_END_TIME:-0} - $(date +%s)))
if [ $status -eq 3 ] && [ $left -lt 600 ]; then
  scontrol requeue "$SLURM_JOB_ID"
elif [ $status -eq 0 ]; then
  rm -f "$mine"
fi
exit $status
