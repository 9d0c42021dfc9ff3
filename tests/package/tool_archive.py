# SPDX-License-Identifier: Apache-2.0
"""scripts/pack-tool: the archive of the tool runs in a root that holds the C and C++ run time alone; the wheel is installed by pip,
measures and records, and leaves nothing when it goes; the same installation makes the same files."""
import filecmp
import json
import re
import shutil
import subprocess
import sys
import tarfile

import package

PACK = package.ROOT / "scripts/pack-tool"
BARE = re.compile(r"^(lib(c|m|gcc_s|stdc\+\+)\.so\.\d+|/.*/ld-linux.*)$")


def try_out(run, program, folder):
    """What a user does first; `folder` is where `run` may write to, and `program` is recorded."""
    package.expect(rf"^linn {re.escape(package.version())}", run("--version"))
    run("bench", "object", "--rounds", "2", "--work", "1", "--only", "linn,glibc", "--json", f"{folder}/bench.json")
    run("record", "-o", f"{folder}/x.linn", "--no-baseline", "--", program, "--version")
    package.expect("allocat", run("trace", f"{folder}/x.linn"))


def bare_root(work, tree):
    """A root with the archive in /opt and nothing else than the run time of C++."""
    root = work / "root"
    for name in ("proc", "dev", "tmp", "opt"):
        (root / name).mkdir(parents=True)
    shutil.copytree(tree, root / "opt/linn")
    for line in package.run_quietly("ldd", tree / "libexec/linn/linn-bench-worker").splitlines():
        words = line.split()
        path = words[2] if "=>" in words else words[0]
        if BARE.match(words[0]):
            place = root / path.lstrip("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)
    return root


def in_root(root):
    enter = 'mount --rbind /proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" /opt/linn/bin/linn "$@"'

    def run(*words):
        return package.run("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", enter, root, *words,
                           env={"XDG_CACHE_HOME": "/tmp", "TMPDIR": "/tmp"})
    return run


def main():
    work, _ = package.start()
    package.tool("patchelf")
    build = work.parents[2]
    if not (build / "tool/linn").exists():
        package.skip("the tool is not built here")
    if "san.so" in package.run_quietly("ldd", build / "tool/linn"):
        package.skip("this tool has a sanitizer")
    package.run("cmake", "--install", build, "--component", "tool", "--prefix", work / "prefix")
    for name in ("one", "two"):
        package.run(PACK, work / "prefix", "--out", work / name, "--time", "1700000000")
    names = sorted(file.name for file in (work / "one").iterdir())
    if len(names) != 2 or filecmp.cmpfiles(work / "one", work / "two", names, shallow=False)[0] != names:
        package.fail(f"the same installation makes other files: {names}")
    archive, wheel = (next((work / "one").glob("*" + end)) for end in (".tar.gz", ".whl"))
    package.expect(r"^linn-[\d.]+-linux-\w+\.tar\.gz$", archive.name)
    package.expect(r"^linn-[\d.]+-py3-none-manylinux_2_\d+_\w+\.whl$", wheel.name)

    with tarfile.open(archive) as tar:
        tar.extractall(work, filter="data") if sys.version_info >= (3, 12) else tar.extractall(work)
    tree = work / archive.name.removesuffix(".tar.gz")
    # Each library that is packed comes with its licence.
    libraries = list((tree / "libexec/linn/lib").iterdir())
    if not libraries or len(list((tree / "share/doc/linn/copyright").iterdir())) < len(libraries) / 2:
        package.fail(f"{libraries} without copyright")
    entered = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "true"], capture_output=True, check=False)
    if entered.returncode == 0:
        root = bare_root(work, tree)
        try_out(in_root(root), "/opt/linn/bin/linn", "/tmp")
        contenders = json.loads((root / "tmp/bench.json").read_text())["contenders"]
        if not {"glibc", "linn"} <= {one["name"] for one in contenders}:
            package.fail(f"contenders: {contenders}")
    else:
        print("linn: this user may not enter another root: only the wheel is tried")

    if subprocess.run([sys.executable, "-m", "venv", work / "venv"], capture_output=True, check=False).returncode:
        package.skip("python3-venv is not installed: only the archive was tried")
    python = work / "venv/bin/python"
    before = set((work / "venv").rglob("*"))
    pip = [python, "-m", "pip", "--disable-pip-version-check"]
    package.run(*pip, "install", "--no-index", wheel)
    package.run(*pip, "check")
    try_out(lambda *words: package.run(work / "venv/bin/linn", *words), work / "venv/bin/linn", work)
    package.run(*pip, "uninstall", "--yes", "linn")
    left = {path for path in set((work / "venv").rglob("*")) - before if path.is_file() and path.suffix != ".pyc"}
    if left:
        package.fail(f"uninstalling leaves {left}")

    package.expect("there is no .*bin/linn", package.run(PACK, work / "nothing", "--out", work / "three", fails=True))
    if (work / "three").exists():
        package.fail("a wrong folder left something")


main()
