# SPDX-License-Identifier: Apache-2.0
"""Spack: the recipe of a release is Python and names the archive and its sum; where `spack` is installed it installs the package."""
import hashlib

import package


def main():
    work, _ = package.start()
    dist = package.release(work)
    recipe = dist / "spack/packages/linn/package.py"
    text = recipe.read_text(encoding="utf-8")
    compile(text, recipe, "exec")
    archive = (dist / f"linn-{package.version()}.tar.gz").read_bytes()
    package.expect(f'version."{package.version()}", sha256="{hashlib.sha256(archive).hexdigest()}".', text)
    spack = package.tool("spack")
    env = {"SPACK_USER_CONFIG_PATH": str(work / "config"), "SPACK_USER_CACHE_PATH": str(work / "cache")}
    package.run(spack, "repo", "add", dist / "spack", env=env)
    package.run(spack, "external", "find", "cmake", "gcc", env=env)
    package.run(spack, "install", "linn", env=env)


main()
