#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# `make site`: all pages are in the navigation, links lead somewhere, and formulas and the search need no network.
#
# usage: check_site.sh SOURCE
set -eu
for part in "command -v sphinx-build" "/usr/bin/python3 -c 'import myst_parser, furo'" "ls /usr/share/javascript/mathjax/MathJax.js"; do
  sh -c "$part" >/dev/null 2>&1 || {
    echo "skipped: site_doc: all: $part fails; install python3-sphinx python3-myst-parser furo libjs-mathjax"
    exit 77
  }
done
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$1/tools/site/make_site.sh" "$1" "$out"
for file in index.html search.html searchindex.js docs/cookbook.html python/README.html _static/mathjax/MathJax.js; do
  [ -s "$out/$file" ] || { echo "the site lacks $file"; exit 1; }
done
grep -q 'href="cookbook.html">How do I' "$out/docs/README.html" || { echo "the navigation lacks the cookbook"; exit 1; }
grep -q 'class="math notranslate nohighlight"' "$out/docs/numerics.html" || { echo "numerics.html has no formula"; exit 1; }
if grep -hoE '<(script|link)[^>]*(src|href)="https?://[^"]*"' "$out"/docs/*.html | grep -v canonical; then
  echo "pages load files from the network"
  exit 1
fi
