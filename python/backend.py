# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds the package for pip with nothing but Python: without a network, pip finds neither setuptools nor wheel.

    python3 backend.py PREFIX FOLDER     write a wheel that also holds oak, which is installed at PREFIX (make wheel)"""
import base64
import hashlib
import io
import os
import re
import stat
import sys
import sysconfig
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


def _write_wheel(folder, files, metadata=METADATA, system="any"):
    info, tag = NAME + ".dist-info/", f"py3-none-{system}"
    pure = "true" if system == "any" else "false"
    files = {**files, info + "METADATA": metadata,
             info + "WHEEL": f"Wheel-Version: 1.0\nGenerator: oak\nRoot-Is-Purelib: {pure}\nTag: {tag}\n".encode()}
    sums = {name: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=") for name, data in files.items()}
    record = [f"{name},sha256={sums[name]},{len(data)}\n" for name, data in files.items()] + [info + "RECORD,,\n"]
    with zipfile.ZipFile(os.path.join(folder, f"{NAME}-{tag}.whl"), "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in {**files, info + "RECORD": "".join(record)}.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (stat.S_IFREG | (0o755 if "/bin/" in name or name.endswith(".sh") else 0o644)) << 16
            wheel.writestr(entry, data)
    return f"{NAME}-{tag}.whl"


def build_program_wheel(prefix, wheel_directory):
    """pip puts bin/, lib/ and share/ of the installation beside those of Python, where oak finds its sources."""
    files = {name: _read(name) for name in FILES}
    for folder, _, names in os.walk(os.path.abspath(prefix)):
        for path in (os.path.join(folder, name) for name in names):
            below = os.path.relpath(path, prefix)
            if not below.startswith("share/oak/python/"):
                files[f"{NAME}.data/data/{below}"] = _read(path)
    needs = "".join(f"Requires-External: {name}\n" for name in ("a C compiler", "MPI", "p4est (>=2.2)", "libpng"))
    return _write_wheel(wheel_directory, files, METADATA.replace(b"Description-", needs.encode() + b"Description-", 1),
                        re.sub("[-.]", "_", sysconfig.get_platform()))


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


if __name__ == "__main__":
    print(os.path.join(sys.argv[2], build_program_wheel(*sys.argv[1:])))
