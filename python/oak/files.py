# SPDX-License-Identifier: GPL-2.0-or-later
"""Safe reading of files from unknown sources. The reader does not wait for pipes, and control characters in names and
texts do not reach the terminal."""
from __future__ import annotations

import configparser
import difflib
import io
import os
import re
import stat
from typing import Any, BinaryIO, Union


class OakError(Exception):
    """oak cannot read or do something. The message says what and why."""


class Named(dict[str, Any]):
    """A dict for people: a name that it does not have is an OakError with the names that are meant."""

    def __missing__(self, name: str) -> Any:
        near = difflib.get_close_matches(str(name), self, 3) or list(self)
        raise OakError(f"there is no {name!r}; " + (f"near or known: {', '.join(near)}" if near else "there are none"))


_CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f]")


def plain(text: Union[str, bytes]) -> str:
    """Bytes or a text without control characters, which a terminal would obey."""
    if isinstance(text, bytes):
        text = text.decode(errors="replace")
    return _CONTROL.sub(lambda found: "?" * len(found.group().encode()), text)


def is_name(text: str) -> bool:
    """Whether a text holds no control characters, neither tab nor line end."""
    return text == plain(text) and "\n" not in text and "\t" not in text


def open_regular(path: Union[str, os.PathLike[str]], refusal: str) -> BinaryIO:
    """Open a regular file to read bytes. Anything else, such as a pipe, raises OakError with the path and the text
    refusal. Raises OSError as open() does."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OakError(f"{plain(os.fspath(path))} {refusal}")
    return io.open(handle, "rb")


def parse_parameters(text: str) -> dict[str, Any]:
    """The text of a parameter file as {"mesh.max_level": 5}. yes and no become True and False, a single
    number becomes a number, and all other values stay text."""
    parser = configparser.ConfigParser(interpolation=None, delimiters="=", comment_prefixes=("#", ";"),
                                       inline_comment_prefixes=("#", ";"), strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(text)
    except configparser.Error as wrong:
        raise OakError(f"this is no text of a parameter file: {wrong}") from wrong
    return Named({f"{section}.{key}": _value(value) for section in parser.sections() for key, value in parser[section].items()})


def _value(text: str) -> Union[bool, int, float, str]:
    if text in ("yes", "no"):
        return text == "yes"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


AXES = {"cartesian": "x y z", "axisymmetric": "r z phi", "polar": "r phi z", "cylindrical": "r phi z", "spherical": "r theta phi"}


def component_name(coordinates: str, name: str) -> str:
    """The name that outputs give a component of a vector which a physics calls name: v_r for vx (or u)."""
    stem, last = name[:-1], name[-1:]
    if coordinates == "cartesian" or not last or last not in "xyzuvw" or (not stem and last in "xyz"):
        return name
    stem = stem[:-1] if stem.endswith("_") else stem
    return f"{stem}{'v' if last in 'uvw' else ''}_{AXES[coordinates].split()['xyzuvw'.index(last) % 3]}"


def file_name(name: str) -> str:
    """The name of a variable in files for viewers: phix for phi_x."""
    return name[:-2] + name[-1] if len(name) > 2 and name[-2] == "_" and name[-1] in "xyz" else name
