# SPDX-License-Identifier: Apache-2.0
"""Spack: the recipe of a release. Where `spack` is installed it installs the package; elsewhere stubs of its language check what
the recipe says, and that the archive has the sum it names."""
import hashlib
import shutil
import sys
import types
import urllib.request

import package

# The words of Spack's language that the recipe may use, with the options that it may give them.
WORDS = {"license": set(), "version": {"sha256"}, "depends_on": {"type"}, "conflicts": {"msg"}}


def said_by(recipe):
    """What the recipe says, as (word, arguments, options), and its class."""
    said = []

    def word(name):
        def record(*arguments, **options):
            if set(options) - WORDS[name]:
                package.fail(f"{name} knows no {set(options) - WORDS[name]}")
            said.append((name, arguments, options))
        return record

    class Base:
        def define(self, name, value):
            return f"-D{name}:BOOL={'ON' if value else 'OFF'}"

    language, cmake = types.ModuleType("spack.package"), types.ModuleType("cmake")
    language.__dict__.update({name: word(name) for name in WORDS})
    cmake.CMakePackage = Base
    for name in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["spack.package"] = language
    sys.modules["spack_repo.builtin.build_systems.cmake"] = cmake
    names = {}
    exec(compile(recipe.read_text(encoding="utf-8"), recipe, "exec"), names)  # pylint: disable=exec-used
    return said, names["Linn"]


def main():
    work, _ = package.start()
    dist = package.release(work)
    if shutil.which("spack"):
        env = {"SPACK_USER_CONFIG_PATH": str(work / "config"), "SPACK_USER_CACHE_PATH": str(work / "cache")}
        package.run("spack", "repo", "add", dist / "spack", env=env)
        package.run("spack", "external", "find", "cmake", "gcc", env=env)
        package.run("spack", "install", "linn", env=env)
        return

    said, recipe = said_by(dist / "spack/packages/linn/package.py")
    versions = [(arguments[0], options["sha256"]) for word, arguments, options in said if word == "version"]
    with urllib.request.urlopen(recipe.url) as archive:
        if versions != [(package.version(), hashlib.sha256(archive.read()).hexdigest())]:
            package.fail(f"the recipe has {versions}")
    arguments = recipe().cmake_args()
    package.run("tar", "xzf", dist / f"linn-{package.version()}.tar.gz", "-C", work)
    package.run("cmake", "-S", work / f"linn-{package.version()}", "-B", work / "build", f"-DCMAKE_INSTALL_PREFIX={work / 'prefix'}",
                *arguments)
    package.run("cmake", "--install", work / "build")
    if not (work / "prefix/include/linn/linn.hpp").exists():
        package.fail("the recipe installs no headers")
    package.skip("spack is not installed; its recipe was checked with stubs")


main()
