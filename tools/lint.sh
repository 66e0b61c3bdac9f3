#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Habits of this project that no other tool checks. Prints file and line of each offence.
#
# usage: lint.sh (at the top of the tree)
set -u
bad=0
sources=$(git ls-files '*.c' '*.h')
scripts=$(git ls-files '*.py' '*.sh' '*.cmake' '*CMakeLists.txt' Makefile)
library=$(git ls-files 'src/*.c' 'src/*.h')

# forbid TEXT FILES PATTERN [EXCEPT]: lines that match, but not EXCEPT.
forbid() {
  local found
  # shellcheck disable=SC2086 # lists of files
  found=$(grep -nHE -- "$3" $2 | grep -vE -- "${4:-^$}")
  [ -z "$found" ] && return
  echo "$1:"
  echo "$found" | sed 's/^/  /'
  bad=1
}

for file in $sources $scripts; do
  head -3 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0-or-later' || {
    echo "$file: the first lines name no licence"
    bad=1
  }
done
for file in $(git ls-files '*.c' '*.h'); do
  [ "$(grep -cv '^// TEST' "$file")" -le 600 ] || {
    echo "$file: more than 600 lines; split it"
    bad=1
  }
done
forbid "tab or blank at the end of a line" "$sources" $'\t|[ \t]$'
forbid "the library never exits: return a status" "$library" '\b(exit|_exit|abort|MPI_Abort)\(' '(^src/base/status\.c:)|( \* )'
forbid "assert: OAK_CHECK for what others can cause, OAK_ASSERT for bugs of our own" "$library" '[^_A-Za-z]assert\('
forbid "output to stdout: pass a stream" "$library" '[^fns]printf\(|\bputs\(|[^f]putchar\(' '" *\*|^[^:]*:[0-9]+: \*'
forbid "MPI_COMM_WORLD in the library: use the communicator given" "$library" '\bMPI_COMM_WORLD\b' '/\*| \* |^src/base/status\.c:.*MPI_Abort'
forbid "p4est outside src/mesh" "$(git ls-files 'src/*.c' 'src/*.h' | grep -v '^src/mesh/')" '\b(p4est|p8est)_[a-z]'
forbid "a vendor outside include/oak/dialect" "$(git ls-files kernels numerics physics problems | grep '[.][ch]$')" \
  '\b([Nn][Vv][Ii][Dd][Ii][Aa]|CUDA|cuda|AMD|HIP|ROCm|[Ii]ntel)\b|OAK_DEVICE_(CUDA|HIP)\b'
forbid "unbounded string functions" "$sources" '\b(strcpy|strcat|gets)\('
forbid "a note for later without an issue number" "$sources" '\b(TODO|FIXME|XXX)\b' '#[0-9]'
forbid "a function that depends on the locale: add it to src/base/c_locale.h" "$library" \
  '\b(asprintf|v?dprintf|vf?scanf|vsscanf|strtof|strtold|islower|isprint|isgraph|iscntrl|isblank|strcoll|strxfrm)\('
forbid "dead code" "$sources" '^ *#if 0\b'
forbid "status of oak thrown away" "$(git ls-files 'src/*.c' 'app/*.c' 'examples/*.c')" \
  '^ +\(?void\)? *oak_(advance|create|initialize|write_grid|device_alloc|agree)\('
exit $bad
