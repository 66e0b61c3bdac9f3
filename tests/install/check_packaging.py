#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST @source@
"""The recipes for Spack and conda, the Dockerfiles and the one of Apptainer, as far as this can be told without network:
their syntax, the version of include/oak.h and the packages of the Makefile. Prints nothing when all is well.

usage: check_packaging.py TREE"""
import ast
import glob
import os
import re
import sys

# What https://docs.docker.com/reference/dockerfile lists.
INSTRUCTIONS = set("ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL MAINTAINER ONBUILD RUN SHELL STOPSIGNAL "
                   "USER VOLUME WORKDIR".split())
# Debian's package: the name of the recipe's dependency on it.
SPACK_NAMES = {"gcc": "c", "libc6-dev": None, "make": None, "cmake": "cmake", "pkg-config": "pkgconfig",
               "libopenmpi-dev": "mpi", "openmpi-bin": None, "libp4est-dev": "p4est",
               "libpng-dev": "libpng", "zlib1g-dev": "zlib-api", "libhdf5-dev": "hdf5"}


def expect(what, condition):
    if not condition:
        sys.exit(what)


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def check_recipe(path, version, packages):
    tree = ast.parse(read(path), path)
    recipe, = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    expect(f"{path}: the class of the recipe is Oak(CMakePackage)",
           recipe.name == "Oak" and [base.id for base in recipe.bases] == ["CMakePackage"])
    calls = [node.value for node in recipe.body if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)]
    known = {}
    for call in calls:
        known.setdefault(call.func.id, []).append(call.args[0].value)
    expect(f"{path}: only directives of Spack", set(known) <= {"license", "version", "variant", "depends_on"})
    expect(f"{path}: version {version}", known["version"] == [version])
    names = {re.split(r"[@ +]", spec)[0] for spec in known["depends_on"]}
    for package in packages:
        expect(f"{path}: SPACK_NAMES of this test lacks {package}", package in SPACK_NAMES)
        expect(f"{path}: depends_on for {package}", SPACK_NAMES[package] is None or SPACK_NAMES[package] in names)


def check_dockerfile(path, packages):
    text = re.sub(r"^\s*#.*\n", "", read(path), flags=re.M)
    text = re.sub(r"\\\n", " ", text)
    lines = [line for line in text.split("\n") if line.strip()]
    words = [line.split()[0] for line in lines]
    expect(f"{path}: unknown instruction {set(words) - INSTRUCTIONS}", set(words) <= INSTRUCTIONS)
    expect(f"{path}: the first instruction is FROM with a version",
           words[0] == "FROM" and re.match(r"FROM [\w/.-]+:[\w.-]+$", lines[0]))
    for line in lines:
        if line.split()[0] in ("CMD", "ENTRYPOINT"):
            expect(f"{path}: {line}: a list of words", isinstance(ast.literal_eval(line.split(None, 1)[1]), list))
        expect(f"{path}: {line}: an even number of quotes", line.count('"') % 2 == 0)
        expect(f"{path}: {line}: no empty command between &&", not re.search(r"&&\s*(&&|$)", line))
    installed = set(re.search(r"apt-get install ([^&]*)", text).group(1).split())
    expect(f"{path}: apt-get install lacks {set(packages) - installed}", set(packages) <= installed)
    expect(f"{path}: an image whose user is not root", "USER" in words)


def check_apptainer(path, packages):
    text = re.sub(r"^ *#.*\n", "", read(path), flags=re.M)
    expect(f"{path}: sections", re.findall(r"^%(\w+)$", text, re.M) == ["files", "post", "environment", "runscript"])
    expect(f"{path}: an image with a version", re.search(r"^Bootstrap: docker\nFrom: [\w/.-]+:[\w.-]+$", text, re.M))
    installed = set(re.search(r"apt-get install ([^&]*?)\n    make", text, re.S).group(1).split())
    expect(f"{path}: apt-get install lacks {set(packages) - installed}", set(packages) <= installed)


def check_conda(path, version, packages):
    """Without conda the templates of the recipe are replaced by their names."""
    text = read(path)
    expect(f"{path}: version {version}", f'{{% set version = "{version}" %}}' in text)
    text = re.sub(r"^{%.*%}\n", "", text, flags=re.M)
    text = re.sub(r'{{ *(\w+)(?:\("(\w+)"\))? *}}', lambda m: m.group(2) or m.group(1), text)
    try:
        import yaml
    except ImportError:
        return
    recipe = yaml.safe_load(text)
    needs = recipe["requirements"]
    for part in ("host", "run"):
        names = {name.split()[0] for name in needs[part] + needs["build"]}
        asked = {SPACK_NAMES[package] for package in packages} - {None, "mpi", "pkgconfig", "zlib-api"}
        asked -= {"libpng", "hdf5", "cmake"} if part == "run" else set()
        expect(f"{path}: {part} lacks {asked - names}", asked <= names)
    expect(f"{path}: a compiler when oak runs", "c" in needs["run"])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = sys.argv[1]
    version = re.search(r'^#define OAK_VERSION "([\d.]+)"', read(root, "include", "oak.h"), re.M).group(1)
    expect("python/oak has the version of include/oak.h",
           f'__version__ = "{version}"' in read(root, "python", "oak", "__init__.py"))
    packages = " ".join(re.findall(r"^(?:HDF5_)?PACKAGES := (.*)$", read(root, "Makefile"), re.M)).split()
    expect("CITATION.cff has the version of include/oak.h", f"version: {version}\n" in read(root, "CITATION.cff"))
    check_recipe(os.path.join(root, "packaging", "spack", "package.py"), version, packages)
    check_conda(os.path.join(root, "packaging", "conda", "meta.yaml"), version, packages)
    check_apptainer(os.path.join(root, "packaging", "apptainer", "oak.def"), packages)
    files = sorted(glob.glob(os.path.join(root, "packaging", "docker", "*.Dockerfile")))
    expect("packaging/docker has Dockerfiles for CPU and CUDA", len(files) >= 2)
    for path in files:
        check_dockerfile(path, packages)


main()
