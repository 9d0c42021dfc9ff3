# SPDX-License-Identifier: Apache-2.0
"""Meson: a consumer with the wrap of a release, whose archive is checked against its sum, and one with the installed library."""
import shutil

import package


def main():
    work, compiler = package.start()
    meson = package.tool("meson")
    dist, consumer, env = package.release(work), work / "consumer", {"CXX": compiler}
    shutil.copytree(package.ROOT / "tests/package/meson", consumer)
    shutil.copy(package.CONSUMER, consumer)
    (consumer / "subprojects/packagecache").mkdir(parents=True)
    shutil.copy(dist / "meson/linn.wrap", consumer / "subprojects")
    archive = consumer / f"subprojects/packagecache/linn-{package.version()}.tar.gz"
    archive.write_bytes(b"damaged")
    package.expect("(?i)hash", package.run(meson, "setup", "refused", cwd=consumer, env=env, fails=True))
    shutil.copy(dist / archive.name, archive)
    package.run(meson, "setup", "build", cwd=consumer, env=env)
    package.run(meson, "compile", "-C", "build", cwd=consumer)
    package.run_consumer(consumer / "build/consumer")

    package.run(meson, "setup", "compiled", "-Dlinn:compiled=true", cwd=consumer, env=env)
    package.run(meson, "compile", "-C", "compiled", cwd=consumer)
    package.run_consumer(consumer / "compiled/consumer")
    text = (consumer / "compiled/compile_commands.json").read_text(encoding="utf-8")
    if text.count("-DLINN_COMPILED") != 1 or "src/linn.cpp" not in text:
        package.fail("the consumer does not use the compiled library")

    package.run(meson, "setup", work / "library", package.ROOT, f"--prefix={work / 'prefix'}", env=env)
    package.run(meson, "install", "-C", work / "library")
    installed = {"PKG_CONFIG_PATH": str(work / "prefix/share/pkgconfig")}
    if package.run("pkg-config", "--modversion", "linn", env=installed).strip() != package.version():
        package.fail("linn.pc names another version")
    package.run(meson, "setup", "installed", "--wrap-mode=nofallback", cwd=consumer, env={**env, **installed})
    package.run(meson, "compile", "-C", "installed", cwd=consumer)
    package.run_consumer(consumer / "installed/consumer")


main()
