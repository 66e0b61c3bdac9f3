#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Measure the device openacc against cuda on the GPU of a machine that lacks its compiler. `prepare` runs
# where the compiler is: it fills BUNDLE, made by gpu_bundle.sh, with the kernels and gcc's runtime. `measure` runs where
# the GPU is and prints one line per case. With the word `suite`, `prepare` adds
# the kernels of all tests of solver and devices and of oak_verify, by running them here (half an hour on two cores); there:
#   OAK_ACC_CC=none OAK_CACHE=BUNDLE/cache BUNDLE/tools/gpu_suite.sh -m -d openacc BUNDLE
#
# usage: gpu_openacc.sh prepare|measure BUNDLE [WORD ...]   (WORD: only cases whose name has one of the words)
set -u
[ $# -ge 2 ] && [ -d "$2/bin" ] || { sed -n 's/^# usage/usage/p' "$0"; exit 2; }
mode=$1
# shellcheck source=tools/gpu_env.sh
. "$(dirname "$0")/gpu_env.sh" "$2"
shift 2
words=() suite=no
for word; do [ "$word" = suite ] && suite=yes || words+=("$word"); done

# name; rows of bench/paper.py; device; flags of the kernels
cases() {
  local n rt=uniform,rt,3d,vanleer
  for n in 16 32 8; do
    echo "acc_b$n;$rt,256^3,b$n,double;openacc;"
    echo "cuda_b$n;$rt,256^3,b$n,double;cuda;"
  done
  for n in 16 32 8; do
    echo "acc_single_b$n;hardware,256^3,b$n,single;openacc;"
    echo "cuda_single_b$n;hardware,256^3,b$n,single;cuda;"
  done
  for n in 8 16; do
    echo "acc_small_b$n;small,double,b$n;openacc;"
    echo "cuda_small_b$n;small,double,b$n;cuda;"
  done
  for n in 32 64 256; do echo "acc_b16_vector$n;$rt,256^3,b16,double;openacc;-DOAK_ACC_VECTOR=$n"; done
  for n in 2 4 8 16; do echo "acc_b16_march$n;$rt,256^3,b16,double;openacc;-DOAK_WALK_CELLS=$n"; done
  echo "acc_b16_march8_vector64;$rt,256^3,b16,double;openacc;-DOAK_WALK_CELLS=8 -DOAK_ACC_VECTOR=64"
  echo "acc_b16_branches;$rt,256^3,b16,double;openacc;-ftree-sink -ftree-pre -fcode-hoisting -fthread-jumps"
  echo "acc_b16_peeled;$rt,256^3,b16,double;openacc;-DOAK_ACC_UNROLL=1"
  echo "acc_b16_gcse;$rt,256^3,b16,double;openacc;-fgcse"
  echo "acc_b16_exact;$rt,256^3,b16,double;openacc;-DOAK_EXACT_DIVISION"
  echo "acc_b16_gangs;$rt,256^3,b16,double;openacc;-DOAK_ACC_GANGS="
  echo "acc_b8_vector64;$rt,256^3,b8,double;openacc;-DOAK_ACC_VECTOR=64"
  echo "acc_b8_march8_vector64;$rt,256^3,b8,double;openacc;-DOAK_WALK_CELLS=8 -DOAK_ACC_VECTOR=64"
  echo "acc_b32_vector64;$rt,256^3,b32,double;openacc;-DOAK_ACC_VECTOR=64"
  echo "acc_b32_march8;$rt,256^3,b32,double;openacc;-DOAK_WALK_CELLS=8"
  echo "acc_single_b16_march8;hardware,256^3,b16,single;openacc;-DOAK_WALK_CELLS=8"
  echo "acc_amr;amr;openacc;"
  echo "cuda_amr;amr;cuda;"
}
export OAK_CACHE=$folder/cache OMP_NUM_THREADS=1 OAK_TEST_LARGE=1
out=${OUT:-$folder/out}
mkdir -p "$out"
unpack_kernels
# A short adaptive run with every kernel.
amr=("$oak" run --overwrite "$source/problems/rayleigh_taylor_3d.ini" mesh.adapt_every=2 output.plot_first_last=no
  output.picture_every=0 output.plot_every=0 output.diagnostics_every=10)

if [ "$mode" = prepare ]; then
  for library in libgomp.so.1 libgomp-plugin-nvptx.so.1; do cp -L "$(gcc -print-file-name=$library)" "$folder/lib"; done
  export ACC_DEVICE_TYPE=host
  while IFS=';' read -r name rows device flags; do
    wanted "$name" "${words[@]}" && [ "$device" != cuda ] || continue
    echo "$name"
    # The kernels do not depend on the size of the mesh.
    python3 "$source/bench/paper.py" --oak "$oak" --rows "$rows" "device.name=$device" "device.flags=$flags" mesh.min_level=1 \
      mesh.max_level=1 >"$out/$name.log" 2>&1 </dev/null || tail -3 "$out/$name.log"
  done < <(cases)
  "${amr[@]}" device.name=openacc "output.folder=$out/amr_openacc" mesh.min_level=1 mesh.max_level=1 run.max_steps=2 >/dev/null
  OAK_TEST_FOLDER=$source/tests OAK_TEST_DEVICES="openacc" timeout 600 "$folder/bin/test_device_agree" 2>&1 | tail -1
  # With this device, ranks read each other's memory on the host only. On a GPU they need the kernels of messages.
  [ $suite = yes ] &&
    OAK_TEST_TRANSPORT=staged bash "$folder/tools/gpu_suite.sh" -d openacc -j "$(env -u OMP_NUM_THREADS nproc)" -o "$out/suite" "$folder" test_ verify_
  rm -f "$folder"/cache/*.cpu "$folder"/cache/*.cpu.ref
  # Kernels for GPUs are text, a tenth of it when packed.
  tar czf "$folder/cache.tgz" -C "$folder/cache" . && rm -rf "$folder/cache" && du -sh "$folder"
  exit
fi

export OAK_ACC_CC=none
"$oak" info | grep -E '^(oak|device) '
while IFS=';' read -r name rows device flags; do
  wanted "$name" "${words[@]}" || continue
  begin=$EPOCHREALTIME
  timeout 40 python3 "$source/bench/paper.py" --oak "$oak" --rows "$rows" "device.name=$device" "device.flags=$flags" \
    --out "$out/$name" >"$out/$name.log" 2>&1 </dev/null || tail -3 "$out/$name.log"
  awk -v n="$name" -v s="$EPOCHREALTIME" -v b="$begin" 'NR == FNR && FNR > 1 {split($0, v, ","); row[++k] = $0}
    END {for (i = 1; i <= k; i++) printf "%-26s %s  (%.1f s)\n", n, row[i], s - b}' "$out/$name/paper.csv" 2>/dev/null
done < <(cases)
head -1 "$out"/*/paper.csv 2>/dev/null | sed -n 2p

# Phases of an adaptive run.
for device in openacc cuda; do
  wanted "phases_$device" "${words[@]}" || continue
  "${amr[@]}" device.name=$device "output.folder=$out/amr_$device" mesh.min_level=2 mesh.max_level=4 run.max_steps=60 >"$out/amr_$device.log" 2>&1
  echo "== adaptive run on $device"
  sed -n '/ on average/,$p' "$out/amr_$device.log"
done
for device in openacc cuda; do
  wanted "kernels_$device" "${words[@]}" && command -v ncu >/dev/null || continue
  echo "== kernels on $device"
  list_kernels "${amr[@]}" device.name=$device "output.folder=$out/amr_$device" mesh.min_level=3 mesh.max_level=4 run.max_steps=4
done
# Results: cpu against openacc.
if wanted agree "${words[@]}"; then
  OAK_TEST_FOLDER=$source/tests OAK_TEST_DEVICES="openacc cuda" timeout 60 "$folder/bin/test_device_agree" 2>&1 |
    grep -E "openacc|line|rror" | cut -c1-200
fi
