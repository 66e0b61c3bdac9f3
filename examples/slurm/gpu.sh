#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# oak on GPU nodes: one rank for each GPU.
#
# Change the lines that are marked CHANGE, then: sbatch gpu.sh my.ini
# Further words are passed to oak: sbatch gpu.sh my.ini mesh.max_level=7 output.folder=fine

#SBATCH --job-name=oak
#SBATCH --time=01:00:00            # CHANGE: hours:minutes:seconds
#SBATCH --partition=gpu            # CHANGE: a name that `sinfo` prints
#SBATCH --nodes=1                  # CHANGE: how many nodes; one node is often fast enough, see docs/scaling.md
#SBATCH --exclusive
#SBATCH --mem=0                    # all memory of a node
#SBATCH --requeue                  # the job may go back into the queue, see the end of this script
#SBATCH --signal=USR1@300          # 300 s before the end of its time the run writes a checkpoint and ends
#SBATCH --open-mode=append         # a job that goes on adds to its output
# CHANGE all three to your nodes: GPUs of a node (twice the same number), and cores of a node / GPUs.
#SBATCH --gpus-per-node=4
#SBATCH --ntasks-per-node=4
#SBATCH --cpus-per-task=16
# Do NOT use --gpus-per-task or --gpu-bind. Each rank would then see its own GPU only, and ranks of a node could
# not read each other's memory (CUDA IPC): oak would have to send messages. With --gpus-per-node every rank sees
# all GPUs of its node and takes the one of its number on the node.

set -eu
if [ $# -eq 0 ]; then
  echo "usage: sbatch $0 FILE.ini [section.key=value ...]" >&2
  exit 2
fi

# CHANGE: modules with the MPI that oak was built with, a C compiler, and CUDA (NVRTC and, for several nodes, NCCL).
# module load gcc openmpi cuda nccl

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

# The first lines of the output say how data travels: "ranks of a host read each other's memory in place" is what
# you want on a node, "messages by NCCL" between nodes. device.name=cuda stops a run that finds no GPU; with the
# default it would run on CPUs.
# Mistakes in the parameters show here, and the kernels get into the cache, before all ranks start.
check=(srun --nodes=1 --ntasks=1 oak run "$@" device.name=cuda --check)
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
"${launch[@]}" oak run "$@" device.name=cuda ${again[@]+"${again[@]}"} || status=$?
# 3: the run has written a checkpoint and ended early. If this was because its time is over, the job goes on later. If
# you have asked for it, with a file `stop` in the output folder, it ends.
left=$((${SLURM_JOB_END_TIME:-0} - $(date +%s)))
if [ $status -eq 3 ] && [ $left -lt 600 ]; then
  scontrol requeue "$SLURM_JOB_ID"
elif [ $status -eq 0 ]; then
  rm -f "$mine"
fi
exit $status
