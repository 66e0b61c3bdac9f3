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
