#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST name=slurm np=2 @oak@ @source@ @MPIEXEC_EXECUTABLE@ @MPIEXEC_NUMPROC_FLAG@
# The job scripts of examples/slurm and examples/pbs start oak with what they are given. A stand-in for srun takes the options of
# srun away and runs the rest on two ranks. Usage: check_slurm.sh OAK SOURCE_ROOT MPIEXEC...
set -eu
oak=$1 source=$2
shift 2
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
mkdir -p "$home/.local/bin"
cat > "$home/.local/bin/oak" <<STANDIN
#!/bin/sh
echo \$\$ >> "$home/pids"
exec "$oak" "\$@"
STANDIN
cat > "$home/.local/bin/srun" <<STANDIN
#!/bin/sh
while [ "\${1#--}" != "\$1" ]; do shift; done
exec $* 2 "\$@"
STANDIN
cat > "$home/.local/bin/scontrol" <<STANDIN
#!/bin/sh
echo "\$*" >> "$home/requeued"
STANDIN
chmod +x "$home/.local/bin/oak" "$home/.local/bin/srun" "$home/.local/bin/scontrol"
# The cache of kernels may belong to root: whoever starts the script cannot change it then.
ln -s /bin/false "$home/.local/bin/chmod"
export HOME="$home"
export OAK_CACHE="${OAK_CACHE:-$home/cache}"

cd "$home"
for script in cpu gpu; do
  file=$source/examples/slurm/$script.sh
  if bash "$file" 2> usage; then
    echo "$file: accepts no parameter file" >&2
    exit 1
  fi
  grep -q '^usage: sbatch' usage
  # What is asked for comes last in gpu.sh, device cuda; without a GPU that is refused.
  status=0
  bash "$file" "$source/problems/sedov.ini" run.max_steps=2 "output.folder=$home/$script" > log 2>&1 || status=$?
  if ! { grep -q '2 ranks on' log && [ -s "$script/diagnostics.csv" ]; }; then
    [ $script = gpu ] && [ $status -ne 0 ] && grep -qi 'cuda' log && continue
    echo "$file: exit code $status" >&2
    cat log >&2
    exit 1
  fi
done

# A job whose time is nearly over writes a checkpoint and goes back into the queue; started again, it goes on.
job() {
  status=0
  env SLURM_JOB_ID=7 "$@" bash "$source/examples/slurm/cpu.sh" "$source/problems/sedov.ini" run.max_steps=4 \
    "output.folder=$home/job" > log 2>&1 || status=$?
}
job SLURM_JOB_END_TIME=$(($(date +%s) + 60))
if [ $status -ne 3 ] || [ "$(cat requeued)" != "requeue 7" ] || [ ! -e slurm-7.started ]; then
  echo "exit code $status of a job whose time is over:" >&2
  cat log >&2
  exit 1
fi
job SLURM_JOB_END_TIME=$(($(date +%s) + 7200)) SLURM_RESTART_COUNT=1
if [ $status -ne 0 ] || [ "$(tail -1 job/diagnostics.csv | cut -d, -f1)" != 4 ] || [ "$(cat requeued)" != "requeue 7" ]; then
  echo "exit code $status of a job that goes on:" >&2
  cat log >&2
  exit 1
fi

# SLURM sends SIGUSR1 to each rank, maybe more than once while the run ends.
rm -r job requeued pids
SLURM_JOB_ID=7 SLURM_JOB_END_TIME=$(($(date +%s) + 300)) bash "$source/examples/slurm/cpu.sh" "$source/problems/sedov.ini" \
  run.end_time=1e6 run.max_steps=1000000 output.plot_every=0 output.picture_every=0 output.diagnostics_every=1 \
  "output.folder=$home/job" > log 2>&1 &
job=$!
until grep -q '^3,' job/diagnostics.csv 2> /dev/null || ! kill -0 $job; do sleep 0.1; done
until ! kill -0 $job; do
  while read -r pid; do kill -USR1 "$pid" || true; done < pids
  sleep 0.05
done 2> /dev/null
status=0
wait $job || status=$?
if [ $status -ne 3 ] || [ "$(cat requeued)" != "requeue 7" ]; then
  echo "exit code $status of a job with signals:" >&2
  cat log >&2
  exit 1
fi

# A node may fail before the first checkpoint. A job then removes what it has written and starts anew; what another run
# has written stays.
rm -r job
"$oak" run --quiet "$source/problems/sedov.ini" run.max_steps=2 "output.folder=$home/job"
touch slurm-7.started
job SLURM_RESTART_COUNT=1
if [ $status -ne 0 ] || [ "$(tail -1 job/diagnostics.csv | cut -d, -f1)" != 4 ] || [ -e slurm-7.started ]; then
  echo "exit code $status of a job that starts anew:" >&2
  cat log >&2
  exit 1
fi
cp job/diagnostics.csv before
for count in 0 1; do
  job SLURM_RESTART_COUNT=$count
  if [ $status -ne 1 ] || ! cmp -s job/diagnostics.csv before || [ -e slurm-7.started ]; then
    echo "exit code $status of a job in a folder of another run:" >&2
    cat log >&2
    exit 1
  fi
done

# A job of an array takes its line of settings.
printf 'run.max_steps=9\nrun.max_steps=2  output.folder=%s/second\n' "$home" > runs.txt
SLURM_ARRAY_TASK_ID=2 bash "$source/examples/slurm/array.sh" "$source/problems/sedov.ini" runs.txt > log 2>&1 || { cat log >&2; exit 1; }
if [ "$(tail -1 second/diagnostics.csv | cut -d, -f1)" != 2 ]; then
  echo "array.sh does not take line 2" >&2
  exit 1
fi

# PBS: a job whose time is over is followed by another one, which goes on.
cat > "$home/.local/bin/mpirun" <<STANDIN
#!/bin/sh
while [ "\$1" != oak ]; do shift; done
exec $* 2 "\$@"
STANDIN
cat > "$home/.local/bin/qsub" <<STANDIN
#!/bin/sh
echo "\$*" > "$home/submitted"
STANDIN
chmod +x "$home/.local/bin/mpirun" "$home/.local/bin/qsub"
sed 's/^seconds=3600 /seconds=121 /' "$source/examples/pbs/cpu.sh" > cpu.sh
settings="$source/problems/sedov.ini output.plot_every=0 output.picture_every=0 output.folder=$home/pbs run.end_time=1e6"
export PBS_O_WORKDIR="$home" arguments="$settings run.max_steps=1000000"
status=0
bash cpu.sh > log 2>&1 || status=$?
if [ $status -ne 3 ] || [ "$(cat submitted)" != "-v arguments=$arguments,again=--restart $home/cpu.sh" ]; then
  echo "exit code $status of a job of PBS whose time is over:" >&2
  cat log >&2
  exit 1
fi
rm submitted
last=$(($(find pbs -name 'chk*.oak' | sed 's/.*chk0*//; s/\.oak//' | sort -n | tail -1) + 2))
export arguments="$settings run.max_steps=$last" again=--restart
bash "$source/examples/pbs/cpu.sh" > log 2>&1 || { cat log >&2; exit 1; }
if [ "$(tail -1 pbs/diagnostics.csv | cut -d, -f1)" != $last ] || [ -e submitted ]; then
  echo "a job of PBS that goes on does not reach its end" >&2
  exit 1
fi
