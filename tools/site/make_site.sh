#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Make the documentation of the tree SOURCE as a site in the folder OUT; a link that leads nowhere is an error.
#
# usage: make_site.sh SOURCE OUT
set -eu
sphinx-build -q -W --keep-going -b html -c "$(dirname "$0")" "$1" "$2"
echo '<!doctype html><meta charset="utf-8"><title>oak</title><meta http-equiv="refresh" content="0; url=docs/README.html">' >"$2/index.html"
