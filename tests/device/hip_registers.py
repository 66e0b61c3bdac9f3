#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST name=hip_compiler timeout=600 suite=all --oak @oak@ --fake @OAK_FAKE_CUDA@/new
# TEST name=long_hip_compiler_physics timeout=3600 suite=long --oak @oak@ --fake @OAK_FAKE_CUDA@/new --cases physics
# TEST name=long_hip_compiler_problems timeout=3600 suite=long --oak @oak@ --fake @OAK_FAKE_CUDA@/new --cases problems
"""Compile oak's kernels for AMD GPUs with hipRTC, AMD's compiler, on a machine without such a GPU, and tell what they need:
registers, spills, local memory (LDS), and how many lanes a compute unit then holds.

usage: hip_registers.py [--oak OAK] [--fake FOLDER] [--hiprtc LIBRARY] [--arch ARCH ...] [--cases short|physics|problems]

FOLDER has the library that plays a GPU in the tests: oak then writes the sources and options that a real run would compile.
OAK and FOLDER are those in build/ by default. The default library is that of Debian's package libamdhip64-5. --cases short: a few;
physics: each physics in 2D and 3D, in double, single and mixed precision; problems: the files in problems/. Exit 0: all kernels
compile, no kernel needs more LDS than there is, and the flux kernel of Euler's equations with van Leer's limiter has no spills; 77:
there is no hipRTC; 1: otherwise."""
import argparse
import ctypes
import glob
import os
import re
import struct
import subprocess
import sys
import tempfile

TREE = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
# A compute unit: lanes of a wavefront, registers of a lane and SIMD unit, unit of allocation, most wavefronts of a SIMD unit.
# Two compute units of gfx1030 share an LDS and have four SIMD units together, like one of gfx90a. They count as one
# here.
ARCHES = {"gfx90a": (64, 512, 8, 8, 65536), "gfx1030": (32, 1024, 16, 16, 131072)}
SIMDS = 4
PHYSICS = {"advection": "advection", "euler": "sedov", "isothermal": "isothermal_tube", "mhd": "mhd_blast",
           "navier_stokes": "kelvin_helmholtz_viscous", "shallow_water": "island", "streamer": "streamer"}
FLAT = ("shallow_water", "streamer")  # physics in 2D only
POISSON = ("collapse", "electrostatic", "jeans", "streamer")  # problems with kernels of two sources
MOST_LDS = 65536  # of a block


# ---- the code object: an ELF file with notes in msgpack

def unpack(data, at):
    """The value of msgpack at a place, and the place behind it."""
    def items(count, at):
        values = []
        for _ in range(count):
            value, at = unpack(data, at)
            values.append(value)
        return values, at

    def number(form, at):
        return struct.unpack_from(">" + form, data, at)[0], at + struct.calcsize(form)

    def text(length, at):
        return data[at:at + length].decode(), at + length

    def table(count, at):
        values, at = items(2 * count, at)
        return dict(zip(values[::2], values[1::2])), at

    kind, at = data[at], at + 1
    if kind < 0x80 or kind >= 0xe0:
        return (kind if kind < 0x80 else kind - 256), at
    if kind < 0xc0:
        return table(kind & 15, at) if kind < 0x90 else items(kind & 15, at) if kind < 0xa0 else text(kind & 31, at)
    if kind in (0xc2, 0xc3):
        return kind == 0xc3, at
    form = {0xcc: "B", 0xcd: "H", 0xce: "I", 0xcf: "Q", 0xd0: "b", 0xd1: "h", 0xd2: "i", 0xd3: "q", 0xd9: "B", 0xda: "H", 0xdb: "I",
            0xdc: "H", 0xdd: "I", 0xde: "H", 0xdf: "I"}[kind]
    value, at = number(form, at)
    return text(value, at) if 0xd9 <= kind <= 0xdb else items(value, at) if kind in (0xdc, 0xdd) else \
        table(value, at) if kind >= 0xde else (value, at)


