# SPDX-License-Identifier: Apache-2.0
"""xmake: a consumer takes the package from the repository of a release, without network."""
import pathlib
import shutil

import package


def main():
    work, compiler = package.start()
    xmake = package.tool("xmake")
    consumer = work / "consumer"
    shutil.copytree(package.ROOT / "tests/package/xmake", consumer)
    shutil.copy(package.CONSUMER, consumer)
    # XMAKE_ROOT: a container has only root. xmake does not know what a compiler named c++ is, and finds out no flag of it.
    env = {"XMAKE_ROOT": "y", "XMAKE_GLOBALDIR": str(work / "global"), "XMAKE_COLORTERM": "nocolor", "CXX": str(pathlib.Path(compiler).resolve()),
           "LINN_REPO": str(package.release(work) / "xmake")}
    package.run(xmake, "g", "--network=private", cwd=consumer, env=env)
    package.run(xmake, "build", "-y", "-v", cwd=consumer, env=env)
    package.expect(rf"(?m)^OK {package.version()}$", package.run(xmake, "run", "consumer", cwd=consumer, env=env))


main()
