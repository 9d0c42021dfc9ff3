# SPDX-License-Identifier: Apache-2.0
"""scripts/release: the same commit makes the same files, their sums are right, every recipe is filled in, and a tag that is not
the version is refused."""
import filecmp
import subprocess

import package


# Files that name the version because their package systems want it there.
VERSIONED = {"MODULE.bazel": 'name = "linn",\n    version = "{}"', "packaging/vcpkg/ports/linn/vcpkg.json": '"version": "{}"',
             "packaging/debian/changelog": "linn ({}-"}


def main():
    work, _ = package.start()
    for name, text in VERSIONED.items():
        if text.format(package.version()) not in (package.ROOT / name).read_text(encoding="utf-8"):
            package.fail(f"{name} has another version than include/linn/version.hpp")
    dist = package.release(work)
    package.run("sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS", cwd=dist)
    listed = {line.split("  ")[1] for line in (dist / "SHA256SUMS").read_text(encoding="utf-8").splitlines()}
    there = {str(file.relative_to(dist)) for file in dist.rglob("*") if file.is_file()} - {"SHA256SUMS"}
    if listed != there:
        package.fail(f"SHA256SUMS and the files differ: {listed ^ there}")

    clone = work / "clone"
    package.run("git", "clone", "--quiet", "--shared", package.ROOT, clone)
    release = [clone / "scripts/release"]
    package.run("git", "-C", clone, "tag", "v" + package.version())
    package.run("git", "-C", clone, "tag", "v99.0.0")
    for name in ("one", "two"):
        package.run(*release, "v" + package.version(), "--out", work / name, "--url", "https://files.invalid/linn/")
    same = filecmp.dircmp(work / "one", work / "two")
    if same.diff_files or same.left_only or same.right_only or not filecmp.cmp(work / "one/SHA256SUMS", work / "two/SHA256SUMS", False):
        package.fail("the same tag makes other files")
    for file in sorted((work / "one").rglob("*")):
        if file.is_file() and file.suffix not in (".gz", ".hpp"):
            text = file.read_text(encoding="utf-8")
            if "@VERSION@" in text or "file:" in text or str(work) in text:
                package.fail(f"{file} is not filled in:\n{text}")
    for recipe in ("conan/conandata.yml", "meson/linn.wrap", "xmake/packages/l/linn/xmake.lua", "spack/packages/linn/package.py",
                   "vcpkg/ports/linn/portfile.cmake", f"bazel/modules/linn/{package.version()}/source.json"):
        package.expect(rf"https://files\.invalid/linn/linn-{package.version()}\.tar\.gz",
                       (work / "one" / recipe).read_text(encoding="utf-8"))

    notes = (work / "one/notes.md").read_text(encoding="utf-8")
    package.expect(r"(?s)\A### The library\n- .*### The tool\n- ", notes)
    if "## [" in notes or "\n  " in notes:
        package.fail(f"the notes are not the section of CHANGELOG.md, a line for each change: {notes}")
    package.expect("v99.0.0 is version", package.run(*release, "v99.0.0", "--out", work / "three", fails=True))
    package.write(work / "mine/notes.txt", "not to be deleted\n")
    package.expect("is not empty", package.run(*release, "--out", work / "mine", fails=True))
    package.expect("there is no commit", package.run(*release, "no-such-tag", "--out", work / "three", fails=True))
    if subprocess.run(["tar", "tzf", work / f"one/linn-{package.version()}.tar.gz"], capture_output=True, text=True,
                      check=True).stdout.split("\n")[0] != f"linn-{package.version()}/":
        package.fail("the archive has another folder")


main()
