# SPDX-License-Identifier: Apache-2.0
"""The Common Package Specification: linn.cps is installed on request, and CMake 4 needs nothing else to build a consumer. Without
the request it is not there, so that find_package takes linn-config.cmake."""
import shutil

import package


def main():
    work, compiler = package.start()
    cmake = package.tool("cmake", "cmake-4")
    configure = ["-S", package.ROOT, "-DLINN_LIBRARY_ONLY=ON", f"-DCMAKE_CXX_COMPILER={compiler}"]
    for name, options in (("plain", []), ("cps", ["-DLINN_INSTALL_CPS=ON"])):
        package.run(cmake, *configure, *options, "-B", work / name, f"-DCMAKE_INSTALL_PREFIX={work / name / 'prefix'}")
        package.run(cmake, "--install", work / name)
    if list((work / "plain/prefix").rglob("*.cps")):
        package.fail("a file of the Common Package Specification that nobody asked for")
    # Moved, and alone.
    (work / "cps/prefix").rename(work / "moved")
    shutil.rmtree(work / "moved/share/cmake")
    package.run(cmake, "-S", package.ROOT / "tests/consumer/installed", "-B", work / "consumer",
                f"-DCMAKE_PREFIX_PATH={work / 'moved'}", f"-DCMAKE_CXX_COMPILER={compiler}")
    package.run(cmake, "--build", work / "consumer")
    package.run_consumer(work / "consumer/consumer")


main()
