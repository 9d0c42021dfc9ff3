# SPDX-License-Identifier: Apache-2.0
"""Debian: the package `linn` holds all that is installed, says what it needs, has no complaint of lintian's, and runs once it is
unpacked. What is packed was compiled before: packaging/debian/rules compiles it in scripts/release --debian."""
import re
import shutil

import package

PREPARED = """
override_dh_auto_configure override_dh_auto_build:
override_dh_auto_install:
\tcmake --install {build} --prefix $(CURDIR)/debian/tmp/usr
override_dh_auto_clean:
"""


def main():
    work, _ = package.start()
    build = package.tool("dpkg-buildpackage")
    package.tool("dh")
    built = work.parents[2]
    if not (built / "tool/linn").exists():
        package.skip("the tool is not built here")
    if "san.so" in package.run_quietly("ldd", built / "tool/linn"):
        package.skip("this tool has a sanitizer")
    version = package.version()
    source = work / f"linn-{version}"
    shutil.copytree(package.ROOT / "packaging/debian", source / "debian")
    rules = source / "debian/rules"
    text = re.sub(r"override_dh_auto_configure:\n\t.*\n", "", rules.read_text(encoding="utf-8"))
    rules.write_text(text + PREPARED.format(build=built), encoding="utf-8")
    (source / "debian/source/format").write_text("3.0 (native)\n", encoding="utf-8")
    package.run(build, "-us", "-uc", "-b", "-d", cwd=source)
    (deb,) = work.glob(f"linn_{version}-1_*.deb")
    fields = package.run("dpkg-deb", "--field", deb)
    package.expect(r"Depends:.*libc6 .*libdw1.*libstdc\+\+6", fields.replace("\n", " "))

    root = work / "root"
    package.run("dpkg-deb", "-x", deb, root)
    for file in ("bin/linn", "libexec/linn/liblinn-record.so", "libexec/linn/linn-bench-worker", "share/man/man1/linn.1.gz",
                 "libexec/linn/allocator-install/sources.txt", "share/doc/linn/copyright"):
        if not (root / "usr" / file).exists():
            package.fail(f"usr/{file} is not in the package")
    package.expect(re.escape(version), package.run(root / "usr/bin/linn", "--version"))
    package.run(root / "usr/bin/linn", "record", "-o", work / "x.linn", "--no-baseline", "--", "/bin/ls", "/")
    package.expect("allocat", package.run(root / "usr/bin/linn", "trace", work / "x.linn"))
    if shutil.which("lintian"):
        package.run("lintian", "--allow-root", "--fail-on", "error,warning", deb)


main()