def sections(code):
    """(type, address, offset, size, link) of the sections of an ELF file."""
    start, = struct.unpack_from("<Q", code, 40)
    size, count = struct.unpack_from("<HH", code, 58)
    return [struct.unpack_from("<4xI8xQQQI", code, start + i * size) for i in range(count)]


def metadata(code):
    """What the compiler says of each kernel."""
    for kind, _, offset, size, _ in sections(code):
        at = offset
        while kind == 7 and at < offset + size:
            name, length, note = struct.unpack_from("<III", code, at)
            at += 12 + (name + 3) // 4 * 4
            if note == 32:
                return unpack(code[at:at + length], 0)[0]["amdhsa.kernels"]
            at += (length + 3) // 4 * 4
    raise SystemExit("the compiled code has no notes on its kernels")


def launch_of(code, kernel):
    """Threads of a block and bytes of its dynamic LDS: the constant beside each kernel."""
    every = sections(code)
    for kind, _, offset, size, link in every:
        for at in range(offset, offset + size if kind == 2 else offset, 24):
            name, _, _, index, value, _ = struct.unpack_from("<IBBHQQ", code, at)
            place = every[link][2] + name
            if code[place:code.index(b"\0", place)].decode() == kernel + "_launch":
                _, address, start, _, _ = every[index]
                return struct.unpack_from("<2i", code, start + value - address)
    raise SystemExit(f"the compiled code has no constant {kernel}_launch")


