"""Builds the wheel, which contains the two libraries and runs with every Python 3.

CMake creates a folder in its build that contains everything. In the source tree, this script first builds
that folder with CMake and a C compiler; SIMHASH_BUILD_DIR names an existing build.

SPDX-License-Identifier: MIT
"""

import os
import pathlib
import subprocess

from setuptools import Distribution, setup
from setuptools.command.sdist import sdist
from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent


def package_folder():
    """The folder `simhash` of a build, with the libraries."""
    if (HERE / "simhash" / "_version.py").exists():
        return HERE / "simhash"
    build = pathlib.Path(os.environ.get("SIMHASH_BUILD_DIR") or HERE / "build" / "cmake")
    if "SIMHASH_BUILD_DIR" not in os.environ:
        subprocess.run(["cmake", "-S", HERE.parent, "-B", build, "-DBUILD_TESTING=OFF"], check=True)
    subprocess.run(["cmake", "--build", build, "--target", "python", "--parallel", str(os.cpu_count() or 1)], check=True)
    return build / "python" / "simhash"


class Wheel(bdist_wheel):
    """A wheel for this kind of machine and for every Python 3, because nothing is compiled against Python."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class WithLibraries(Distribution):
    def has_ext_modules(self):
        return True


class NoSources(sdist):
    """Refuses to make a source package, because the sources of the libraries are not below this folder."""

    def run(self):
        raise SystemExit("simhash: only wheels can be made here: python3 -m build --wheel")


folder = package_folder()
version = {}
exec((folder / "_version.py").read_text(), version)
setup(
    distclass=WithLibraries,
    version=version["version"],
    packages=["simhash"],
    package_dir={"simhash": os.path.relpath(folder, HERE)},
    package_data={"simhash": ["py.typed", "_lib/*"]},
    cmdclass={"bdist_wheel": Wheel, "sdist": NoSources},
)
