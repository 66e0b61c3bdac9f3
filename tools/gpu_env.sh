# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034 # read by others
# What the scripts gpu_*.sh share. They read this file with a folder: one made by gpu_bundle.sh, or a build folder.
folder=$(cd "$1" && pwd) || exit 2
if [ -d "$folder/bin" ]; then
  tests=$folder/bin oak=$folder/bin/oak verify=$folder/bin/oak_verify source=$folder/src
  export LD_LIBRARY_PATH=$folder/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
else
  tests=$folder/tests oak=$folder/oak verify=$folder/tests/verify/oak_verify source=$(cd "$(dirname "$0")/.." && pwd)
fi
export OAK_HOME=$source OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
  OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl=^tcp \
  PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none

# Kernels that gpu_openacc.sh has compiled elsewhere.
unpack_kernels() {
  mkdir -p "$OAK_CACHE" || exit 1
  [ ! -f "$folder/cache.tgz" ] || tar xzf "$folder/cache.tgz" --skip-old-files -C "$OAK_CACHE"
}

# wanted NAME WORD ...: no word is given, or one of them is in the name.
wanted() {
  local name=$1 word
  shift
  [ $# -gt 0 ] || return 0
  for word; do [[ $name == *$word* ]] && return; done
  return 1
}

# list_kernels COMMAND ...: what limits the kernels of this command, by counters of the GPU.
list_kernels() {
  local time=gpu__time_duration.sum memory=dram__throughput.avg.pct_of_peak_sustained_elapsed
  local units=sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active slots=sm__inst_issued.avg.pct_of_peak_sustained_active
  echo "kernel: launches, % of the time, us of a launch, registers; % of the peak of memory, fp64 units, instruction slots"
  timeout 120 ncu --clock-control none --csv --print-units base \
    --metrics "$time,$memory,$units,$slots,launch__registers_per_thread" "$@" 2>&1 |
    awk -F'","' -v time=$time -v memory=$memory -v units=$units -v slots=$slots '
      /^==ERROR|oak: error/ {print}
      NF > 12 && $1 != "\"ID" {gsub(/[",]/, "", $NF); name[$1] = $5; value[$1, $(NF - 2)] = $NF}
      END {
        for (id in name) {
          k = name[id]; t = value[id, time]; n[k]++; all += t; spent[k] += t; registers[k] = value[id, "launch__registers_per_thread"]
          m[k] += t * value[id, memory]; u[k] += t * value[id, units]; s[k] += t * value[id, slots]
        }
        for (k in n)
          printf "%-42s %5d %6.1f %9.1f %4d  %6.1f %6.1f %6.1f\n", k, n[k], 100 * spent[k] / all, spent[k] / n[k] / 1e3,
            registers[k], m[k] / spent[k], u[k] / spent[k], s[k] / spent[k]
      }' | sort -k3 -nr
}
