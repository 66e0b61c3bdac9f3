#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A page for each file of physics/, for `make site`. Its text is the section of docs/physics.md with the name of the
file, or else the comment at the head of the file. The rest comes from the sources: variables and keys that the text has
no table of, the hooks of the file, the problems that use it, and their pictures in docs/images/. The page of the problems
gets a table with the pictures of all.

usage: physics_pages.py TREE     TREE is a copy of the sources; its docs/physics.md then links the pages"""
import glob
import os
import re
import sys

STRING = r'"(?:[^"\\]|\\.)*"'
# Declarations, which are no hooks.
DECLARATIONS = {"TITLE", "PARAMETER", "PARAMETER_ARRAY", "UNITS", "TABLE", "VARIABLES", "PRIMITIVES"}


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def name_of(path):
    return os.path.splitext(os.path.basename(path))[0]


def table(title, rows):
    """A table; "" without rows."""
    lines = ["| " + " | ".join(row) + " |" for row in (title, *rows)]
    return "\n".join([lines[0], "| --- " * len(title) + "|", *lines[1:]]) + "\n\n" if rows else ""


def joined(text):
    """The content of adjacent C strings."""
    return "".join(part[1:-1] for part in re.findall(STRING, text)).replace('\\"', '"').replace("|", "\\|")


def moved(text):
    """A text of docs/ in docs/physics/: its links go one folder up."""
    return re.sub(r"\]\((?!https?:|#)([^)\s]+)\)", r"](../\1)", text)


class Physics:
    def __init__(self, root, name):
        self.root, self.name = root, name
        self.head = re.match(r"/\*(.*?)\*/", read(root, "physics", name + ".c"), re.S)[1]
        self.code = self.file(name + ".c")
        self.words = dict(re.findall(r"^#define (\w+) (.+)$", self.code, re.M))

    def file(self, name):
        """The code of a file, behind that of the files of physics/ that it includes."""
        text = re.sub(r"/\*.*?\*/", "", read(self.root, "physics", name), flags=re.S)
        parts = re.findall(r'^#include "(?:physics/)?(\w+\.[ch])"', text, re.M)
        return "".join(self.file(part) for part in parts if os.path.exists(os.path.join(self.root, "physics", part))) + text

    def title(self):
        """The last one: those of included files come before it."""
        title = re.findall(r"^TITLE\((.*)\)", self.code, re.M)[-1]
        return joined(self.words.get(title, title))

    def comment(self):
        """The comment at the head as Markdown: its indented lines are formulas, kept as they are."""
        lines = [re.sub(r"^ \* ?", "", line) for line in self.head.split("\n") if "SPDX" not in line]
        blocks = re.split(r"\n\s*\n", "\n".join(lines).strip("\n"))
        return "\n\n".join(f"```text\n{block}\n```" if block.startswith("  ") else block for block in blocks) + "\n\n"

    def variables(self):
        """The longest lists, which are those of 3D."""
        rows = []
        for macro, what in (("VARIABLES", "conserved"), ("PRIMITIVES", "primitive")):
            lists = [joined(re.sub(r"\b[A-Z_]+\b", lambda word: self.words.get(word[0], word[0]), names))
                     for names in re.findall(rf"^{macro}\((.*)\)", self.code, re.M)]
            rows.append((what, f"`{max(lists, key=len)}`"))
        return table(("Variables", "Names"), rows)

    def keys(self):
        rows = []
        for kind, content in re.findall(rf"^(PARAMETER|TABLE)\(((?:{STRING}|[^\")])*)\)", self.code, re.M):
            name, default, text = (part.strip() for part in content.split(",", 2))
            text = re.sub(r"^\{[^}]*\} ?", "", joined(text))
            default = self.words.get(default, default).replace(".0", "").replace(" ", "")
            rows.append((f"`{name}`", default, text) if kind == "PARAMETER" else (f"`{name}`", "", "file of a table: " + text))
        return table(("Key", "Default", "Meaning"), rows)

    def hooks(self, known):
        """The hooks of the file, as docs/kernels.md explains them."""
        found, rows = {}, []
        for hook, first in re.findall(r"^([A-Z_]+)\(\s*(\w+)", self.code, re.M):
            found.setdefault(hook, []).append(first)
        for hooks, meaning in known:
            present = [f"`{hook}`" + (" " + ", ".join(f"`{name}`" for name in dict.fromkeys(found[hook])) if named else "")
                       for hook, named in hooks if hook in found]
            if present:
                rows.append((", ".join(present), meaning))
        return table(("Hook", "What it does"), rows)


def list_hooks(root):
    """[([(hook, whether its first argument is a name), ...], meaning)] from the tables of docs/kernels.md."""
    rows = {}
    for cell, meaning in re.findall(r"^\| ((?:`[^`]*`(?:, )?)+) \| (.*) \|$", read(root, "docs", "kernels.md"), re.M):
        hooks = tuple((hook, first == "name") for hook, first in re.findall(r"`([A-Z_]+)\((\w+)", cell)
                      if hook not in DECLARATIONS and not hook.startswith("OAK_"))
        if hooks:  # a later row is from the part on physics
            rows[hooks] = moved(meaning.replace("optional: ", "").replace("](#", "](kernels.md#"))
    return list(rows.items())


def list_problems(root):
    """{physics: [(parameter file, C file), ...]} in the order of problems/README.md."""
    order, found = read(root, "problems", "README.md"), {}
    for path in glob.glob(os.path.join(root, "problems", "*.ini")):
        keys = dict(re.findall(r"^\[(physics|problem)\][^\[]*?^name = (\S+)", read(path), re.M))
        found.setdefault(keys.get("physics", "euler"), []).append((name_of(path), keys.get("problem", name_of(path))))
    for rows in found.values():
        rows.sort(key=lambda row: (order.find(f"`{row[1]}`"), row[0]))
    return found


def picture(root, name):
    return os.path.exists(os.path.join(root, "docs", "images", name + ".png"))


def title_of(root, problem):
    """The title of a problem, which may be that of a file which it includes."""
    text = read(root, "problems", problem + ".c")
    title = re.search(r"^TITLE\((.*)\)", text, re.M)
    return joined(title[1]) if title else title_of(root, re.search(r'^#include "problems/(\w+)\.c"', text, re.M)[1])


def problems_of(root, rows):
    """A table with a small picture of each, where there is one."""
    cells = []
    for name, problem in rows:
        title = title_of(root, problem)
        cells.append((f"![{title}](../images/{name}.png)" if picture(root, name) else "",
                      f"`oak run {name}`", f"[{title}](../../problems/{problem}.c)"))
    return table(("", "Command", "Problem"), cells)


def page(physics, section, known, problems):
    root = physics.root
    title, text = section or (physics.title(), "")
    shown = next((name for name, _ in problems if picture(root, name)), None)
    parts = [f"# `{physics.name}`: {title}\n\n"]
    if shown:
        parts.append(f"```{{image}} ../images/{shown}.png\n:alt: Picture of the problem {shown}\n:width: 420px\n```\n\n")
    parts.append(moved(text) or physics.comment())
    if "| conserved |" not in text and "ariables and indices are those" not in text:
        parts.append("## Variables\n\n" + physics.variables())
    keys = "" if "| Key |" in text else physics.keys()
    if keys:
        parts.append("## Keys of `[physics]`\n\n" + keys)
    parts.append(f"## Hooks\n\nThe hooks that [physics/{physics.name}.c](../../physics/{physics.name}.c) and the files that it "
                 "includes define:\n\n" + physics.hooks(known))
    if problems:
        parts.append("## Problems\n\n" + problems_of(root, problems))
    return "".join(parts)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = sys.argv[1]
    known, problems = list_hooks(root), list_problems(root)
    overview, *sections = re.split(r"^## ", read(root, "docs", "physics.md"), flags=re.M)
    texts = {}
    for section in sections:
        name, title, text = re.match(r"`(\w+)`: ([^\n]*)\n\s*(.*)", section, re.S).groups()
        texts[name] = (title, text)
    os.makedirs(os.path.join(root, "docs", "physics"))
    more = ""
    for path in sorted(glob.glob(os.path.join(root, "physics", "*.c"))):
        physics = Physics(root, name_of(path))
        with open(os.path.join(root, "docs", "physics", physics.name + ".md"), "w", encoding="utf-8") as file:
            file.write(page(physics, texts.get(physics.name), known, problems.get(physics.name, [])))
        link = f"| [`{physics.name}`](physics/{physics.name}.md) |"
        row = f"| `{physics.name}` |"
        if row in overview:
            overview = overview.replace(row, link)
        else:
            more += f"{link} {physics.title()} | | |\n"
    every = problems_of(root, sorted(row for rows in problems.values() for row in rows))
    with open(os.path.join(root, "problems", "README.md"), "a", encoding="utf-8") as file:
        file.write("\n## Pictures\n\n" + every.replace("../images/", "../docs/images/").replace("../../problems/", ""))
    # Behind the last row of the table of all equations.
    end = overview.rindex("|\n", 0, overview.index("\n\n", overview.index("| --- |"))+ 1) + 2
    with open(os.path.join(root, "docs", "physics.md"), "w", encoding="utf-8") as file:
        file.write(overview[:end] + more + overview[end:])


main()
