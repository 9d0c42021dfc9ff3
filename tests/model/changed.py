#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Breaks the headers on purpose and looks whether the scenario that is named notices.

Usage: changed.py [--only NAME...] -- COMPILER FLAG... OBJECT...
       changed.py --check       only whether each still fits the headers; builds nothing

Each entry of changed.toml is applied to a copy of the headers; the file of its scenario is compiled against that
and linked with the objects of the engine. The scenario must then fail.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

try:
    import tomllib
except ImportError:
    print("linn: skipped: Python 3.11 or newer is needed")
    sys.exit(77)

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SOURCES = {"biased": "locks", "depot": "depot", "recycler": "recyclers", "resource": "resources", "buffer": "buffers"}


def changed(change, include):
    """The file with the change in it; None if it does not fit the code any more."""
    text = (include / "linn" / change["file"]).read_text(encoding="utf-8")
    return text.replace(change["old"], change["new"]) if text.count(change["old"]) == 1 else None


def check(changes):
    stale = [change["name"] for change in changes if changed(change, ROOT / "include") is None]
    for name in stale:
        print(f"{name}: does not fit the code any more")
    return 1 if stale or not changes else 0


def outcome(change, folder, command, objects):
    include = folder / "include"
    shutil.copytree(ROOT / "include", include, dirs_exist_ok=True)
    text = changed(change, include)
    if text is None:
        return "does not fit the code any more"
    (include / "linn" / change["file"]).write_text(text, encoding="utf-8")
    source = HERE / (SOURCES[change["scenario"].split(".")[0]] + ".cpp")
    program = folder / "model"
    compiled = subprocess.run([*command, f"-I{include}", "-w", "-std=c++20", "-O0", "-fsanitize=thread", "-c", source,
                               "-o", folder / "scenarios.o"], capture_output=True, text=True)
    if compiled.returncode != 0:
        return "does not compile:\n" + compiled.stderr[:2000]
    subprocess.run([*command, "-rdynamic", *objects, folder / "scenarios.o", "-o", program, "-ldl"], check=True)
    try:
        run = subprocess.run([program, change["scenario"]], capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return "takes too long"
    first = run.stdout.splitlines()[0] if run.stdout else "no output"
    if run.returncode == 1 and first.startswith("FAILED: "):
        print(f"{change['name']}: noticed: {first.removeprefix('FAILED: ')}")
        return None
    if run.returncode < 0:
        print(f"{change['name']}: noticed: it crashes")
        return None
    return "is NOT noticed: " + first


def load():
    with open(HERE / "changed.toml", "rb") as file:
        return tomllib.load(file)["change"]


def main():
    arguments = sys.argv[1:]
    if arguments == ["--check"]:
        return check(load())
    dashes = arguments.index("--")
    only = [a for a in arguments[:dashes] if a != "--only"]
    command = [a for a in arguments[dashes + 1:] if not a.endswith(".o")]
    objects = [a for a in arguments[dashes + 1:] if a.endswith(".o")]
    changes = [c for c in load() if not only or c["name"] in only]
    wrong = 0 if changes else 1
    for change in changes:
        with tempfile.TemporaryDirectory(prefix="linn-model-") as folder:
            problem = outcome(change, pathlib.Path(folder), command, objects)
        if problem is not None:
            print(f"{change['name']}: {problem}")
            wrong += 1
    print(f"{len(changes) - wrong} of {len(changes)} changes are noticed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
