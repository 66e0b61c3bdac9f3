#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare the #include lines of the sources with the table of folders in docs/design.md.

usage: check_includes.py [--all] [TREE]      TREE: the present folder

LAYERS says which folders and which public headers a folder may include. KNOWN lists the places that break this order,
with the reason; --all prints those places too. Files that include each other in a circle are refused. Exit status 1: an
#include breaks the order and is not in KNOWN."""
import fnmatch
import os
import re
import subprocess
import sys

# Folders (patterns) and public headers that each folder may include, beside itself. Of two folders that fit a file,
# the first one counts.
STATUS, PARAMS, DEVICE, ARGS = (f"include/oak/{name}.h" for name in ("status", "params", "device", "kernel_args"))
ELLIPTIC = "include/oak/elliptic_args.h"
FORMAT = ["src/base", "src/io/files", "src/io/view", STATUS]  # of the other folders of src/io
LIBRARY = ["src/base", "src/device", "src/mesh", "src/transport", "src/halo", "src/elliptic", "include"]
LAYERS = {
    "src/base": [STATUS, PARAMS, ARGS],
    "src/mesh": ["src/base", STATUS, "include/oak/reach.h"],
    "src/device": ["src/base", STATUS, DEVICE, ARGS],
    "src/transport": ["src/base", "src/device", STATUS, DEVICE],
    "src/halo": ["src/base", "src/device", "src/mesh", "src/transport", STATUS, DEVICE, ARGS],
    "src/elliptic": ["src/base", "src/device", "src/mesh", "src/transport", "src/halo", STATUS, DEVICE, ARGS, ELLIPTIC],
    "src/io/files": ["src/base", STATUS],
    "src/io/view": ["src/base", "src/io/files", STATUS],
    "src/io/checkpoint": ["src/base", "src/io/files", "src/io/view", STATUS],
    "src/io/folder": ["src/base", "src/io/files", "src/io/checkpoint", STATUS],
    "src/solver/setup": LIBRARY,
    "src/solver/data": [*LIBRARY, "src/solver/setup"],
    "src/solver/step": [*LIBRARY, "src/solver/setup", "src/solver/data"],
    "src/solver/adapt": [*LIBRARY, "src/solver/data", "src/solver/step"],
    "src/solver/program": [*LIBRARY, "src/solver/data", "src/solver/step"],
    "src/solver/create": [*LIBRARY, "src/solver/setup", "src/solver/data", "src/solver/step", "src/solver/adapt"],
    "src/solver/identity": [*LIBRARY, "src/solver/step", "src/solver/create"],
    "src/solver/item": [*LIBRARY, "src/io/*", "src/solver/data", "src/solver/step"],
    "src/solver/kinds": [*LIBRARY, "src/io/*", "src/solver/data", "src/solver/step", "src/solver/item"],
    "src/solver/output": [*LIBRARY, "src/io/*", "src/solver/data", "src/solver/step", "src/solver/item", "src/solver/kinds"],
    "src/solver/run": [*LIBRARY, "src/io/*", "src/solver/data", "src/solver/step", "src/solver/adapt",
                       "src/solver/create", "src/solver/output"],
    "src/solver": [*LIBRARY, "src/solver/step"],
    "app": ["include", "verify"],
    "kernels": ["numerics", "physics", "include"],
    "numerics": ["include"],
    "physics": ["numerics", "include"],
    "problems": ["include"],
    "include": ["include"],
}
# Places that break the order: pattern of the file, pattern of the header, reason.
KNOWN = [
    ("include/oak/editor.h", "*", "for editors, it stands for all that a build puts in front of a problem file"),
    ("src/base/version.c", "include/oak.h", "it defines oak_commit, which oak.h declares"),
    ("app/*", "src/io/*", "the commands that look at plotfiles need the readers, which have no public header"),
    ("app/*", "src/base/*", "the same commands use small helpers of the library"),
]


def sources(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "*.c", "*.h"], stdout=subprocess.PIPE, text=True, check=False)
    names = listed.stdout.split()
    if not names:  # a release without git
        names = [os.path.relpath(os.path.join(folder, name), root) for folder, _, files in os.walk(root)
                 for name in files if name.endswith((".c", ".h"))]
    return [name for name in names if folder_of(name) or name.startswith("src/")]


def folder_of(name):
    for folder in LAYERS:
        if name.startswith(folder + "/"):
            return folder
    return os.path.dirname(name) if name.startswith("src/io/") else None


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


def folders_of_table(root):
    with open(os.path.join(root, "docs", "design.md"), encoding="utf-8") as file:
        table = file.read().split("## Folders")[1].split("\n## ")[0]
    return set(re.findall(r"`([\w/.]+)`", " ".join(row.split("|")[1] for row in table.split("\n") if row.startswith("|"))))


def main():
    show_all = "--all" in sys.argv[1:]
    root = next((a for a in sys.argv[1:] if a != "--all"), ".")
    bad, used = [], set()
    missing = set(LAYERS) - {"include"} - folders_of_table(root)
    if missing:
        bad.append(f"docs/design.md: the table of folders lacks {', '.join(sorted(missing))}")
    graph = {name: [h for h in included(root, name) if h != name] for name in sources(root)}
    for name, headers in sorted(graph.items()):
        folder = folder_of(name)
        if not folder:
            bad.append(f"{name}: LAYERS in tests/check_includes.py lacks its folder")
            continue
        for header in headers:
            other = folder_of(header)
            if other in (None, folder) or any(fnmatch.fnmatch(one, allowed) for one in (other, header)
                                              for allowed in LAYERS.get(folder, FORMAT)):
                continue
            why = [known for known in KNOWN if fnmatch.fnmatch(name, known[0]) and fnmatch.fnmatch(header, known[1])]
            used.update(why)
            if why and show_all:
                print(f"{name} includes {header} (known: {why[0][2]})")
            if not why:
                bad.append(f"{name} includes {header}: {folder} knows nothing of {other} (docs/design.md, "
                           "tests/check_includes.py)")
    if show_all:
        print(*[f"mended, and still in KNOWN: {a} includes {b}" for a, b, _ in set(KNOWN) - used], sep="\n")
    circle = find_circle(graph)
    if circle:
        bad.append("a circle of includes: " + " -> ".join(circle))
    print(*bad, sep="\n", end="\n" if bad else "")
    sys.exit(1 if bad else 0)


main()
