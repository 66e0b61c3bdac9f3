#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Run CTest in one or more build folders. The last line of the output is "N passed, N failed", of all
# folders together; skipped tests are named above it and count as neither. Tests say "skipped: WHAT:
# REASON" of what they leave out; these lines come before. Exit status 0: some tests
# passed and none failed.
#
# Above that line are the ten slowest tests and the processor time of all.
#
# usage: run_tests.sh JOBS FOLDER[:CTEST_OPTIONS] ...
set -u
# Counts of a log: "12/57 Test #12: name ....   Passed    0.46 sec"; failures say ***Failed, ***Timeout, ***Exception,
# ***Not Run.
count() {
  lines=$(grep -E '^ *[0-9]+/[0-9]+ +Test +#[0-9]+: ' "$1")
  here_passed=$(grep -cE ' +Passed +[0-9.]+ sec' <<<"$lines")
  here_skipped=$(grep -cE '\*\*\*Skipped' <<<"$lines")
  here_failed=$(($(grep -c . <<<"$lines") - here_passed - here_skipped))
  # Trust neither the text nor the exit status alone.
  [ "$status" -ne 0 ] && [ "$here_failed" -eq 0 ] && here_failed=1
}
jobs=$1
shift
passed=0 failed=0 times= reasons=
for entry in "$@"; do
  folder=${entry%%:*} options=
  [ "$folder" = "$entry" ] || options=${entry#*:}
  log=$folder/tests.log
  echo "== tests in $folder"
  # shellcheck disable=SC2086 # several options are several words
  (cd "$folder" && ctest --output-on-failure --no-tests=error -j "$jobs" $options) 2>&1 | tee "$log"
  status=${PIPESTATUS[0]}
  count "$log"
  # Now and then the leak checker itself crashes while it stops the threads of a process ("Tracer caught signal 11"). That
  # says nothing of the program: the failed tests run once more.
  if [ "$here_failed" -gt 0 ] && grep -q 'LeakSanitizer has encountered a fatal error' "$log"; then
    echo "== the leak checker crashed: once more, the failed tests in $folder"
    first=$here_passed skipped=$here_skipped
    # shellcheck disable=SC2086
    (cd "$folder" && ctest --rerun-failed --output-on-failure -j "$jobs" $options) 2>&1 | tee "$log.again"
    status=${PIPESTATUS[0]}
    count "$log.again"
    here_passed=$((here_passed + first)) here_skipped=$((here_skipped + skipped))
  fi
  reasons+=$(grep -ahE '^skipped: ' "$folder/Testing/Temporary/LastTest.log")$'\n'
  [ "$here_skipped" -gt 0 ] && grep -E '\*\*\*Skipped' <<<"$lines" | sed -E 's/.*: ([^ ]+) .*/skipped: \1/'
  times+=$(sed -nE "s|^ *[0-9]+/[0-9]+ +Test +#[0-9]+: ([^ ]+) .* ([0-9.]+) sec.*|\2 \1 in $folder|p" "$log")$'\n'
  passed=$((passed + here_passed)) failed=$((failed + here_failed))
done
echo "== cases and parts of tests that did not run, and why"
sort -u <<<"$reasons" | grep .
echo "== the ten slowest tests, seconds"
sort -rn <<<"$times" | head -10
echo "== processor time, user and system: of this script, of all tests"
times
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
