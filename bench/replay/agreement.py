#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does `linn replay` predict the order of allocators that `linn run` measures?

Records each program, replays the trace, runs the program, and prints a table in Markdown. Run it on a quiet machine:

  bench/replay/agreement.py --linn build/release/tool/linn --programs build/release/bench/linn-bench-replay-programs
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

NAMES = ["containers", "words", "trees", "pipeline", "buffers", "tasks"]


def call(*words):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))}: exit status {done.returncode}\n{done.stderr}")
    return done


def percent(share):
    return f"{share * 100:+.1f} %"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--linn", required=True)
    parser.add_argument("--programs", required=True)
    parser.add_argument("--only", default=",".join(NAMES), help="programs, commas between them")
    parser.add_argument("--allocators", default="jemalloc,mimalloc2,tcmalloc,tbb")
    parser.add_argument("--scale", default="10")
    parser.add_argument("--rounds", default="15")
    parser.add_argument("--budget", default="120")
    parser.add_argument("--keep", help="folder for traces and results")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(arguments.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        print("| program | order measured (change of CPU time) | predicted | tau | pairs the run tells apart | "
              "same / tie / opposite |\n|---|---|---|---:|---:|---:|")
        for name in arguments.only.split(","):
            program = [arguments.programs, name, arguments.scale]
            trace, run, replay = (folder / f"{name}{ending}" for ending in (".linn", "-run.json", "-replay.json"))
            call(arguments.linn, "record", "--baseline", "-o", trace, "--", *program)
            call(arguments.linn, "run", "--only", arguments.allocators, "--rounds", arguments.rounds, "--budget",
                 arguments.budget, "--json", run, "--", *program)
            call(arguments.linn, "replay", trace, "--allocators", arguments.allocators, "--rounds", arguments.rounds,
                 "--budget", arguments.budget, "--against", run, "--json", replay)
            agreement = json.loads(replay.read_text())["agreement"]
            rows = agreement["rows"]
            print(f"| {name} | {', '.join(r['name'] + ' ' + percent(r['measured']) for r in rows)} | "
                  f"{', '.join(r['name'] + ' ' + percent(r['predicted']) for r in rows)} | {agreement['tau']:.2f} | "
                  f"{agreement['pairs']} | {agreement['same']} / {agreement['undecided']} / "
                  f"{len(agreement['contradictions'])} |", flush=True)


if __name__ == "__main__":
    main()
