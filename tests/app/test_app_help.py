#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST timeout=180 flags=-O0 --oak @oak@ --source @source@
"""`oak --version`, `oak help TOPIC`, and the man page, for CTest. Prints nothing when all is well.

usage: test_app_help.py --oak PATH --source TREE"""
import glob
import os
import re
import subprocess
import sys
import tempfile

import oak_test


def call(command, cwd=None):
    done = subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def expect(what, condition, shown):
    if not condition:
        sys.exit(f"{what}:\n{shown}")


def check_version(oak, source):
    code, out, _ = call([oak, "--version"])
    expect("oak --version names version, commit and compiler",
           code == 0 and re.match(r"oak \d+\.\d+\.\d+ \(commit ([0-9a-f]{12}\+?|unknown)\), built with ", out), out)
    git, head, _ = call(["git", "-c", f"safe.directory={source}", "-C", source, "rev-parse", "--short=12", "HEAD"])
    built = re.search(r"commit (\w+)", out).group(1)
    # A tree may have new commits since it was configured; then the one it was built from is an older one.
    if git == 0 and built != "unknown" and built != head.strip():
        code, _, _ = call(["git", "-c", f"safe.directory={source}", "-C", source, "cat-file", "-e", built])
        expect(f"commit {built} of oak --version is one of the repository", code == 0, out)


def names_of(source, folder, ending):
    return sorted(name[:-len(ending)] for name in os.listdir(os.path.join(source, folder)) if name.endswith(ending))


def all_topics(oak, source):
    """Everything that has a name, from where oak itself has it; words from the glossary."""
    with open(os.path.join(source, "kernels", "language", "hook_table.h"), encoding="utf-8") as file:
        hooks = re.findall(r"^#define ((?!OAK_)\w+)\(", file.read(), re.M)
    _, out, _ = call([oak, "help", "output.NAME.kind"])
    kinds = re.search(r"kind = \w+ +(.*?)\n +What is written", out, re.S).group(1).replace(",", " ")
    with open(os.path.join(source, "docs", "glossary.md"), encoding="utf-8") as file:
        words = [word for word in re.findall(r"^\| ([^|]+?) \|", file.read(), re.M) if word not in ("Word", "---")]
    assert len(hooks) > 30 and len(kinds.split()) > 7 and len(words) > 40, (hooks, kinds, words)
    return [*hooks, *kinds.split(), *words, *(part for word in words for part in word.split(", ")),
            *names_of(source, "physics", ".c"), *names_of(source, "problems", ".c"),
            *names_of(source, "problems", ".ini")]


def check_variables(oak, source):
    """A page explains each variable of the environment that the sources read."""
    names = set()
    for path in glob.glob(os.path.join(source, "src", "**", "*.c"), recursive=True) + glob.glob(os.path.join(source, "app", "*.c")):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        names |= set(re.findall(r'getenv\("(?!OAK_TEST|OMPI_|PMI_|HOME"|PATH")(\w+)"|(?:visible|variable) = "([A-Z_]+)"|_places = \{"(\w+)"|"(OAK_\w+_CC)"', text))
    names = {name for found in names for name in found if name}
    expect("variables of the environment", {"OAK_CACHE", "OAK_RCCL", "CUDA_VISIBLE_DEVICES", "OAK_CC"} <= names, names)
    code, _, err = call([oak, "help", *names])
    expect("oak help explains variables of the environment", code == 0, err)


