#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The reference of the public headers: Doxygen finds no fault, every class and header is in it.

    doxygen.py SOURCE_DIR

Doxygen warns of what is wrong in a comment: unknown commands, examples that are gone, parameters
that do not exist. In a second pass it also tells what has no comment; of that only classes and
enumerations matter, since a member whose name says all needs none.
"""
import importlib
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def doxygen(program, settings, changes):
    """What Doxygen complains about."""
    with tempfile.TemporaryDirectory() as output:
        changes = {"OUTPUT_DIRECTORY": output, **changes}
        text = settings + "".join(f"\n{key} = {value}" for key, value in changes.items())
        run = subprocess.run([program, "-"], input=text, capture_output=True, text=True, check=False)
        lines = [line for line in run.stderr.split("\n") if line.strip()]
        if run.returncode and not lines:
            lines = [f"doxygen: exit status {run.returncode}"]
        pages = [path.read_text() for path in Path(output).glob("annotated.html")]
        return lines, "".join(pages)


def undocumented(program, settings):
    """Top-level classes and enumerations without a comment."""
    lines, _ = doxygen(program, settings, {"EXTRACT_ALL": "NO"})
    wanted = re.compile(r"Compound linn::\w+ is not documented|\(enumeration\) of namespace linn is not")
    return [line for line in lines if wanted.search(line)]


def check(program, settings):
    lines, classes = doxygen(program, settings, {})
    lines += undocumented(program, settings)
    if not re.search(r"classlinn_1_1pool\.html", classes):
        lines.append("linn::pool is not in the reference: nothing was read")
    return lines


def main():
    source_dir, program = sys.argv[1], shutil.which("doxygen")
    if program is None:
        print("linn: skipped: doxygen is not installed")
        return 77
    sys.path.insert(0, f"{source_dir}/scripts")
    settings = importlib.import_module("templates").doxygen_settings(Path(source_dir), "")
    problems = check(program, settings)
    for line in problems:
        print(line.replace(source_dir + "/", ""))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
