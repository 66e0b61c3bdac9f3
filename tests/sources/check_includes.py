#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST @source@
"""Compare the #include lines of the sources with the tables of rooms in src/README.md and kernels/README.md.

usage: check_includes.py [--all] [TREE]      TREE: the present folder

A table of src/README.md says what a room may include; rooms of kernels/ include those above them in the table of
kernels/README.md. KNOWN lists the places that break this order,
with the reason; --all prints those places too. Files that include each other in a circle are refused, and chains of
more than LEVELS files that begin in kernels/. Exit status 1: an
#include breaks the order and is not in KNOWN."""
import fnmatch
import os
import re
import subprocess
import sys

LEVELS = 15  # of includes of a kernel: up to 12 files of kernels/, then oak/kernel.h and the dialect
# Places that break the order: pattern of the file, pattern of the header, reason.
KNOWN = [
    ("include/oak/editor.h", "*", "for editors, it stands for all that a build puts in front of a problem file"),
    ("src/base/version.c", "include/oak.h", "it defines oak_commit, which oak.h declares"),
    ("app/*", "src/io/*", "the commands that look at plotfiles need the readers, which have no public header"),
    ("app/*", "src/base/*", "the same commands use small helpers of the library"),
]


def sources(root, rooms):
    listed = subprocess.run(["git", "-C", root, "ls-files", "*.c", "*.h"], stdout=subprocess.PIPE, text=True, check=False)
    names = listed.stdout.split()
    if not names:  # a release without git
        names = [os.path.relpath(os.path.join(folder, name), root) for folder, _, files in os.walk(root)
                 for name in files if name.endswith((".c", ".h"))]
    return [name for name in names if folder_of(name, rooms) or name.startswith("src/")]


def tables(root):
    """For each room, the patterns of rooms and headers that it may include beside itself."""
    def text(*path):
        with open(os.path.join(root, *path), encoding="utf-8") as file:
            return file.read()

    may, readme = {}, text("src", "README.md")
    library = re.findall(r"`([\w/]+)`", re.search(r"^LIBRARY.*?\.", readme, re.M | re.S).group())

    def path(word, src=True):
        return "include/" + word if word.startswith("oak/") else word if word == "include" or not src else "src/" + word

    src = True
    for line in readme.split("\n"):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        src = src and not cells[0].startswith("Beside")
        if line.startswith("| `"):
            words = re.findall(r"`([^`]+)`", cells[-1]) + (library if "LIBRARY" in cells[-1] else [])
            may[path(cells[0].strip("`"), src)] = [path(word, src) for word in words]
    above = ["physics", "include", "numerics"]
    for room in re.findall(r"^\| `(\w+)` \|", text("kernels", "README.md"), re.M):
        may["kernels/" + room] = list(above)
        above.append("kernels/" + room)
    return may


def folder_of(name, rooms):
    return next((room for room in sorted(rooms, reverse=True) if fnmatch.fnmatch(os.path.dirname(name), room)
                 or name.startswith(room + "/")), None)


def included(root, name):
    """The files of the tree that a file includes."""
    with open(os.path.join(root, name), encoding="utf-8", errors="replace") as file:
        for header in re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', file.read(), re.M):
            for start in (os.path.dirname(name), "src", "include", "", "src/base", "src/device", "src/mesh"):
                path = os.path.normpath(os.path.join(start, header))
                if os.path.isfile(os.path.join(root, path)):
                    yield path
                    break


def find_circle(graph):
    done, path = set(), []

    def visit(name):
        if name in path:
            return path[path.index(name):] + [name]
        if name in done:
            return None
        path.append(name)
        for other in graph.get(name, []):
            circle = visit(other)
            if circle:
                return circle
        path.pop()
        done.add(name)
        return None

    for name in sorted(graph):
        circle = visit(name)
        if circle:
            return circle
    return None


def levels(graph, name, known):
    """The number of files in the longest chain of includes that begins with this file."""
    if name not in known:
        known[name] = 1 + max((levels(graph, other, known) for other in graph.get(name, [])), default=0)
    return known[name]


def main():
    show_all = "--all" in sys.argv[1:]
    root = next((a for a in sys.argv[1:] if a != "--all"), ".")
    bad, used = [], set()
    rooms = tables(root)
    graph = {name: [h for h in included(root, name) if h != name] for name in sources(root, rooms)}
    for name, headers in sorted(graph.items()):
        folder = folder_of(name, rooms)
        if not folder:
            bad.append(f"{name}: no table names its folder (src/README.md, kernels/README.md)")
            continue
        for header in headers:
            other = folder_of(header, rooms)
            if other in (None, folder) or any(fnmatch.fnmatch(one, allowed) for one in (other, header)
                                              for allowed in rooms[folder]):
                continue
            why = [known for known in KNOWN if fnmatch.fnmatch(name, known[0]) and fnmatch.fnmatch(header, known[1])]
            used.update(why)
            if why and show_all:
                print(f"{name} includes {header} (known: {why[0][2]})")
            if not why:
                bad.append(f"{name} includes {header}: {folder} knows nothing of {other} (its table)")
    if show_all:
        print(*[f"mended, and still in KNOWN: {a} includes {b}" for a, b, _ in set(KNOWN) - used], sep="\n")
    circle = find_circle(graph)
    if circle:
        bad.append("a circle of includes: " + " -> ".join(circle))
    known = {}
    deep = {} if circle else {name: levels(graph, name, known) for name in graph if name.startswith("kernels/")}
    bad += [f"{name}: {n} levels of includes, at most {LEVELS} are wanted" for name, n in deep.items() if n > LEVELS]
    print(*bad, sep="\n", end="\n" if bad else "")
    sys.exit(1 if bad else 0)


main()
