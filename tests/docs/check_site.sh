#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST name=site_doc timeout=300 suite=all @source@
# `make site`: all pages are in the navigation, links lead somewhere, and formulas and the search need no network. Each
# physics has a page, and a new one gets its page by itself. Pages are right in a browser.
#
# usage: check_site.sh SOURCE
set -eu
for part in "command -v sphinx-build" "/usr/bin/python3 -c 'import myst_parser, furo'" "ls /usr/share/javascript/mathjax/MathJax.js"; do
  sh -c "$part" >/dev/null 2>&1 || {
    echo "skipped: site_doc: all: $part fails; install python3-sphinx python3-myst-parser furo libjs-mathjax"
    exit 77
  }
done
out=$(mktemp -d) tree=$(mktemp -d)
trap 'rm -rf "$out" "$tree"' EXIT
cp -r "$1/docs" "$1/physics" "$1/problems" "$tree"
sed 's/TITLE(".*")/TITLE("New equations")/' "$1/physics/isothermal.c" >"$tree/physics/new.c"
/usr/bin/python3 "$1/tools/site/physics_pages.py" "$tree"
grep -q '^| \[`new`\](physics/new.md) | New equations |' "$tree/docs/physics.md" || { echo "physics.md lacks a new physics"; exit 1; }
for words in '^# `new`: New equations' 'd rho/dt     + div (rho u) ' '^| conserved | `rho mx my mz` |' '^| `sound` | 1 | speed of sound |' \
  '^| `FLUX` | sets `f`' '^| `RIEMANN` `hllc` |'; do
  grep -q "$words" "$tree/docs/physics/new.md" || { echo "the page of a new physics lacks $words"; exit 1; }
done
"$1/tools/site/make_site.sh" "$1" "$out"
for file in "$1"/physics/*.c; do
  name=$(basename "$file" .c)
  grep -q "physics/$name.html" "$out/docs/README.html" || { echo "the navigation lacks the physics $name"; exit 1; }
done
for file in index.html search.html searchindex.js docs/cookbook.html docs/c-interface.html python/README.html _static/mathjax/MathJax.js; do
  [ -s "$out/$file" ] || { echo "the site lacks $file"; exit 1; }
done
grep -q 'href="cookbook.html">How do I' "$out/docs/README.html" || { echo "the navigation lacks the cookbook"; exit 1; }
grep -q 'class="math notranslate nohighlight"' "$out/docs/numerics.html" || { echo "numerics.html has no formula"; exit 1; }
if grep -hoE '<(script|link)[^>]*(src|href)="https?://[^"]*"' "$out"/docs/*.html | grep -v canonical; then
  echo "pages load files from the network"
  exit 1
fi
"$1/tests/docs/check_site_browser.py" "$out"
