# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that may come from anywhere: what is no file of values does not hold up the reader, and their names and texts
do not command the terminal."""
import io
import os
import re
import stat


class OakError(Exception):
    """Something that oak cannot read or do; the message says what and why."""


_CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f]")


def plain(text):
    """Bytes or a text without control characters, which a terminal would obey."""
    if isinstance(text, bytes):
        text = text.decode(errors="replace")
    return _CONTROL.sub(lambda found: "?" * len(found.group().encode()), text)


def is_name(text):
    """Whether a text holds no control characters, neither tab nor line end."""
    return text == plain(text) and "\n" not in text and "\t" not in text


def open_regular(path, refusal):
    """Open a regular file to read bytes; what is none, such as a pipe that would wait for ever, is an OakError with the
    path and the words of refusal. OSError as open() has it."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OakError(f"{plain(path)} {refusal}")
    return io.open(handle, "rb")
