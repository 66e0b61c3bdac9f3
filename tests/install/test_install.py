#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST timeout=300 --source @source@ --build @build@ --cmake @CMAKE_COMMAND@ --mpicc @mpicc@
"""An installed copy of oak, for CTest: `oak` runs from it, with its parameter files, and example 1 is built
against it, outside the tree, with CMake's find_package and with pkg-config. None may read anything of the
source tree, and no program may load libraries from the present folder.

usage: test_install.py --source TREE --build BUILD --cmake CMAKE --mpicc MPICC"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import oak_test


def run(command, cwd, env):
    done = subprocess.run(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\nfails with exit status {done.returncode}:\n{done.stdout}")
    return done.stdout


def find_folder(prefix, file):
    for folder, _, files in os.walk(prefix):
        if file in files:
            return folder
    sys.exit(f"nothing installs {file}")


def check_names(oak, problems, folder, env):
    """Parameter files that come with oak are found by name, but those of the folder come first."""
    os.mkdir(folder)
    few = ["run.max_steps=1"]
    found = "oak run " + os.path.join(os.path.realpath(problems), "sod.ini") + "\n"
    assert "sod" in re.search(r"^oak run +(.*)$", run([oak, "info"], folder, env), re.M).group(1).split()
    os.mkdir(os.path.join(folder, "sod"))  # a folder is no parameter file
    for name in ("sod", "sod.ini", "problems/sod.ini"):
        printed = run([oak, "run", name, *few, "output.folder=" + name.replace("/", "_") + "_out"], folder, env)
        assert found in printed, printed
    shutil.copy(os.path.join(problems, "sod.ini"), folder)
    printed = run([oak, "run", "sod.ini", *few, "output.folder=own"], folder, env)
    assert "oak run sod.ini\n" in printed, printed


def check_hardened(build, files, env):
    """Release builds: no writable tables of functions, guards on the stack, calls that check sizes."""
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as f:
        if not re.search(r"^CMAKE_BUILD_TYPE:\w+=Rel", f.read(), re.M):
            oak_test.skip_part("hardening", "this is no release build")
            return
    for file in files:
        text = run(["readelf", "-dlW", "--dyn-syms", file], build, env)
        missing = [word for word in ("GNU_RELRO", "NOW", "__stack_chk_fail", "__fprintf_chk") if word not in text]
        assert not missing, (file, missing)


def check_search(folder, env):
    """Programs and libraries look for libraries in folders with full names, or in folders beside themselves. An empty or
    relative entry would be in the present folder, where anybody may have put a library."""
    found = 0
    for above, _, files in os.walk(folder):
        for name in files:
            path = os.path.join(above, name)
            if os.path.islink(path) or not (os.access(path, os.X_OK) or ".so" in name):
                continue
            with open(path, "rb") as f:
                if f.read(4) != b"\x7fELF":
                    continue
            found += 1
            for listed in re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", run(["readelf", "-dW", path], folder, env)):
                wrong = [entry for entry in listed.split(":") if not re.match(r"/|\$ORIGIN(/|$)", entry)]
                assert not wrong, f"{path} looks for libraries in {listed}"
    return found


def check_symbols(prefix, library, env):
    """The library exports what the headers declare, and nothing else."""
    declared = set()
    for folder, _, files in os.walk(os.path.join(prefix, "include")):
        for name in files:
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                declared |= set(re.findall(r"^OAK_API [^;(]*?(\w+)\(", f.read(), re.M))
    listed = run(["nm", "-D", "--defined-only", library], prefix, env)
    exported = set(re.findall(r" [TDBRVW] (\w+)", listed)) - {"__bss_start", "_edata", "_end", "_init", "_fini"}
    assert exported == declared and "oak_advance" in declared, (exported - declared, declared - exported)


CPP = """#include <oak.h>
int main(int argc, char **argv) {
  oak_params_t *params;
  MPI_Init(&argc, &argv);
  const int wrong = oak_params_new(&params) != OAK_OK;
  oak_params_destroy(&params);
  MPI_Finalize();
  return wrong;
}
"""


def check_cpp(folder, flags, env):
    """A C++ program needs no libraries for C++ of MPI, which the flags do not name."""
    if not shutil.which("g++"):
        oak_test.skip_part("C++", "there is no g++")
        return
    oak_test.write(folder, "main.cpp", CPP)
    run(["g++", *os.environ.get("OAK_TEST_CFLAGS", "").split(), "-Wall", "-Wextra", "-Werror", "-O0", "-o", "cpp", "main.cpp", *flags],
        folder, env)
    run([os.path.join(folder, "cpp")], folder, env)


def check_wheel(source, prefix, top, env):
    """pip installs program and library from a wheel, and the Python package finds them."""
    if subprocess.run([sys.executable, "-c", "import pip, venv, numpy"], capture_output=True, check=False).returncode:
        oak_test.skip_part("the wheel", "pip, venv or numpy is missing")
        return
    place = os.path.join(top, "venv")
    wheel = run([sys.executable, os.path.join(source, "python", "backend.py"), prefix, top], top, env).strip()
    run([sys.executable, "-m", "venv", "--system-site-packages", place], top, env)
    run([os.path.join(place, "bin", "pip"), "install", "--quiet", "--no-index", wheel], top, env)
    said = run([os.path.join(place, "bin", "python"), "-c", "import oak; print(oak.find_oak(), oak.Simulation('sod').dim)"], top,
               {k: v for k, v in env.items() if k not in ("PYTHONPATH", "OAK", "OAK_LIBRARY")})
    assert said.startswith(os.path.join(place, "bin", "oak")), said


def main():
    options = oak_test.options(__doc__, "source", "build", "cmake", "mpicc")
    env = {k: v for k, v in os.environ.items() if k != "OAK_HOME"}
    with tempfile.TemporaryDirectory(prefix="oak_install_") as top:
        prefix, mine = os.path.join(top, "prefix"), os.path.join(top, "mine")
        run([options.cmake, "--install", options.build, "--prefix", prefix], top, env)
        library = os.path.join(find_folder(prefix, "liboak.so"), "liboak.so")
        assert check_search(options.build, env) >= 2 and check_search(prefix, env) == 2
        check_hardened(options.build, [os.path.join(prefix, "bin", "oak"), library], env)
        check_symbols(prefix, library, env)
        share = os.path.join(prefix, "share", "oak")
        shutil.copytree(os.path.join(share, "examples", "1_library"), mine)
        run([sys.executable, os.path.join(options.source, "tests", "docs", "check_links.py"), share], top, env)
        for script in ("slurm/cpu.sh", "slurm/array.sh", "pbs/cpu.sh"):
            assert os.access(os.path.join(share, "examples", script), os.X_OK), script
        run([sys.executable, "-c", "import oak; assert oak.find_oak()"], top,
            {**env, "PYTHONPATH": os.path.join(share, "python"), "PATH": os.path.join(prefix, "bin")})
        check_wheel(options.source, prefix, top, env)
        # A problem that only the installed copy has shows which sources are read.
        problems = os.path.join(prefix, "share", "oak", "problems")
        os.rename(os.path.join(problems, "implosion.c"), os.path.join(problems, "only_installed.c"))
        settings = ["problem.name=only_installed", "run.end_time=0.02", "mesh.max_level=2"]

        info = run([os.path.join(prefix, "bin", "oak"), "info"], top, env)
        assert "sources    " + os.path.realpath(os.path.join(prefix, "share", "oak")) in info, info
        oak_test.write(mine, "run.ini", "[mesh]\nxmax = 0.3\nmax_level = 2\n[physics]\ngamma = 1.4\n")
        run([os.path.join(prefix, "bin", "oak"), "run", "run.ini", *settings], mine, env)

        check_names(os.path.join(prefix, "bin", "oak"), problems, os.path.join(top, "names"), env)

        run([options.cmake, "-S", mine, "-B", os.path.join(top, "cmake"), f"-DCMAKE_PREFIX_PATH={prefix}",
             f"-DCMAKE_C_FLAGS={os.environ.get('OAK_TEST_CFLAGS', '')}"], top, env)
        run([options.cmake, "--build", os.path.join(top, "cmake")], top, env)
        by_cmake = run([os.path.join(top, "cmake", "mach"), *settings], mine, env)

        env["PKG_CONFIG_PATH"] = find_folder(prefix, "oak.pc")
        flags = run(["pkg-config", "--cflags", "--libs", "oak"], mine, env).split()
        libdir = run(["pkg-config", "--variable=libdir", "oak"], mine, env).strip()
        assert os.path.exists(os.path.join(libdir, "liboak.so")), f"no liboak.so in {libdir}"
        check_cpp(mine, [*flags, f"-Wl,-rpath,{libdir}"], env)
        run([options.mpicc, *os.environ.get("OAK_TEST_CFLAGS", "").split(), "-Wall", "-Wextra", "-Werror", "-o",
             "mach", "main.c", *flags, f"-Wl,-rpath,{libdir}", "-lm"], mine, env)
        by_pkgconfig = run([os.path.join(mine, "mach"), "mach.kernel=./mach.c", *settings], mine, env)
        assert by_cmake == by_pkgconfig and "largest Mach" in by_cmake, by_cmake + by_pkgconfig
    return 0


if __name__ == "__main__":
    sys.exit(main())
