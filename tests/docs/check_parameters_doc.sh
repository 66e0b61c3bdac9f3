#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST name=parameters_doc @oak@ @source@
# docs/parameters.md is what the program says. Usage: check_parameters_doc.sh OAK SOURCE_ROOT [--write]
# With --write the file is made anew.
set -eu
oak=$1
manual=$2/docs/parameters.md

generate() {
  cat <<'HEAD'
# Parameters

`tests/docs/check_parameters_doc.sh build/oak . --write` makes this page from the output of
`oak params`. A test checks that the two agree.

A parameter file has sections and keys. `#` and `;` start comments, and numbers may be fractions
(`5/3`). On the command line a key is written with its section: `oak run FILE.ini mesh.max_level=6`.
Problems and physics declare further parameters in their files. `oak run` refuses an unknown key and
names the nearest known one. `parameters.ini` in the output folder holds every value of a run.

HEAD
  "$oak" params | python3 "$(dirname "$0")/parameters_page.py"
}

if [ "${3:-}" = --write ]; then
  generate > "$manual"
  exit 0
fi
fresh=$(mktemp)
trap 'rm -f "$fresh"' EXIT
generate > "$fresh"
if ! diff -u "$manual" "$fresh"; then
  echo "$manual is out of date: run tests/docs/check_parameters_doc.sh OAK SOURCE_ROOT --write" >&2
  exit 1
fi
