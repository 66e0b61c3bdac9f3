#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Make the documentation of the tree SOURCE as a site in the folder OUT; a link that leads nowhere is an error. Sphinx
# reads a copy of the tree, with pages of each physics and of the C interface.
#
# usage: make_site.sh SOURCE OUT
set -eu
tools=$(cd "$(dirname "$0")" && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
tar -c -C "$1" --exclude='./build*' --exclude='./.*' --exclude=./dist --exclude=./output --exclude=./gallery --exclude=./site \
  --exclude=./verify_report . | tar -x -C "$copy"
/usr/bin/python3 "$tools/physics_pages.py" "$copy"
/usr/bin/python3 "$tools/../make_c_interface.py" "$copy" "$copy/docs/c-interface.md"
sed -i 's|(../include/oak/README.md)|(c-interface.md)|' "$copy/docs/README.md" "$copy/docs/poisson.md"
sphinx-build -q -W --keep-going -b html -c "$tools" "$copy" "$2"
echo '<!doctype html><meta charset="utf-8"><title>oak</title><meta http-equiv="refresh" content="0; url=docs/README.html">' >"$2/index.html"
