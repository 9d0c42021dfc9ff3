# SPDX-License-Identifier: Apache-2.0
"""Users need CMake 3.16 only, and no Ninja. For our own parts CMake says in one error what they need."""
import package

MODES = {"cmake-3.16": ["installed", "pkgconfig", "subdirectory", "fetchcontent"], "cmake-3.22": ["installed"]}

work, compiler = package.start()
cmakes = {venv: package.tool("cmake", venv) for venv in MODES}
for venv, modes in MODES.items():
    for mode in modes:
        package.run("cmake", f"-DMODE={mode}", f"-DCMAKE={cmakes[venv]}", "-DGENERATOR=Unix Makefiles", f"-DSOURCE={package.ROOT}",
                    f"-DWORK={work / venv / mode}", f"-DCOMPILER={compiler}", "-P", package.ROOT / "tests/consumer/run.cmake")

configure = [cmakes["cmake-3.16"], "-S", package.ROOT, "-B", work / "whole", "-G", "Unix Makefiles"]
said = package.run(*configure, fails=True)
if said.count("CMake Error") != 1:
    package.fail("more than one error")
package.expect(r"need CMake\s+3.25\s+or\s+newer,\s+this\s+is\s+3.16", said)
package.expect(r"-DLINN_LIBRARY_ONLY=ON", said)
package.run(*configure, "-DLINN_LIBRARY_ONLY=ON")  # in the folder of the failure, as a user would
