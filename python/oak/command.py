# SPDX-License-Identifier: GPL-2.0-or-later
"""Start runs of the oak command."""
from __future__ import annotations

import os
import reprlib
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from .files import OakError
from .runs import Run


def flatten(settings: Optional[Mapping[str, Any]]) -> dict[str, Any]:
    """{"mesh": {"max_level": 5}} as {"mesh.max_level": 5}."""
    out: dict[str, Any] = {}
    _flatten({} if settings is None else settings, "", out)
    return out


def _flatten(settings: Any, section: str, out: dict[str, Any]) -> None:
    if not isinstance(settings, Mapping) or section.count(".") > 2:
        raise OakError(f"settings{' of ' * bool(section)}{section[:-1]} are {reprlib.repr(settings)}; give keys and values, such "
                       "as {'mesh.max_level': 5} or {'mesh': {'max_level': 5}}")
    for key, value in settings.items():
        if not isinstance(key, str) or isinstance(value, (bytes, bytearray)):
            raise OakError(f"settings: {section}{key} = {value!r}: give texts, not bytes or other objects, for keys and values")
        if isinstance(value, Mapping):
            _flatten(value, f"{section}{key}.", out)
        else:
            out[section + key] = value


def assignments(settings: Optional[Mapping[str, Any]]) -> list[str]:
    """{"mesh.max_level": 5}, or {"mesh": {"max_level": 5}}, as a list of texts "mesh.max_level=5"."""
    out = []
    for key, value in flatten(settings).items():
        if isinstance(value, bool):
            value = "yes" if value else "no"
        elif not isinstance(value, str) and hasattr(value, "__iter__"):
            value = " ".join(str(v) for v in value)
        out.append(f"{key}={value}")
    return out


def built_near(file: str, *path: str) -> Optional[str]:
    """A program or library near another file, if it belongs to this user, root or the owner of that file. Otherwise anybody
    may have put it there."""
    found = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(file)), *path))
    if not os.path.exists(found):
        return None
    owners = (os.geteuid(), 0, os.stat(file).st_uid)
    parts = [os.stat(part) for part in (found, os.path.dirname(found))]
    return found if all(part.st_uid in owners and not part.st_mode & stat.S_IWOTH for part in parts) else None


def find_oak() -> str:
    """The oak command: $OAK, or the command on the path, or that of the source tree or the installation of this package."""
    for found in (os.environ.get("OAK"), shutil.which("oak"), built_near(__file__, "..", "..", "build", "oak"),
                  built_near(__file__, "..", "..", "..", "..", "bin", "oak")):
        if found and os.access(found, os.X_OK):
            return os.path.abspath(found)
    raise OakError("there is no oak command: build it (make build), install it (make install), or let $OAK name it")


def run(parameters: str | os.PathLike[str], settings: Optional[Mapping[str, Any]] = None, *,
        ranks: Optional[int] = None, mpirun: str = "mpirun", oak: Optional[str] = None, overwrite: bool = False,
        verbose: bool = False, command: Sequence[str] = ()) -> Run:
    """Run a simulation to its end, as `oak run` does, and give the Run of its output folder.

    parameters  name of a parameter file, or of a problem that comes with oak
    settings    keys that win over the file: {"mesh.max_level": 5, "output.folder": "fine"}; without output.folder the
                folder is the one that the file or oak chooses
    ranks       start it with `mpirun -n ranks`; None: without MPI's launcher, with all cores
    overwrite   remove an earlier run from the output folder, which otherwise is an error
    verbose     print what oak prints
    command     more arguments of oak run, such as ["--trust"]

    OakError with oak's message if it fails."""
    launch = [mpirun, "-n", str(ranks)] if ranks else []
    arguments = [*launch, oak or find_oak(), "run", os.fspath(parameters), *assignments(settings), *command]
    if overwrite:
        arguments.append("--overwrite")
    folder = None
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        # What the MPI of a live simulation has put into the environment of C would end mpirun without a word.
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=errors, text=True, errors="replace",
                              env=os.environ) as process:
            for line in process.stdout or ():
                if folder is None and line.startswith("  output in "):
                    folder = line[len("  output in "):].rstrip("\n")
                if verbose:
                    print(line, end="", flush=True)
        errors.seek(0)
        message = errors.read().strip()
    if process.returncode != 0:
        raise OakError(message or f"oak ended with {process.returncode}")
    if folder is None:
        raise OakError("oak did not say where its output is")
    return Run(folder)
