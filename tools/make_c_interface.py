#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Make the page of the C interface from the comments of the public headers, for `make site`.

usage: make_c_interface.py TREE FILE    write the page to FILE
       make_c_interface.py TREE         exit code 1 if a function has no comment

What belongs on the page: each /** comment */ with the declarations that follow it up to an empty line or the next
comment, functions (OAK_API), types and macros alike. It needs Python 3 and nothing else."""
import os
import re
import sys

HEADERS = [("oak.h", "Simulations"), ("oak/params.h", "Parameters"), ("oak/status.h", "Errors"),
           ("oak/device.h", "Devices")]
HEAD = """# C interface

A program includes `oak.h`, which includes the other headers.
[examples/1_library](../examples/1_library/README.md) is a complete program. A function is
*collective* if all ranks of its communicator must call it. Functions return `oak_status_t`; results
go out by pointer. After a failure `oak_last_error()` has the message.
"""


def words_of(comment):
    """The text of a /** comment */ as Markdown: paragraphs, \\a name and \\param as code."""
    text = re.sub(r"^/\*\*<?|\*/$", "", comment.strip())
    rows = [re.sub(r"^\s*\* ?", "", row).rstrip() for row in text.split("\n")]
    text = "\n".join(rows).strip()
    text = re.sub(r"\s*\\return\s+", "\n\nReturns ", text)
    text = re.sub(r"\s*\\param\s*(\[[\w,]+\])?\s*(\w+)\s+", lambda m: f"\n\n- `{m.group(2)}` {m.group(1) or ''}: ", text)
    text = re.sub(r"\\a\s+(\*?\w+)", r"`\1`", text)
    text = re.sub(r"(?<![`\w])(oak_\w+(?:\(\))?)", r"`\1`", text)
    return wrap(text.replace(" : ", ": "))


def wrap(text):
    out = []
    for paragraph in text.split("\n\n"):
        line = ""
        for word in paragraph.split():
            if line and len(line) + 1 + len(word) > 100:
                out.append(line)
                line = ("  " if paragraph.startswith("- ") else "") + word
            else:
                line = f"{line} {word}" if line else word
        out += [line, ""]
    return "\n".join(out).strip()


def groups(text):
    """(comment, declarations) in the order of the file."""
    comment, code, inside, depth = "", [], False, 0
    for row in text.split("\n")[1:] + [""]:
        starts = row.startswith("/*")
        if depth == 0 and not inside and (starts or not row.strip()) and not (code and code[-1].endswith("\\")):
            if comment and code:
                yield comment, "\n".join(code)
            comment, code = "", []
        if starts and depth == 0:
            inside = True
            comment = row
        elif inside:
            comment += "\n" + row
        elif row.strip() and comment.startswith("/**"):
            code.append(row)
            depth += row.count("{") - row.count("}")
        if inside and row.rstrip().endswith("*/"):
            inside = False
        elif starts and "*/" in row:
            inside = False


def title(code):
    names = re.findall(r"\b(oak_\w+)\(", code) or re.findall(r"#define (\w+)", code) or \
        re.findall(r"^}? ?(?:typedef .*?|)(oak_\w+);", code, re.M) or re.findall(r"(OAK_\w+)", code)
    names = re.findall(r"^} (oak_\w+);", code, re.M) or names
    seen = list(dict.fromkeys(names if "OAK_API" in code else names[:1]))
    return ", ".join(f"`{name}`" for name in seen)


def page(root):
    out = [HEAD]
    for name, subject in HEADERS:
        with open(os.path.join(root, "include", name), encoding="utf-8") as file:
            text = file.read()
        out.append(f"\n## {subject}: {name}\n")
        shown = "".join(code for _, code in groups(text))
        missing = [f for f in re.findall(r"^OAK_API .*?(oak_\w+)\(", text, re.M) if f + "(" not in shown]
        if missing:
            sys.exit(f"include/{name}: no /** comment */ above {', '.join(missing)}")
        for comment, code in groups(text):
            if "OAK_API" in code:  # what is aligned with an opening bracket stays aligned
                code = re.sub(r"\n {8}( +)", r"\n\1", code)
            code = code.replace("OAK_API ", "")
            heading = title("OAK_API " + code if "(" in code and not code.startswith("#") else code)
            out.append(f"\n### {heading}\n\n{words_of(comment)}\n\n```c\n{code}\n```\n")
    return "".join(out)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    fresh = page(sys.argv[1])
    if len(sys.argv) == 3:
        with open(sys.argv[2], "w", encoding="utf-8") as file:
            file.write(fresh)


main()