def check_topics(oak, source):
    code, out, _ = call([oak, "help"])
    commands = re.findall(r"^  (\w+) {2,}\S", out.split("commands:")[1], re.M)
    expect("oak help lists the commands", code == 0 and {"run", "info", "help"} <= set(commands), out)
    with open(os.path.join(source, "packaging", "oak.1"), encoding="utf-8") as file:
        manual = file.read()
    for name in commands:
        expect(f"packaging/oak.1 names the command {name}", f"oak {name}" in manual, manual)
        code, out, err = call([oak, "help", name])
        expect(f"oak help {name} prints the command's help", code == 0 and f"oak {name}" in out, out + err)
    code, out, _ = call([oak, "help", "mesh.max_level"])
    expect("oak help explains a key", code == 0 and "[mesh]" in out and "max_level = 0" in out and "dim" not in out, out)
    for key in ("scheme.limiter", "scheme.flux", "refine.criterion", "boundary.xlow"):
        _, out, _ = call([oak, "help", key])
        expect(f"oak help {key} says where to look for others", "`oak params FILE`" in out, out)
    code, out, _ = call([oak, "help", "boundary"])
    expect("oak help explains a section", code == 0 and "xlow" in out and "zhigh" in out and "[mesh]" not in out, out)
    code, out, _ = call([oak, "help", "glossary"])
    with open(os.path.join(source, "docs", "glossary.md"), encoding="utf-8") as file:
        pages = re.findall(r"\w+", re.sub(r"\]\([^)]*\)", "", file.read()))
        expect("oak help prints a page, all of its words, without marks of tables and links",
               code == 0 and re.findall(r"\w+", out) == pages and not re.search(r"\]\(|^\|", out, re.M), out)
    code, out, err = call([oak, "help", *all_topics(oak, source)])
    expect("oak help finds every hook, kind of output, physics, problem and word of the glossary", code == 0, err)
    # Words of users: values of keys, and what pages only mention; pages for users come first.
    words = {"hip": "docs/gpu.md, AMD GPUs", "hllc": "docs/physics.md", "weno": "docs/numerics.md, Reconstruction",
             "logarithmic": "radius = linear", "sphere": "shape = sphere", "paraview": "docs/look-at-results.md",
             "slurm": "docs/cluster.md", "hdf5": "docs/install.md", "notebook": "python/README.md, Read",
             "docker": "docs/install.md, As a package", "viscosity": "`navier_stokes`", "gravity": "docs/cookbook.md",
             "electrode": "kind = electrode", "resume": "docs/restart.md", "animation": "docs/look-at-results.md", "movie": "ffmpeg",
             "vanleer": "", "roe": "", "csv": "format = npy", "photoionisation": "docs/discharges.md", "conda": "docs/install.md",
             "gamma": "docs/physics.md", "reflecting": "", "profile": "", "python": "", "needle": "", "oak_near": ""}
    for word, part in words.items():
        code, out, err = call([oak, "help", word])
        expect(f"oak help {word} says {part!r}", code == 0 and part in out and len(out.split()) > 3, out + err)
        expect(f"oak help {word} has no marks of links", not re.search(r"\]\(", out), out)
        pages = re.findall(r"^(?:mentioned in )?(docs/\w+)\.md, ", out, re.M)
        expect(f"oak help {word}: pages for users first", "docs/design" not in pages[:-1] or pages.index("docs/design") > 0, out)
    code, _, err = call([oak, "help", "initial conditions", "Coriolis", "eos", "Apptainer"])
    expect("oak help knows words of other codes, and plurals", code == 0, err)
    for words in (["Debye", "length"], ["slurm", "array"], ["wall", "clock"]):
        code, out, err = call([oak, "help", *words])
        expect(f"oak help {words} takes several words as one topic", code == 0 and " ".join(words) in out and out.count("(docs/") == 1, out + err)
    code, out, _ = call([oak, "help", "tsunami"])
    expect("oak help prints a row once", out.count("tsunami") == 1, out)
    topics = {"INITIAL": "sets the primitive state", "hooks": "Hooks of a problem",
              "FLUX_FIELD": "makes a field a variable",
              "navier_stokes": "`prandtl`", "plotfile": "for those of `[output]`", "viscous": "problems/viscous.c:", "output.NAME.kind": "What is written",
              "exact": "  exact = no", "probe": "the values at given points", "Ghost Cells": "beyond a face of a block",
              "CFL": "CFL number", "refluxing": "Flux fixing", "sod": "What to see at t = 0.2",
              "isothermal": "Gas of constant temperature in 2D and 3D", "PHYSICS_NVAR": "number of variables"}
    code, out, err = call([oak, "help", *topics])
    for topic, words in topics.items():
        expect(f"oak help {topic} says {words!r}", code == 0 and words in out, out + err)
    for key in ("kind", "output.NAME"):
        code, out, _ = call([oak, "help", key])
        expect(f"oak help {key} explains keys of outputs", "kind = plotfile  " in out and "[mesh]" not in out, out)
    with open(os.path.join(source, "docs", "physics.md"), encoding="utf-8") as file:
        sections = re.split(r"^## `(\w+)`", file.read(), flags=re.M)
    sections = dict(zip(sections[1::2], sections[2::2]))
    for physics in names_of(source, "physics", ".c"):
        with open(os.path.join(source, "physics", physics + ".c"), encoding="utf-8") as file:
            for key in re.findall(r"^PARAMETER\((\w+),", file.read(), re.M):
                expect(f"docs/physics.md names the key {key} of {physics}", f"`{key}`" in sections.get(physics, ""),
                       sections.get(physics))
    for topic, part, words in (("CFL condition", "CFL", "time step"), ("prolongation", "prolong", "fine cells"), ("adaptivity", "adaptiv", "")):
        code, out, err = call([oak, "help", topic])
        expect(f"oak help {topic} is that of {part}", code == 0 and f"(nothing is known of '{topic}', this of '{part}')" in out and words in out,
               out + err)
    for topic in ("", " ", "nonsense", "../README", "mesh.nonsense"):
        code, out, err = call([oak, "help", topic])
        expect(f"oak help {topic} is refused", code == 2 and topic in err and "oak params FILE" in err and not out, out + err)
    for topic, words in {"INITAIL": "did you mean INITIAL", "mesh.max_levl": "did you mean mesh.max_level"}.items():
        code, out, err = call([oak, "help", topic])
        expect(f"oak help {topic} says {words!r}", code == 2 and words in err, err)


