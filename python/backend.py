# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds the package for pip with nothing but Python: without a network, pip finds neither setuptools nor wheel."""
import base64
import hashlib
import io
import os
import re
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = sorted("oak/" + name for name in os.listdir(os.path.join(HERE, "oak")) if name.endswith((".py", ".typed")))


def _read(name):
    with open(os.path.join(HERE, name), "rb") as file:
        return file.read()


VERSION = re.search(rb'__version__ = "(.*)"', _read("oak/__init__.py")).group(1).decode()
NAME = f"oak_amr-{VERSION}"
METADATA = f"""Metadata-Version: 2.1
Name: oak-amr
Version: {VERSION}
Summary: Read, run and step simulations of oak, octree adaptive kernels
License: GPL-2.0-or-later
Requires-Python: >=3.9
Requires-Dist: numpy
Description-Content-Type: text/markdown

""".encode() + _read("README.md")


def _write_wheel(folder, files):
    info = NAME + ".dist-info/"
    files = {**files, info + "METADATA": METADATA,
             info + "WHEEL": b"Wheel-Version: 1.0\nGenerator: oak\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    sums = {name: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=") for name, data in files.items()}
    record = [f"{name},sha256={sums[name]},{len(data)}\n" for name, data in files.items()] + [info + "RECORD,,\n"]
    with zipfile.ZipFile(os.path.join(folder, NAME + "-py3-none-any.whl"), "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in {**files, info + "RECORD": "".join(record)}.items():
            wheel.writestr(name, data)
    return NAME + "-py3-none-any.whl"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):  # pylint: disable=unused-argument
    return _write_wheel(wheel_directory, {name: _read(name) for name in FILES})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):  # pylint: disable=unused-argument
    return _write_wheel(wheel_directory, {"oak_amr.pth": os.fsencode(HERE) + b"\n"})


def build_sdist(sdist_directory, config_settings=None):  # pylint: disable=unused-argument
    with tarfile.open(os.path.join(sdist_directory, NAME + ".tar.gz"), "w:gz") as archive:
        for name in [*FILES, "README.md", "backend.py", "pyproject.toml"]:
            archive.add(os.path.join(HERE, name), f"{NAME}/{name}")
        about = tarfile.TarInfo(NAME + "/PKG-INFO")
        about.size = len(METADATA)
        archive.addfile(about, io.BytesIO(METADATA))
    return NAME + ".tar.gz"
