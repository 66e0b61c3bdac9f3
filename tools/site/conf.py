# SPDX-License-Identifier: GPL-2.0-or-later
"""The documentation as a site, for `make site`: Sphinx with MyST reads the Markdown files of the tree as they are. The
pages that docs/README.md links make the navigation, under its headings."""
import os
import re
import shutil

project, html_title = "oak", "oak"
extensions = ["myst_parser", "sphinx.ext.mathjax"]
root_doc = "docs/README"
include_patterns = ["**.md"]
html_theme = "furo"
html_static_path, html_css_files = ["static"], ["oak.css"]
html_copy_source = False
html_show_sphinx = html_show_copyright = False
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
# Debian's MathJax, so that formulas need no network.
MATHJAX = "/usr/share/javascript/mathjax"
MATHJAX_PARTS = ("MathJax.js", "config/TeX-AMS-MML_SVG.js", "extensions", "jax/input/TeX", "jax/element",
                 "jax/output/SVG/autoload", "jax/output/SVG/jax.js", "jax/output/SVG/config.js", "jax/output/SVG/fonts/TeX")
mathjax_path = "mathjax/MathJax.js?config=TeX-AMS-MML_SVG"
mathjax2_config = {"messageStyle": "none", "tex2jax": {"inlineMath": [["\\(", "\\)"]], "displayMath": [["\\[", "\\]"]],
                                                       "processClass": "math"}}
myst_update_mathjax = False  # these settings are for version 3


def navigation(text, pages):
    """A toctree for each heading of the front page with the pages linked below it, one for all other pages."""
    listed, trees = {root_doc}, []
    for part in re.split(r"^## ", "Start here\n" + text, flags=re.M):
        links = [os.path.normpath(os.path.join("docs", link)) for link in re.findall(r"\]\(([^)#]+)\.md", part)]
        links = [link for link in dict.fromkeys(links) if link not in listed]
        listed.update(links)
        trees.append((part.split("\n")[0], links))
    physics = sorted(page for page in pages if page.startswith("docs/physics/"))
    trees.insert([title for title, _ in trees].index("Reference") + 1, ("Equations", physics))
    trees.append(("In the sources", sorted(pages - listed - set(physics))))
    return "".join(f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n" + "".join(f"/{link}\n" for link in links) + "```\n"
                   for title, links in trees)


def read(app, name, source):
    """What GitHub writes in another way than MyST: formulas in blocks, pictures side by side, and links to folders."""
    folder = os.path.join(app.srcdir, os.path.dirname(name))
    text = re.sub(r"^```math$", "```{math}", source[0], flags=re.M)
    text = re.sub(r"^</?p>$", "", text, flags=re.M)
    text = re.sub(r'^<img src="([^"]*)"[^>]*\salt="([^"]*)">$', r"![\2](\1)", text, flags=re.M)

    def link(found):
        path = os.path.join(folder, found[2])
        if not os.path.isdir(path):
            return found[0]
        return f"[{found[1]}]({found[2].rstrip('/')}/README.md)" if os.path.exists(os.path.join(path, "README.md")) else found[1]

    source[0] = re.sub(r"\[([^\]]*)\]\(([^)#:\s]+)\)", link, text)
    if name == root_doc:
        source[0] += navigation(source[0], set(app.env.found_docs))


def copy_mathjax(app, error):
    for part in MATHJAX_PARTS if error is None else ():
        place, target = os.path.join(MATHJAX, part), os.path.join(app.outdir, "_static", "mathjax", part)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.isdir(place):
            shutil.copytree(place, target, dirs_exist_ok=True)
        else:
            shutil.copy(place, target)


def edit(app, name, change):
    path = os.path.join(app.outdir, "_static", name)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(change(text))


def mend_furo(app, error):
    """Debian's furo lacks the style for browsers that ask for dark pages, imports a style from the root of the server,
    and has its script in two files of which the one imports the other, which browsers refuse without a server."""
    if error is not None:
        return

    def style(text):
        text = re.sub(r"^@import url\(/javascript[^)]*\);", "", text)
        if "prefers-color-scheme" not in text:
            dark = re.search(r'body\[data-theme="dark"\] (\{.*?\})', text, re.S)[1]
            text += f'@media screen and (prefers-color-scheme: dark) {{ body:not([data-theme="light"]) {dark} }}\n'
        return text

    def script(text):
        start = 'import Gumshoe from "./gumshoe-patched.js";'
        if not text.startswith(start):
            return text
        with open(os.path.join(app.outdir, "_static", "scripts", "gumshoe-patched.js"), encoding="utf-8") as file:
            return file.read() + text[len(start):]

    edit(app, "styles/furo.css", style)
    edit(app, "scripts/furo.js", script)


def setup(app):
    app.connect("source-read", read)
    app.connect("build-finished", copy_mathjax)
    app.connect("build-finished", mend_furo)
