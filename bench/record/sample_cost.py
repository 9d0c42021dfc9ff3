#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `linn record --sample` costs, in instructions: those of each program alone and with the recorder in it, counted by
cachegrind, which needs no quiet machine. Only one process of a program is counted, the last to end.

    bench/predictions/inputs.py INPUTS
    sample_cost.py bench/predictions/debian.toml --linn build/release/tool/linn --folder INPUTS [--bytes 524288] [--only NAME,NAME]
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
import tomllib

COUNT = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]


def instructions(words, folder, log):
    subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    with open(log, encoding="utf-8") as file:
        return int(re.findall(r"I +refs: +([\d,]+)", file.read())[-1].replace(",", ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("--linn", required=True, type=os.path.abspath)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--bytes", type=int, default=524288)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    with open(arguments.programs, "rb") as file:
        programs = tomllib.load(file)["program"]
    only = arguments.only.split(",") if arguments.only else []
    print("program          instructions  blocks of the sample  cost")
    with tempfile.TemporaryDirectory() as temporary:
        log, trace, facts = (os.path.join(temporary, name) for name in ("log", "trace", "facts"))
        for program in programs:
            command = program["command"]
            if shutil.which(command[0]) is None or (only and program["name"] not in only):
                continue
            counted = [*COUNT, "--log-file=" + log, *command]
            alone = instructions(counted, arguments.folder, log)
            recorded = instructions([arguments.linn, "record", "-q", "--sample", str(arguments.bytes), "-o", trace, "--", *counted],
                                    arguments.folder, log)
            subprocess.run([arguments.linn, "trace", trace, "--json", facts], check=True, stdout=subprocess.DEVNULL)
            with open(facts, encoding="utf-8") as file:
                events = json.load(file)["events"]
            print(f"{program['name']:<15} {alone / 1e6:10.0f} M  {events:14} events  {100 * (recorded / alone - 1):+.2f} %", flush=True)


if __name__ == "__main__":
    main()
