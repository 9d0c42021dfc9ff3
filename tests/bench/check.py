#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one micro benchmark at its smallest and checks what it prints and writes, never how fast it was."""

import json
import pathlib
import subprocess
import sys
import tempfile


def run(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True, timeout=50)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "result.json")
        done = run("--quick", "--json", str(file))
        assert done.returncode == 0, done.stderr
        header = next(line for line in done.stdout.splitlines() if "best rival" in line)
        assert "linn" in header and "glibc" in header, header
        assert "PASS  " in done.stdout or "MISS  " in done.stdout, done.stdout
        result = json.loads(file.read_text())
        assert "linn" in json.dumps(result)
        assert [entry.name for entry in pathlib.Path(folder).iterdir()] == ["result.json"]

    refused = run("--only", "nosuch")
    assert refused.returncode == 2, refused.returncode
    assert refused.stdout == "" and "'nosuch'" in refused.stderr and "linn" in refused.stderr, refused


if __name__ == "__main__":
    main()
