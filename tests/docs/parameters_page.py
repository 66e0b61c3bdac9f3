#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Print the output of `oak params`, from standard input, as tables for docs/parameters.md."""
import re
import sys
import textwrap

VALUES = 34  # where the allowed values of a short key begin


def cell(text, mark=""):
    """A cell of a table: a bar in the text would end the cell."""
    return (mark + text.replace("|", r"\|") + mark if text else "") + " |"


def flush(row):
    """A key with all its lines."""
    if row:
        allowed, unit = re.fullmatch(r"(.*?)(?: \[([^]]*)\])?", " ".join(row["values"])).groups()
        cells = cell(row["key"], "`"), cell(row["default"], "`"), cell(allowed), cell(unit or ""), cell(" ".join(row["help"]))
        print("| " + " ".join(cells))


def begin(head, first):
    """The head of a section: its name, and what it is about."""
    title, _, summary = head[0].partition("  ")
    print(("" if first else "\n") + f"## {title}\n")
    if summary:
        print(textwrap.fill(" ".join([summary, *head[1:]]), 96, break_long_words=False, break_on_hyphens=False) + "\n")
    print("| Key | Default | Values | Unit | Meaning |\n| --- | --- | --- | --- | --- |")


def main():
    """Sections begin with [, keys with two blanks, help texts with six; what is further right goes on with the values."""
    row, head, first = {}, [], True
    for line in sys.stdin.read().splitlines():
        if line.startswith("["):
            head = [line]
        elif re.match("  [^ ]", line):
            flush(row)
            if head:
                begin(head, first)
            head, first = [], False
            split = VALUES if len(line[:VALUES].rstrip()) < VALUES else line.index("  ", VALUES)
            key, default = re.fullmatch(r"  (\S+) =\s?(.*)", line[:split].rstrip()).groups()
            row = {"key": key, "default": default, "values": [line[split:].strip()], "help": []}
        elif head:
            head.append(line.strip())
        elif line:
            row["values" if line.startswith(" " * (VALUES - 1)) else "help"].append(line.strip())
        else:
            flush(row)
            row = {}
    flush(row)


if __name__ == "__main__":
    main()
