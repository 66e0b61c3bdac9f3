# SPDX-License-Identifier: GPL-2.0-or-later
"""Spack recipe of oak. It builds the source folder that you are in: spack dev-build oak@0.1.0"""
from spack.package import *

try:  # Spack 1.0 and later
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:
    pass


class Oak(CMakePackage):
    """Octree adaptive kernels: finite volumes on adaptive meshes of square or cubic blocks, on CPUs and GPUs.
    Kernels are compiled when a run starts, so a C compiler is needed then too."""

    license("GPL-2.0-or-later")

    version("0.1.0")

    variant("hdf5", default=True, description="Write VTKHDF files")
    variant("cuda", default=False, description="Bring NVRTC, which compiles kernels for NVIDIA GPUs")

    depends_on("c", type="build")
    depends_on("cmake@3.18:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("p4est@2.2: +mpi")
    depends_on("libpng")
    depends_on("zlib-api")
    depends_on("hdf5", when="+hdf5")
    depends_on("cuda@12:", when="+cuda", type="run")

    def cmake_args(self):
        return [self.define("OAK_BUILD_TESTS", False), self.define_from_variant("OAK_HDF5", "hdf5")]

    def setup_run_environment(self, env):
        env.set("OAK_CC", self.compiler.cc)  # compiles kernels when a run starts
        if "+cuda" in self.spec:
            env.set("CUDA_HOME", self.spec["cuda"].prefix)
