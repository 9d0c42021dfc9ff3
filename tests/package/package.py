# SPDX-License-Identifier: Apache-2.0
"""What the tests of packages share: finding tools, running commands, leaving out a test with its reason.

Each test is `NAME.py WORK COMPILER`. It works below WORK, which is emptied first: what an earlier run left proves nothing.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CONSUMER = ROOT / "tests/consumer/consumer.cpp"
# Where scripts/package-tools puts what Debian does not have: a folder for each file of tests/package/tools.
TOOLS = ROOT / "build/package-tools"
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wundef", "-Werror"]


def skip(reason):
    """Ends the test as skipped."""
    print(f"linn: skipped: {reason}")
    sys.exit(77)


def fail(reason):
    sys.exit(f"failed: {reason}")


def version():
    text = (ROOT / "include/linn/version.hpp").read_text(encoding="utf-8")
    return ".".join(re.search(rf"VERSION_{part} (\d+)", text).group(1) for part in ("MAJOR", "MINOR", "PATCH"))


def tool(command, venv=None):
    """The path of a command: of scripts/package-tools, or else of the machine if `venv` does not pin its version."""
    ours = TOOLS / (venv or command) / "bin" / command
    if ours.exists():
        return str(ours)
    found = None if venv else shutil.which(command)
    return found or skip(f"{command} is not installed" + (f" as {venv}" if venv else ""))


def run(*command, cwd=None, env=None, fails=False):
    """Runs a command and returns what it printed. It must succeed, or fail if `fails`."""
    command = [str(word) for word in command]
    print("+ " + " ".join(command), flush=True)
    done = subprocess.run(command, cwd=cwd, env={**os.environ, **(env or {})}, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    print(done.stdout, flush=True)
    if (done.returncode != 0) != fails:
        fail(f"{command[0]} ended with {done.returncode}")
    return done.stdout


def run_quietly(*command, given=None, env=None):
    """What a command prints that must succeed; `given` is its input."""
    done = subprocess.run([str(word) for word in command], input=given, env={**os.environ, **(env or {})}, text=True,
                          capture_output=True, check=False)
    if done.returncode != 0:
        fail(f"{command}: {done.stderr}")
    return done.stdout


def expect(pattern, text):
    if not re.search(pattern, text):
        fail(f"nothing matches {pattern!r} in:\n{text}")


def run_consumer(program):
    """Runs a program built of CONSUMER: it prints the version that it was compiled with."""
    if run(program) != f"OK {version()}\n":
        fail("the consumer did not print its version")


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def start():
    """The folder to work in, empty, and the compiler."""
    work, compiler = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    return work, compiler


def release(work, *options, env=None):
    """The folder of a release made of this tree, changes included, whose recipes name the archive in it."""
    if not (ROOT / ".git").exists():
        skip("this tree is no git repository, which a release is made from")
    # A commit of what is tracked, changes included, that no branch knows; nothing when there are none.
    # An index of its own, because tests that run at the same time would wait for each other's lock.
    index = shutil.copy(run_quietly("git", "-C", ROOT, "rev-parse", "--path-format=absolute", "--git-path", "index").strip(), work)
    tree = run_quietly("git", "-C", ROOT, "-c", "user.name=linn", "-c", "user.email=linn@localhost", "stash", "create",
                       env={"GIT_INDEX_FILE": index}).strip()
    run(ROOT / "scripts/release", tree or "HEAD", "--out", work / "dist", *options, env=env)
    return work / "dist"
