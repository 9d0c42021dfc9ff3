# SPDX-License-Identifier: Apache-2.0
"""The Spack recipe; scripts/release fills in the archive and its sum."""
from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage


class Linn(CMakePackage):
    """Object memory pools for C++20, header-only."""

    homepage = "@HOMEPAGE@"
    url = "@URL@"
    license("Apache-2.0")

    version("@VERSION@", sha256="@SHA256@")

    depends_on("cxx", type="build")
    depends_on("cmake@3.16:", type="build")
    conflicts("%gcc@:11", msg="linn needs C++20: GCC 12 or newer")
    conflicts("%clang@:15", msg="linn needs C++20: Clang 16 or newer")

    def cmake_args(self):
        return [self.define("LINN_LIBRARY_ONLY", True)]
