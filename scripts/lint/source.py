# SPDX-License-Identifier: Apache-2.0
"""What the lint scripts share: finding files, blanking comments, reporting, self-tests."""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CXX = (".hpp", ".cpp", ".h", ".c")


def files(root=ROOT):
    """All files of the repository, as paths relative to root; ignored files are not part of it."""
    command = ["git", "-C", str(root), "ls-files", "-z", "-co", "--exclude-standard"]
    if (root / ".git").exists():
        run = subprocess.run(command, capture_output=True, check=False)
        if run.returncode == 0:
            names = sorted(set(run.stdout.decode().split("\0")) - {""})
            return [name for name in names if (root / name).is_file()]
    # A release archive has no git: take what is there, except build output.
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if f not in (".git", "build", "__pycache__")]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return sorted(found)


def code_only(text):
    """The text with comments and the content of literals blanked, lines kept."""
    token = re.compile(
        r"//[^\n]*|/\*.*?\*/|R\"(?P<d>[^(\s]*)\(.*?\)(?P=d)\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'",
        re.DOTALL)

    def blank(match):
        start = match.start()
        if match.group().startswith("'") and start and (text[start - 1].isalnum()):
            return match.group()  # 1'000'000 is a number
        return re.sub(r"[^\n]", " ", match.group())

    # Includes with quotes are code, not literals.
    keep = re.compile(r"^\s*#\s*include\b")
    blanked = token.sub(blank, text).split("\n")
    return "\n".join(
        raw if keep.match(raw) else line for raw, line in zip(text.split("\n"), blanked))


def read(root, name):
    return (root / name).read_text(encoding="utf-8")


def report(problems):
    """Prints problems as file:line: text; returns the exit status."""
    for problem in problems:
        print(problem)
    if problems:
        print(f"{len(problems)} problem(s)")
    return 1 if problems else 0


def self_test(check, planted):
    """Runs check over one small tree per case. A case is (files, what must be reported or None)."""
    failures = 0
    for tree, expected in planted:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in tree.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                data = text if isinstance(text, bytes) else text.encode()
                (root / name).write_bytes(data)
            problems = check(root)
        if expected is None and problems:
            failures += 1
            print(f"self-test: {list(tree)}: reported without reason: {problems}")
        if expected is not None and not any(expected in problem for problem in problems):
            failures += 1
            print(f"self-test: {list(tree)}: {expected!r} not reported, only {problems}")
    print(f"self-test: {len(planted)} cases, {failures} failed")
    return 1 if failures else 0


def main(check, planted):
    """The command line of every lint script: no argument, or --self-test."""
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(self_test(check, planted))
    if sys.argv[1:]:
        sys.exit(f"usage: {sys.argv[0]} [--self-test]")
    sys.exit(report(check(ROOT)))
