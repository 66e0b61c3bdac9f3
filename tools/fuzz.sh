#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Readers of text and files under inputs that nobody thought of (tests/fuzz): so many of each, as many readers at a time as
# there are jobs. New inputs that reach new code are kept in FOLDER/corpus, where the next call goes on from them.
#
# usage: fuzz.sh JOBS FOLDER RUNS [NAME ...]     FOLDER: a build; NAME: params command plotfile checkpoint
set -u
jobs=$1 folder=$2 runs=$3
shift 3
[ $# -gt 0 ] || set -- params command plotfile checkpoint
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=^tcp
# Leaks at the end are those of MPI, from modules that are gone by then; those of readers show in `make sanitize`, which
# replays the same inputs.
export ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=0:malloc_context_size=2:quarantine_size_mb=8:max_malloc_fill_size=0
export UBSAN_OPTIONS=print_stacktrace=1

fuzz() {
  local name=$1 log=$2/fuzz_$1.log found=$2/found_$1- begin=$SECONDS seeds=tests/fuzz/$1
  [ "$name" = params ] && seeds="$seeds problems"
  mkdir -p "$2/corpus/$name"
  # shellcheck disable=SC2086 # several folders
  if "$2/tests/fuzz/fuzz_$name" -runs="$3" -max_len=4096 -timeout=60 -rss_limit_mb=4096 -artifact_prefix="$found" \
    "$2/corpus/$name" $seeds >"$log" 2>&1; then
    echo "$name: $3 inputs in $((SECONDS - begin)) s, nothing found"
  else
    echo "$name: failed after $((SECONDS - begin)) s, see $log and $found*:"
    grep -vE '^#[0-9]+' "$log" | tail -n 40
    return 1
  fi
}
export -f fuzz
printf '%s\n' "$@" | xargs -P "$jobs" -I NAME bash -c "fuzz NAME '$folder' '$runs'"
