#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Many runs that differ in their parameters: an array of jobs, one node for each run. Each line of a file has the
# settings of a run, such as
#   mesh.max_level=5 problem.energy=2 output.folder=scan/5_2
# Change the lines that are marked CHANGE, then: sbatch --array=1-$(wc -l < runs.txt) array.sh my.ini runs.txt
# --array=1-100%10 has at most 10 of them at a time.

#SBATCH --job-name=oak
#SBATCH --time=01:00:00            # CHANGE: hours:minutes:seconds
#SBATCH --partition=cpu            # CHANGE: a name that `sinfo` prints
#SBATCH --nodes=1
#SBATCH --exclusive
#SBATCH --ntasks-per-node=8        # CHANGE: NUMA domains of a node
#SBATCH --cpus-per-task=16         # CHANGE: cores of a domain
#SBATCH --threads-per-core=1

set -eu
if [ $# -ne 2 ] || [ -z "${SLURM_ARRAY_TASK_ID:-}" ]; then
  echo "usage: sbatch --array=1-N $0 FILE.ini SETTINGS.txt" >&2
  exit 2
fi
# CHANGE: modules, and where oak is installed, as in cpu.sh.
# module load gcc openmpi
export PATH=$HOME/.local/bin:$PATH
export OAK_CACHE=${OAK_CACHE:-$HOME/.cache/oak}

read -ra settings <<< "$(sed -n "${SLURM_ARRAY_TASK_ID}p" "$2")"
exec srun --cpu-bind=cores --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" oak run "$1" "${settings[@]}"