def check_completion(oak, source):
    """What shells complete, and that a full disk is an error."""
    for words, expected in (("ru", {"run"}), ("run --re", {"--restart"}), ("run sod mesh.dim", {"mesh.dim="}), ("run sed", {"sedov", "sedov_polar", "sedov_rz"}),
                            ("run sedov problem.w", {"problem.width="}), ("run streamer_photo physics.gas", {"physics.gas_density="}),
                            ("run sod mesh.coordinates=c", {"mesh.coordinates=cartesian", "mesh.coordinates=cylindrical"}),
                            ("run sod scheme.limiter=weno", {"scheme.limiter=weno3", "scheme.limiter=weno5"}),
                            ("run x physics.name=isothermal", {"physics.name=isothermal"}), ("help VECTOR_P", {"VECTOR_POTENTIAL"}),
                            ("bench --el", {"--elliptic"}), ("bench --measure --pi", {"--pieces"}), ("ls x", set())):
        code, out, err = call([oak, "completion", *words.split()])
        expect(f"oak completion {words}", code == 0 and set(out.split()) == expected, out + err)
    with tempfile.TemporaryDirectory() as folder:
        oak_test.write(folder, "sedov_mine.ini", "")
        for line, expected in (("oak run --ch", "--check"), ("oak run sed", "sedov_mine.ini sedov sedov_polar sedov_rz"),
                               ("oak run sod scheme.limiter=ko", "koren")):
            bash = f"cd {folder}; oak() {{ {oak} \"$@\"; }}; . {source}/packaging/completion/oak.bash; COMP_LINE='{line}'; COMP_POINT={len(line)}; _oak; "
            _, out, err = call(["bash", "-c", bash + 'echo "${COMPREPLY[@]}"'])
            expect(f"bash completes {line}", out == expected + "\n", out + err)
    for command in (["params"], ["info"], ["help", "mesh"], ["run", "--help"], ["run", "sod", "--check"]):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([oak, *command], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        expect(f"oak {command} on a full disk", done.returncode == 1 and "standard output" in done.stderr, done)


def check_lists(oak, source):
    """oak info; keys of a file; a key where a file is expected; a second file."""
    _, out, err = call([oak, "params", "sedov"])
    expect("oak params FILE", "  energy = " in out and "  gamma = " in out, out + err)
    _, out, _ = call([oak, "info"])
    expect("oak info", all(name in out.split() for name in [*names_of(source, "problems", ".c"), "koren"]) and
           "device     cpu: " in out and "cpu: not usable" not in out, out)
    code, _, err = call([oak, "params", "mesh.dim"])
    expect("oak params mesh.dim", code == 1 and "there is no parameter file 'mesh.dim'" in err and "oak help explains keys" in err, err)
    code, _, err = call([oak, "run", "sod.ini", "sedov.ini"])
    expect("a second file", code == 1 and "'sedov.ini' is not a setting" in err, err)
    code, _, err = call([oak, "run", "sod", "--check", "mesh.max_level=3,4"])
    expect("several values", code == 1 and "several values are several runs: oak.scan" in err, err)


def main():
    options = oak_test.options(__doc__, "oak", "source")
    check_version(options.oak, options.source)
    check_topics(options.oak, options.source)
    check_variables(options.oak, options.source)
    check_lists(options.oak, options.source)
    check_completion(options.oak, options.source)


main()
