# SPDX-License-Identifier: Apache-2.0
"""The Conan 2 recipe. `conan create .` packs this tree; next to the conandata.yml of a release it packs that release's archive."""
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain
from conan.tools.files import copy, get, load, rmdir, save

required_conan_version = ">=2.0"
# A profile that `conan profile detect` writes says gnu17. CMake takes the newer of that and what a target asks for.
STANDARD = "share/linn/conan-standard.cmake"


class LinnConan(ConanFile):
    name = "linn"
    description = "Object memory pools for C++20"
    license = "Apache-2.0"
    topics = ("memory-pool", "allocator", "object-pool", "header-only", "cpp20")
    settings = "os", "arch", "compiler", "build_type"
    # False: what does not depend on a type is compiled once, in a package for each compiler.
    options = {"header_only": [True, False]}
    default_options = {"header_only": True}
    no_copy_source = True
    test_package_folder = "packaging/conan/test_package"

    def set_version(self):
        if "sources" in (self.conan_data or {}):
            self.version = self.version or next(iter(self.conan_data["sources"]))
        else:
            text = load(self, os.path.join(self.recipe_folder, "include/linn/version.hpp"))
            self.version = ".".join(re.findall(r"^#define LINN_VERSION_\w+ (\d+)", text, re.MULTILINE))

    def export_sources(self):
        if not self.conan_data:
            for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*", "packaging/linn*.in", "packaging/debug/*"):
                copy(self, pattern, self.recipe_folder, self.export_sources_folder)

    def source(self):
        if self.conan_data:
            get(self, **self.conan_data["sources"][self.version], strip_root=True)

    def package_id(self):
        if self.info.options.header_only:
            self.info.clear()

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["LINN_LIBRARY_ONLY"] = True
        toolchain.cache_variables["LINN_INSTALL_COMPILED"] = not self.options.header_only
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        # Conan writes these for the generator that its user asks for.
        rmdir(self, os.path.join(self.package_folder, "share/cmake"))
        rmdir(self, os.path.join(self.package_folder, "share/pkgconfig"))
        rmdir(self, os.path.join(self.package_folder, "lib/pkgconfig"))
        save(self, os.path.join(self.package_folder, STANDARD), "target_compile_features(linn::linn INTERFACE cxx_std_20)\n")

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.set_property("cmake_build_modules", [STANDARD])
        if self.options.header_only:
            self.cpp_info.libdirs = []
        else:
            self.cpp_info.libs = ["linn"]
            self.cpp_info.defines = ["LINN_COMPILED"]
        if self.settings.get_safe("os") in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["pthread"]
