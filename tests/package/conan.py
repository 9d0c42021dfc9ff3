# SPDX-License-Identifier: Apache-2.0
"""Conan 2: the recipe packs the tree, and a release's archive; its test program is built and run; one package serves all
compilers; a profile that says gnu17, as a detected one does, is enough for a program that uses CMake."""
import package


def main():
    work, compiler = package.start()
    conan = package.tool("conan")
    env = {"CONAN_HOME": str(work / "home"), "CXX": compiler}
    reference = f"linn/{package.version()}"
    package.run(conan, "profile", "detect", env=env)
    old = ["-s", "compiler.cppstd=gnu17"]
    dist = package.release(work)
    package.run("tar", "xzf", dist / f"linn-{package.version()}.tar.gz", "-C", work)
    for recipe in (work / f"linn-{package.version()}", dist / "conan"):
        package.expect(rf"(?m)^OK {package.version()}$", package.run(conan, "create", recipe, *old, env=env))
    package.run(conan, "install", f"--requires={reference}", *old, "-g", "CMakeDeps", "-g", "CMakeToolchain",
                f"--output-folder={work / 'user'}", "--build=never", env=env)
    package.run("cmake", "-S", package.ROOT / "tests/consumer/installed", "-B", work / "user/build",
                f"-DCMAKE_TOOLCHAIN_FILE={work / 'user/conan_toolchain.cmake'}", "-DCMAKE_BUILD_TYPE=Release")
    package.run("cmake", "--build", work / "user/build")
    package.run_consumer(work / "user/build/consumer")
    created = package.run(conan, "create", dist / "conan", *old, "-o", "linn/*:header_only=False", env=env)
    package.expect(rf"(?m)^OK {package.version()}$", created)
    package.expect("liblinn.a", created)
    # Header-only: no other package for another build type.
    package.run(conan, "install", f"--requires={reference}", *old, "-s", "build_type=Debug", "--build=never", cwd=work,
                env=env)


main()
