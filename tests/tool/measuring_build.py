#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `make bench` builds: it compiles from nothing, measures the headline, and says where the rest is."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def call(*words, status=0, **more):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, **more)
    if done.returncode != status:
        sys.exit(f"{words}: exit status {done.returncode}, not {status}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=pathlib.Path, required=True)
    source = parser.parse_args().source.resolve()
    preset = next(p for p in json.loads((source / "CMakePresets.json").read_text())["configurePresets"]
                  if p["name"] == "bench")
    with tempfile.TemporaryDirectory(prefix="linn-measuring-") as name:
        build = pathlib.Path(name)
        variables = {**preset["cacheVariables"], "LINN_BUILD_BENCH": "OFF", "LINN_BUILD_EXAMPLES": "OFF", "LINN_INSTALL": "OFF"}
        call("cmake", "-G", "Ninja", "-S", source, "-B", build, *(f"-D{key}={value}" for key, value in variables.items()))
        call("cmake", "--build", build, "--target", "linn_tool")
        linn = build / "tool" / "linn"
        done = call(linn, "bench", "--only", "linn", "--rounds", "6", "--work", "1", env={**os.environ, "COLUMNS": "100"})
        lines = done.stdout.splitlines()
        if len(lines) > 30 or "new/delete 64 B, hot" not in done.stdout:
            sys.exit(done.stdout)
        for words, status in ((("bench", "object"), 1), (("run", "--", "true"), 2)):
            said = call(linn, *words, status=status).stderr
            if "`make tool` builds everything" not in said:
                sys.exit(f"{words}: {said}")
        call(linn, "allocators")
        left = sorted(p.name for p in (build / "tool").glob("lib*.so"))
        if left:
            sys.exit(f"built for nothing: {left}")


if __name__ == "__main__":
    main()
