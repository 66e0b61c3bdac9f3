#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST name=links_doc @source@
"""Every link in the Markdown files of the tree leads to a file, and to a heading in it if it names one. A file begins
with a heading: a formatter of C code that gets a Markdown file destroys that. Prints nothing when all is well.

usage: check_links.py TREE"""
import os
import re
import sys

SKIPPED = re.compile(r"^(\.git|build.*|output|dist|verify_report)$")
LINK = re.compile(r"\]\(([^)\s]+)\)|<img src=\"([^\"]+)\"")


def markdown_files(root):
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not SKIPPED.match(name)]
        yield from (os.path.join(folder, name) for name in files if name.endswith(".md"))


def prose(path):
    with open(path, encoding="utf-8") as file:
        return re.sub(r"^\s*```.*?^\s*```", "", file.read(), flags=re.M | re.S)


def anchors(path):
    """The names that GitHub gives to headings: lower case, blanks as hyphens, punctuation left out."""
    names = set()
    for heading in re.findall(r"^#+ +(.*)$", prose(path), re.M):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        names.add(re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-"))
    return names


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    bad = []
    for path in sorted(markdown_files(sys.argv[1])):
        name = os.path.relpath(path, sys.argv[1])
        text = prose(path)
        if not re.match(r"# \S", text):
            bad.append(f"{name}: the first line is no heading")
        for match in LINK.finditer(re.sub(r"`[^`\n]*`", "", text)):
            target = match.group(1) or match.group(2)
            if re.match(r"\w+:", target):
                continue
            file, _, anchor = target.partition("#")
            other = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
            if not os.path.exists(other):
                bad.append(f"{name}: {target}: there is no such file")
            elif anchor and other.endswith(".md") and anchor not in anchors(other):
                bad.append(f"{name}: {target}: there is no such heading")
    print(*bad, sep="\n", end="\n" if bad else "")
    sys.exit(1 if bad else 0)


main()
