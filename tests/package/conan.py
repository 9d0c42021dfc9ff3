# SPDX-License-Identifier: Apache-2.0
"""Conan 2: the recipe packs the tree, and a release's archive; its test program is built and run; one package serves all
compilers; C++17 is refused in a sentence; the file of the Common Package Specification names the headers."""
import json

import package


def main():
    work, compiler = package.start()
    conan = package.tool("conan")
    env = {"CONAN_HOME": str(work / "home"), "CXX": compiler}
    reference = f"linn/{package.version()}"
    package.run(conan, "profile", "detect", env=env)
    cpp20 = ["-s", "compiler.cppstd=20"]
    dist = package.release(work)
    package.run("tar", "xzf", dist / f"linn-{package.version()}.tar.gz", "-C", work)
    for recipe in (work / f"linn-{package.version()}", dist / "conan"):
        package.expect(rf"(?m)^OK {package.version()}$", package.run(conan, "create", recipe, *cpp20, env=env))
    package.expect("C\\+\\+20|cppstd", package.run(conan, "install", f"--requires={reference}", "-s", "compiler.cppstd=17",
                                                 "--build=never", cwd=work, env=env, fails=True))
    created = package.run(conan, "create", dist / "conan", *cpp20, "-o", "linn/*:header_only=False", env=env)
    package.expect(rf"(?m)^OK {package.version()}$", created)
    package.expect("liblinn.a", created)
    # Header-only: no other package for another build type.
    package.run(conan, "install", f"--requires={reference}", *cpp20, "-s", "build_type=Debug", "--build=never", cwd=work,
                env=env)

    package.run(conan, "install", f"--requires={reference}", *cpp20, "-g", "CPSDeps", f"--output-folder={work / 'cps'}",
                "--build=never", env=env)
    files = list((work / "cps").rglob("linn*.cps"))
    if not files:
        package.fail("CPSDeps wrote no linn.cps")
    for file in files:
        text = file.read_text(encoding="utf-8")
        if json.loads(text)["name"] != "linn":
            package.fail(f"{file} is of another package: {text}")
    package.expect(rf'"version": *"{package.version()}"', "".join(file.read_text(encoding="utf-8") for file in files))
    package.expect("include", "".join(file.read_text(encoding="utf-8") for file in files))


main()
