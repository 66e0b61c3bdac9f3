#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Run the tests of solver, physics and devices, the cases of oak_verify and compute-sanitizer on the GPU of this machine,
# from a folder made by gpu_bundle.sh or from a build folder. One line per test as it ends, the end of the
# log of those that failed, and a summary. Exit status 0: all ran, and passed or were skipped.
#
# usage: gpu_suite.sh [-j JOBS] [-m] [-t SECONDS] [-d DEVICE] [-o FOLDER] BUNDLE_OR_BUILD [WORD ...]
#   -j  tests at a time (8)
#   -m  processes share one GPU, the first, through NVIDIA's multi-process service, started here and ended, instead of
#       taking turns (no compute-sanitizer)
#   -t  time for all; what does not fit is not run, which counts as failure (no limit)
#   -d  value of device.name (cuda); compute-sanitizer runs only with cuda
#   -o  folder of the logs (/tmp/oak_gpu_suite)
#   WORD  only tests whose name has one of the words, such as solver_sod, np1, verify, sanitizer
set -u
jobs=8 most=1000000 device=cuda out=/tmp/oak_gpu_suite share=no
usage() { sed -n '/^# usage/,/^set/p' "$0" | grep '^#'; exit 2; }
while getopts j:mt:d:o: option; do
  case $option in
    j) jobs=$OPTARG ;; m) share=yes ;; t) most=$OPTARG ;; d) device=$OPTARG ;; o) out=$OPTARG ;; *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ -d "${1:-}" ] || usage
# shellcheck source=tools/gpu_env.sh
. "$(dirname "$0")/gpu_env.sh" "$1"
shift
words=("$@")
# As CTest does (tests/CMakeLists.txt).
export OAK_TEST_FOLDER=$source/tests PYTHONPATH=$source/tests OAK_TEST_DEVICE=$device OAK_TEST_LARGE=1 \
  OAK_CACHE=${OAK_CACHE:-/tmp/oak_cache} OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive OMPI_MCA_mpi_yield_when_idle=1
