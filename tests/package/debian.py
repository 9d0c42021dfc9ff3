# SPDX-License-Identifier: Apache-2.0
"""Debian: scripts/release --debian makes liblinn-dev of the release's archive; lintian has no complaint; a program is built of what
the package holds. The package of the tool takes many minutes to compile, so the profile pkg.linn.notool leaves it out."""
import shutil

import package


def main():
    work, compiler = package.start()
    package.tool("dpkg-buildpackage")
    package.tool("dh")
    version = package.version()
    dist = package.release(work, "--debian", env={"DEB_BUILD_PROFILES": "pkg.linn.notool"})
    debs = list((dist / "debian").glob("*.deb"))
    if [deb.name for deb in debs] != [f"liblinn-dev_{version}-1_all.deb"]:
        package.fail(f"not one package for all architectures: {debs}")

    root = work / "root"
    package.run("dpkg-deb", "-x", debs[0], root)
    for file in ("include/linn/linn.hpp", "include/linn/linn.cppm", "share/pkgconfig/linn.pc", "share/cmake/linn/linn-config.cmake",
                 "share/cmake/linn/linn-compiled.cmake", "share/cmake/linn/linn-module.cmake", "share/linn/src/linn.cpp", "share/linn/debug/linn_gdb.py", "share/doc/liblinn-dev/copyright"):
        if not (root / "usr" / file).exists():
            package.fail(f"usr/{file} is not in the package")
    package.run("cmake", "-S", package.ROOT / "tests/consumer/installed", "-B", work / "consumer", f"-DCMAKE_PREFIX_PATH={root / 'usr'}",
                f"-DCMAKE_CXX_COMPILER={compiler}")
    package.run("cmake", "--build", work / "consumer")
    package.run_consumer(work / "consumer/consumer")
    if shutil.which("lintian"):
        package.run("lintian", "--allow-root", "--fail-on", "error,warning", debs[0])


main()
