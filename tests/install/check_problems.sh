#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST name=long_problems_openacc suite=long flags=-O0 @oak@ @source@ device.name=openacc
# Runs each problem for a few steps on a small mesh, with its outputs at the start and at the end.
# usage: check_problems.sh OAK SOURCE [section.key=value ...]
oak=$1 source=$2 failed=0
shift 2
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
for file in "$source"/problems/*.ini; do
  level=1
  case $file in */streamer_needle.ini) level=2 ;; esac # the needle must not be thinner than a cell
  # Four steps end with an adaptation.
  text=$("$oak" run "$file" --quiet run.max_steps=4 mesh.block_size=8 mesh.min_level=0 mesh.max_level=$level \
    mesh.adapt_every=4 output.folder="$out/$(basename "$file" .ini)" "$@" 2>&1) && [ -z "$text" ] && continue
  printf '%s:\n%s\n' "$file" "$text"
  failed=1
done
exit $failed
