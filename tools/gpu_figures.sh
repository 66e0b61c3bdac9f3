#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Measure the figures of docs/performance.md and docs/scaling.md on the GPUs of this machine, with one rank on each GPU,
# from a folder made by gpu_bundle.sh or from a build folder. Prints the output of each command under a line with its
# words.
#
# usage: gpu_figures.sh BUNDLE_OR_BUILD [PART ...]
#   one GPU (default): paper schemes adaptive elliptic equations agile start kernels
#   several GPUs:      uniform weak amr transports others
set -u
# shellcheck source=tools/gpu_env.sh
. "$(dirname "$0")/gpu_env.sh" "$1"
shift
gpus=$(nvidia-smi -L | wc -l)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

show() {
  echo
  echo "== $* (at $SECONDS s)"
  "$@" 2>&1
}
bench() { show "$oak" bench "$@" device.name=cuda; }
script() { show python3 "$source/bench/$1.py" --oak "$oak" "${@:2}" device.name=cuda; }
scaling() { script scaling --ranks "$gpus" "$@"; }

# run NAME FILE KEYS ...: the average rate of 400 steps, without output, after a run that builds the kernels.
run() {
  local name=$1 steps
  shift
  for steps in 2 400; do
    "$oak" run "$@" device.name=cuda run.max_steps=$steps run.end_time=1000 output.folder="$scratch/run" --overwrite \
      output.picture_every=0 output.plot_first_last=no output.diagnostics_every=0 >"$scratch/log" 2>&1
  done
  printf '%-40s %s\n' "$name" "$(grep -E ' steps to |error|oak:' "$scratch/log" | head -1)"
  grep 'outside flux' "$scratch/log"
}
problem() { echo "$source/problems/$1.ini"; }
cube() { echo mesh.dim=3 mesh.block_size=16 mesh.min_level=4 mesh.max_level=4; }

equations() {
  echo
  echo "== other equations and options: 3D 256^3 or 2D 4096^2, blocks of 16^d (at $SECONDS s)"
  # shellcheck disable=SC2046 # several words
  {
    run "Euler" "$(problem rayleigh_taylor_3d)" $(cube)
    run "Euler, mixed" "$(problem rayleigh_taylor_3d)" $(cube) scheme.precision=mixed
    run "Euler, hllc" "$(problem rayleigh_taylor_3d)" $(cube) scheme.flux=hllc
    run "Euler, 2 scalars" "$(problem rayleigh_taylor_3d)" $(cube) "physics.scalars=a b"
    run "Euler, solids (cylinder, 2D)" "$(problem cylinder)" mesh.trees="1 1" mesh.xmin="-1 -1" mesh.xmax="1 1" \
      mesh.min_level=8 mesh.max_level=8
    run "MHD, hlld" "$(problem orszag_tang)" $(cube)
    run "shallow water, 2D" "$(problem island)" mesh.block_size=16 mesh.trees="1 1" mesh.xmax="1 1" mesh.min_level=8 \
      mesh.max_level=8
    run "Navier-Stokes 2D, rkl2" "$(problem kelvin_helmholtz_viscous)" physics.nu=0.001 mesh.min_level=8 mesh.max_level=8
    run "Navier-Stokes 3D, explicit" "$(problem kelvin_helmholtz_viscous)" physics.nu=0.001 $(cube) scheme.diffusion=explicit
    run "Euler with self-gravity (jeans)" "$(problem jeans)" $(cube)
  }
}
# The published case of the code AGILE: 3D Kelvin-Helmholtz, Rusanov's flux (called TVDLF there), a linear limiter, three
# stages.
agile() {
  echo
  echo "== 3D Kelvin-Helmholtz, rusanov, ssprk33, blocks of 32^3 (at $SECONDS s)"
  local limiter level
  for limiter in mc minmod; do
    for level in 3 4; do
      run "$((32 << level))^3, $limiter" "$(problem kelvin_helmholtz)" mesh.dim=3 mesh.block_size=32 mesh.min_level=$level \
        mesh.max_level=$level scheme.flux=rusanov scheme.limiter=$limiter scheme.integrator=ssprk33
    done
  done
}

kernels() {
  echo
  echo "== kernels of an adaptive run, levels 2 to 5 (at $SECONDS s)"
  list_kernels "$oak" run "$(problem rayleigh_taylor_3d)" device.name=cuda mesh.min_level=2 mesh.max_level=5 mesh.adapt_every=4 \
    run.max_steps=8 output.folder="$scratch/kernels" --overwrite output.picture_every=0 output.plot_every=0 \
    output.plot_first_last=no
}

nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader
[ $# -gt 0 ] || set -- paper schemes adaptive elliptic equations agile start kernels
for part; do
  case $part in
    paper) script paper ;;
    schemes) script schemes ;;
    adaptive) script adaptive ;;
    elliptic)
      for level in 2 4 5; do bench --elliptic mesh.min_level=$level mesh.max_level=$level; done
      bench --elliptic mesh.min_level=2 mesh.max_level=4 ;;
    equations) equations ;;
    agile) agile ;;
    kernels) kernels ;;
    start)
      show "$oak" info
      echo "== a first start with an empty cache, and a second one"
      for _ in 1 2; do
        OAK_CACHE=$scratch/cache "$oak" run "$(problem rayleigh_taylor_3d)" device.name=cuda run.max_steps=2 \
          output.folder="$scratch/start" --overwrite 2>&1 | grep initialization
      done ;;
    uniform)
      for side in 256 512; do scaling --side $side --blocks 8,16,32; done
      scaling --side 1024 --blocks 16 --fewest "$gpus" ;;
    weak) scaling --weak --side 512 ;;
    amr) for side in 512 1024; do scaling --adaptive --side $side; done ;;
    transports)
      for transport in nccl staged; do
        for case in "--side 256" "--side 512" "--adaptive --side 512" "--adaptive --side 1024"; do
          # shellcheck disable=SC2086 # several words
          scaling $case --fewest "$gpus" device.transport=$transport
        done
      done ;;
    others)
      scaling --side 512 --blocks 16 physics.name=mhd problem.name=orszag_tang scheme.flux=hlld boundary.zlow=periodic \
        boundary.zhigh=periodic
      for transport in direct nccl; do
        for ranks in 1 "$gpus"; do
          show mpirun -n "$ranks" "$oak" bench --elliptic mesh.min_level=5 mesh.max_level=5 device.name=cuda device.transport=$transport
        done
      done ;;
    *) echo "unknown part $part" >&2; exit 2 ;;
  esac
done
