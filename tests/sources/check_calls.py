#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST @source@ @build@
"""Find circles of calls between source files (a.c calls b.c, which calls a.c, perhaps through further files) and
between the folders of the library.

usage: check_calls.py TREE BUILD

Calls of functions, and uses of variables, are read from the symbols of the object files in BUILD (nm). Calls through a
pointer are not among them, since the caller does not know their file. Exit status 1: there is a circle; 77: the
symbols cannot be read here."""
import glob
import os
import subprocess
import sys


def objects(tree, build, target):
    """Object files of a target by their source, without those of files that are gone."""
    top = os.path.join(build, "CMakeFiles", target)
    found = {}
    for path in glob.glob(os.path.join(top, "**", "*.o"), recursive=True):
        name = os.path.relpath(path, top)[:-len(".o")]
        if os.path.isfile(os.path.join(tree, name)):
            found[path] = name
    return found


def symbols(found):
    """What each source defines and what it needs."""
    try:
        listed = subprocess.run(["nm", "-A", "-g", *found], stdout=subprocess.PIPE, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"skipped: {error}")
        sys.exit(77)
    defined, needed = {}, {name: set() for name in found.values()}
    for line in listed.splitlines():
        path, rest = line.split(".o:", 1)
        *_, kind, symbol = rest.split()
        name = found[path + ".o"]
        if kind == "U":
            needed[name].add(symbol)
        else:
            defined[symbol] = name
    return defined, needed


def circles(graph):
    """Strongly connected parts of a graph with more than one node (R. E. Tarjan, SIAM J. Comput. 1, 146, 1972)."""
    number, low, stack, result = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in graph[node]:
            if other not in number:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == number[node]:
            part = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(part) > 1:
                result.append(sorted(part))

    for node in sorted(graph):
        if node not in number:
            visit(node)
    return result


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    # the library
    targets = [objects(*sys.argv[1:], target) for target in ("oak_objects.dir", "oak_app.dir")]
    if not targets[0]:
        print(f"skipped: no object files in {sys.argv[2]}")
        sys.exit(77)
    bad = 0
    for found in filter(None, targets):
        bad += report(*symbols(found), lambda name: name)
    bad += report(*symbols(targets[0]), os.path.dirname)
    sys.exit(1 if bad else 0)


def report(defined, needed, group):
    """Print the circles among groups of source files, such as their folders. Returns how many there are."""
    graph = {group(name): set() for name in needed}
    calls = {}
    for name, wanted in needed.items():
        for symbol in wanted & set(defined):
            pair = group(name), group(defined[symbol])
            if pair[0] != pair[1]:
                graph[pair[0]].add(pair[1])
                calls.setdefault(pair, []).append(symbol)
    bad = circles({name: sorted(others) for name, others in graph.items()})
    for part in bad:
        print("a circle of calls:")
        for one, other in sorted(pair for pair in calls if set(pair) <= set(part)):
            names = sorted(set(calls[one, other]))
            print(f"  {one} -> {other}: {', '.join(names[:4])}{', ...' if len(names) > 4 else ''}")
    return len(bad)


main()