def needs(code, arch):
    """A dictionary for each kernel."""
    wave, registers, unit, most, lds_unit = ARCHES[arch]
    for kernel in metadata(code):
        threads, dynamic = launch_of(code, kernel[".name"])
        lds = kernel[".group_segment_fixed_size"] + dynamic
        used = kernel[".vgpr_count"]
        waves = -(-threads // wave)
        held = min(most, registers // max(-(-used // unit) * unit, unit)) * SIMDS // waves
        held = min(held, lds_unit // lds if lds else held)
        yield {"name": kernel[".name"], "vgpr": used, "agpr": kernel.get(".agpr_count", 0), "sgpr": kernel[".sgpr_count"],
               "spills": kernel[".vgpr_spill_count"] + kernel[".sgpr_spill_count"], "scratch": kernel[".private_segment_fixed_size"],
               "lds": lds, "threads": threads, "lanes": held * waves * wave}


# ---- hipRTC

def open_hiprtc(path):
    """The library, or None."""
    try:
        library = ctypes.CDLL(path)
        library.hiprtcVersion  # pylint: disable=pointless-statement
        return library
    except (OSError, AttributeError):
        return None


def compile_one(library, text, options):
    """The machine code; ends the program with the compiler's messages."""
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    library.hiprtcCreateProgram(ctypes.byref(program), text.encode(), b"kernels", 0, None, None)
    words = (ctypes.c_char_p * len(options))(*[word.encode() for word in options])
    result = library.hiprtcCompileProgram(program, len(options), words)
    if result:
        library.hiprtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value + 1)
        library.hiprtcGetProgramLog(program, log)
        raise SystemExit(f"hipRTC, error {result}, options {' '.join(options)}:\n{log.value.decode()[:4000]}")
    library.hiprtcGetCodeSize(program, ctypes.byref(size))
    code = ctypes.create_string_buffer(size.value)
    library.hiprtcGetCode(program, code)
    library.hiprtcDestroyProgram(ctypes.byref(program))
    return code.raw


# ---- cases

def cases(which):
    """(words for the table, problem, keys) of the runs whose kernels are compiled."""
    if which == "problems":
        home = os.path.join(TREE, "problems")
        return [(f, f, []) for f in sorted(os.path.basename(f)[:-4] for f in glob.glob(os.path.join(home, "*.ini")))]
    if which == "short":
        return [("Euler 3D, double", "sedov", ["mesh.dim=3"]), ("MHD 2D, single", "mhd_blast", ["scheme.precision=single"]),
                ("Poisson 3D, double", "jeans", ["mesh.dim=3"]), ("discharge in (r, z), double", "streamer", [])]
    every = [(physics, dim, precision) for physics in PHYSICS for dim in (2, 3) for precision in ("double", "single", "mixed")
             if dim == 2 or physics not in FLAT]
    return [(f"{physics.replace('_', ' ')} {dim}D, {precision}", PHYSICS[physics], [f"mesh.dim={dim}", f"scheme.precision={precision}"])
            for physics, dim, precision in every]


def sources_of(options, arch, problem, keys):
    """The texts that oak gives to the compiler, each with its options."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, OAK_CACHE=folder, OAK_KEEP="1", OAK_HOME=TREE, ROCM_PATH="", CONDA_PREFIX="",
                           LD_LIBRARY_PATH=options.fake, OAK_HIPRTC=os.path.join(options.fake, "libhiprtc.so.7"),
                           OAK_FAKE_CUDA=f"refuse={2 if problem in POISSON else 1} wave={ARCHES[arch][0]}")
        said = subprocess.run([options.oak, "run", os.path.join(TREE, "problems", problem + ".ini"), "device.name=hip", *keys,
                               "run.max_steps=0", "output.folder=" + folder], env=environment, capture_output=True, text=True,
                              check=False, timeout=300)
        for path in glob.glob(os.path.join(glob.escape(folder), "*", "*.cu")):
            with open(path, encoding="utf-8") as file:
                first, text = file.read().split("\n", 1)
            if "describe" not in os.path.basename(os.path.dirname(path)):
                found.append((text, [f"--offload-arch={arch}" if word.startswith("--offload-arch") else word
                                     for word in first[3:].split(" ")] + ["-Werror=c99-extensions"]))  # NVRTC has none of these
    if len(found) != (2 if problem in POISSON else 1):
        raise SystemExit(f"{problem} {' '.join(keys)}: oak compiles {len(found)} sources:\n{said.stdout}{said.stderr}")
    return found


def main():
    """Compile all cases."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    build = os.path.join(TREE, "build")
    parser.add_argument("--oak", default=os.path.join(build, "oak"))
    parser.add_argument("--fake", default=os.path.join(build, "tests", "fake_cuda", "new"))
    parser.add_argument("--hiprtc", default="libamdhip64.so.5")
    parser.add_argument("--arch", action="append", choices=list(ARCHES))
    parser.add_argument("--cases", default="short", choices=["short", "physics", "problems"])
    options = parser.parse_args()
    library = open_hiprtc(options.hiprtc)
    if not library:
        print(f"skipped: no hipRTC ({options.hiprtc}); Debian's package libamdhip64-5 has it")
        return 77
    rows, kernels, large = [], 0, []
    for label, problem, keys in cases(options.cases):
        for arch in options.arch or ARCHES:
            every = [kernel for text, words in sources_of(options, arch, problem, keys)
                     for kernel in needs(compile_one(library, text, words), arch)]
            kernels += len(every)
            large += [f"{label}, {arch}, {kernel['name']}" for kernel in every if kernel["lds"] > MOST_LDS]
            rows += [(label, arch, kernel) for kernel in every if kernel["name"] == "oak_flux"]
            for kernel in every:
                print(f"{label}, {arch}: " + ", ".join(f"{key} {value}" for key, value in kernel.items()), flush=True)
    spilled = [f"{label}, {arch}" for label, arch, k in rows if label.lower().startswith("euler") and k["spills"]]
    print(f"{kernels} kernels compiled; the flux kernel of Euler's equations spills: {'; '.join(spilled) or 'nowhere'}; "
          f"kernels that need too much LDS: {'; '.join(large) or 'none'}")
    return 1 if spilled or large or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())
