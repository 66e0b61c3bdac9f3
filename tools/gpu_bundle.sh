#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Collect what a machine with a GPU needs to run oak and its tests when it lacks p4est: programs, the
# libraries they load and the sources of the kernels. On that machine: FOLDER/tools/gpu_suite.sh FOLDER runs all
# tests, FOLDER/tools/gpu_figures.sh FOLDER measures.
#
# usage: gpu_bundle.sh BUILD FOLDER (at the top of the tree)
set -eu
build=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"/{bin,lib,src}
cp -r include kernels numerics physics problems bench examples "$folder/src"
mkdir -p "$folder/tools"
cp -r tests "$folder/src"
cp tools/gpu_{env,suite,figures,openacc}.sh "$folder/tools"
cp "$build"/oak "$build"/tests/verify/oak_verify "$folder/bin"
cp "$build"/tests/test_* "$folder/bin" 2>/dev/null || true
rm -rf "$folder"/bin/*.cmake
cp -L "$build"/liboak.so* "$folder/lib"
# Of what they load, only what a machine with MPI does not have.
ldd "$folder"/bin/* "$folder"/lib/liboak.so | awk '/=> \// {print $3}' | sort -u |
  grep -E '/lib(p4est|sc|png16|cmocka)[-.]' | while read -r file; do cp -L "$file" "$folder/lib"; done
strip "$folder"/bin/* "$folder"/lib/*.so* 2>/dev/null || true
du -sh "$folder"
