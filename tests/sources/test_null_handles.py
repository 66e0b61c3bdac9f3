#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST @source@ @library@
"""Calls every public function that takes a handle (a simulation, parameters, a device, a solver) with NULL for it, for
CTest. None may crash; those that return a status refuse with a message, except those that free.

usage: test_null_handles.py TREE LIBRARY"""
import ctypes
import os
import re
import sys

HANDLE = re.compile(r"(?:const )?oak_(?:t|params_t|device_t|solver_t) \*\*?\w+$")


class Metered(ctypes.Structure):
    """Room for a structure that a function returns."""
    _fields_ = [("room", ctypes.c_double * 16)]


def functions(tree):
    """Return type, name and types of arguments of each public function."""
    for header in ("oak.h", "oak/device.h", "oak/params.h"):
        with open(os.path.join(tree, "include", header), encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        for result, name, arguments in re.findall(r"OAK_API\s+([^;(]*?)(oak_\w+)\(([^;]*?)\)\s*;", text):
            yield result.strip(), name, [" ".join(one.split()) for one in arguments.split(",")]


def value(argument, world):
    if argument.startswith("MPI_Comm"):
        return world
    if "*" in argument or "[" in argument:
        return None
    return ctypes.c_double(0) if argument.startswith("double") else ctypes.c_int64(0)


def main():
    tree, path = sys.argv[1:]
    lib = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
    lib.MPI_Init(None, None)
    try:
        world = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(lib, "ompi_mpi_comm_world")))
    except ValueError:
        world = ctypes.c_int(0x44000000)  # MPICH
    lib.oak_last_error.restype = ctypes.c_char_p
    called = 0
    for result, name, arguments in functions(tree):
        handle = next((one for one in arguments if not one.startswith("MPI_Comm")), "")
        if not HANDLE.match(handle) or name in ("oak_params_new", "oak_device_open"):
            continue
        print(name, flush=True)  # the last one, if it crashes
        function = getattr(lib, name)
        function.restype = Metered if result == "oak_metered_t" else ctypes.c_int
        status = function(*[value(one, world) for one in arguments])
        if result == "oak_status_t":
            said = lib.oak_last_error().decode()
            assert status == 1 and said == f"{name}: its first handle is NULL", (name, status, said)
        called += 1
    assert called > 110, called
    lib.MPI_Finalize()


main()
