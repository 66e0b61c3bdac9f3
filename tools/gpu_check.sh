#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Run programs of a folder made by gpu_bundle.sh, with its libraries and kernel sources.
#
# usage: gpu_check.sh FOLDER PROGRAM [arguments]
folder=$(cd "$1" && pwd)
shift
export LD_LIBRARY_PATH=$folder/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} OAK_HOME=$folder/src
export OAK_CACHE=${OAK_CACHE:-/tmp/oak_cache} OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
mkdir -p "$OAK_CACHE"
program=$1
shift
exec "$folder/bin/$program" "$@"