mkdir -p "$out" || exit 1
unpack_kernels
rm -f "$out"/*.log "$out"/*.result
launch=$(command -v mpirun || command -v mpiexec)
sanitizer=
for path in "$(command -v compute-sanitizer)" "${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer"; do
  [ -z "$sanitizer" ] && [ -x "$path" ] && sanitizer=$path
done

# ---- the list of tests: order, name, ranks, seconds, command. Tests on more ranks run after those on fewer, and find
# their kernels in the cache.
list() {
  local file name line ranks np seconds arguments word order problem shown
  for file in "$source"/tests/{build,device,elliptic,geometry,halo,mesh,output,physics,setup,solver}/test_*.c; do
    name=$(basename "$file" .c) ranks=1 seconds=240
    [ -x "$tests/$name" ] && [ "$name" != test_scheme ] || continue # test_scheme gives a kernel memory of the CPU
    line=$(grep -m1 -E '^// ?TEST' "$file" | sed -E 's|^// ?TEST||')
    for word in $line; do
      case $word in
        np=*) ranks=$(tr -d '{}' <<<"${word#np=}" | tr , ' ') ;;
        timeout=*) seconds=$((2 * ${word#timeout=})) ;; # many tests at a time, each with kernels of its own
      esac
    done
    order=0
    for np in $ranks; do
      echo "$order ${name}_np$np $np $seconds $tests/$name"
      order=$((order + 2))
    done
  done
  if [ "$device" = cuda ] && [ $share = no ]; then
    for line in memcheck racecheck initcheck synccheck; do
      arguments="--error-exitcode 99 --tool $line"
      # A symbol is looked up in each part of a module, and only one has it.
      [ $line = memcheck ] && arguments+=" --leak-check full --report-api-errors no"
      # Short, with every kernel: a mesh that changes in 2D, blocks of several tiles in 3D; pictures and plotfiles; the
      # flux kernel's form for few variables.
      while read -r name problem shown; do
        echo "1 sanitizer_${line}_$name 0 240 ${sanitizer:-none} $arguments $oak run --overwrite $source/problems/$problem.ini" \
          "device.name=cuda $shown mesh.min_level=1 mesh.adapt_every=2 output.picture_steps=10" \
          "output.diagnostics_every=4 output.folder=$out/${line}_$name"
      done <<'END'
2d implosion mesh.dim=2 mesh.block_size=4 mesh.max_level=4 refine.buffer=1 run.max_steps=20
3d implosion mesh.dim=3 mesh.block_size=16 mesh.max_level=2 run.max_steps=4
advection advection mesh.max_level=4 run.max_steps=20
END
    done
  fi
  [ -x "$verify" ] && "$verify" --help | awk '/^cases:/ {on = 1; next} on && NF {print $1}' | while read -r name; do
    echo "3 verify_$name 2 300 $verify --out $out/verify_report $name device.name=$device${OAK_TEST_TRANSPORT:+ device.transport=$OAK_TEST_TRANSPORT}"
  done
  name=$(command -v python3)
  [ -n "$name" ] && [ -n "$launch" ] &&
    echo "3 app_errors_np2 0 600 $name $source/tests/app/test_app_errors.py --oak $oak --launch --np 2"
}

# ---- one test, in the background
run_test() {
  local name=$1 np=$2 seconds=$3 begin=$EPOCHREALTIME left=$((most - SECONDS)) status=0 result spent
  shift 3
  local log=$out/$name.log command=("$@")
  [ "$left" -lt "$seconds" ] && seconds=$left
  if [ "$np" -gt 0 ]; then
    [ -n "$launch" ] && command=("$launch" -n "$np" "$@")
  else # started as it is, or starts mpirun itself
    command=("${command[@]/#--launch/--mpiexec=$launch -n}")
  fi
  if [ "$seconds" -le 0 ]; then
    result="NOT RUN"
  elif [ "$1" = none ]; then
    result=skipped
    echo "there is no compute-sanitizer" >"$log"
  elif [ "$np" -gt 1 ] && [ -z "$launch" ]; then
    result=skipped
    echo "there is no mpirun" >"$log"
  else
    timeout -k 5 "$seconds" "${command[@]}" >"$log" 2>&1 </dev/null || status=$?
    case $status in 0) result=ok ;; 77) result=skipped ;; 124 | 137) result=TIMEOUT ;; *) result=FAILED ;; esac
  fi
  spent=$(awk "BEGIN {printf \"%.1f\", $EPOCHREALTIME - $begin}")
  {
    printf '%-8s %6s s  %s\n' "$result" "$spent" "$name"
    case $result in
      skipped) tail -n 1 "$log" | sed 's/^/    /' ;;
      FAILED | TIMEOUT) (grep -E '^\[ +(ERROR|LINE) ' "$log" | head -n 6; tail -n 25 "$log") | cut -c1-240 | sed 's/^/    /' ;;
    esac
  } >"$out/$name.result"
  cat "$out/$name.result"
}

"$oak" info | grep -E '^(oak|device) '
if ! "$oak" info | grep "^device  *$device: " | grep -qv ": not usable"; then
  echo "device $device cannot be used here"
  exit 1
fi
if [ $share = yes ]; then
  # On two H200s (CUDA 13) nearly all processes of the service got illegal addresses as soon as ranks on both read each
  # other's memory. Without the service the same tests passed.
  first=${CUDA_VISIBLE_DEVICES:-0}
  [ "$jobs" -le 12 ] || jobs=12 # a service has 48 processes, a test up to 4 ranks
  export CUDA_VISIBLE_DEVICES=${first%%,*}
  service=$(mktemp -d) || exit 1 # the path of a socket is absolute and short
  export CUDA_MPS_PIPE_DIRECTORY=$service CUDA_MPS_LOG_DIRECTORY=$service
  trap 'echo quit | nvidia-cuda-mps-control >/dev/null; rm -rf "$service"' EXIT
  nvidia-cuda-mps-control -d || exit 1
fi
count=0
while read -r _ name rest; do
  wanted "$name" "${words[@]}" || continue
  count=$((count + 1))
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
  # shellcheck disable=SC2086 # several words
  run_test "$name" $rest &
done < <(list | sort -s -k1,1n -k4,4nr)
wait
number() { cat "$out"/*.result 2>/dev/null | grep -c "^$1"; }
good=$(number ok) skipped=$(number skipped) missed=$(number "NOT RUN")
echo "$good passed, $((count - good - skipped - missed)) failed, $skipped skipped, $missed not run, in $SECONDS s; logs: $out"
[ "$count" -gt 0 ] && [ "$((good + skipped))" -eq "$count" ]
