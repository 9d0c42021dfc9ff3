#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the view of `linn record --live` costs: each command under `linn record` with the view and without it, in turns, on a
terminal of 100 columns that nobody looks at.

    live.py --linn build/release/tool/linn [--rounds 5] -- COMMAND [-- COMMAND]...

The CPU time of linn itself, without that of the program, in percent of one processor over the time that the program took; and the
difference between the medians, which the view makes.
"""
import argparse
import json
import os
import pty
import random
import statistics
import struct
import fcntl
import subprocess
import tempfile
import termios
import threading
import time

from programs import split


def drain(end):
    """Somebody has to read what is shown."""
    while True:
        try:
            if not os.read(end, 65536):
                return
        except OSError:
            return


def record(linn, command, is_live, folder):
    """Linn's own CPU seconds, and those that passed."""
    trace = os.path.join(folder, "trace")
    pid, end = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm"
        os.execv(linn, [linn, "record", "-q", "--no-baseline", "--no-calibration", *(["--live"] if is_live else []), "-o", trace,
                        "--", *command])
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    reader = threading.Thread(target=drain, args=(end,))
    reader.start()
    start = time.monotonic()
    _, _, used = os.wait4(pid, 0)
    seconds = time.monotonic() - start
    reader.join()
    os.close(end)
    facts = os.path.join(folder, "facts")
    subprocess.run([linn, "trace", trace, "--json", facts], check=True, stdout=subprocess.DEVNULL)
    with open(facts, encoding="utf-8") as file:
        data = json.load(file)
    own = used.ru_utime + used.ru_stime - (data["user_ns"] + data["system_ns"]) / 1e9
    return own, seconds, data["events"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--linn", required=True, type=os.path.abspath)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("words", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    for command in split(arguments.words):
        shares = {False: [], True: []}
        rates = []
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(arguments.rounds):
                for is_live in chance.sample([False, True], 2):
                    own, seconds, events = record(arguments.linn, command, is_live, folder)
                    shares[is_live].append(100 * own / seconds)
                    rates.append(events / seconds)
        without, live = (statistics.median(shares[is_live]) for is_live in (False, True))
        print(f"{' '.join(command)[:60]}: {statistics.median(rates):.3g} events/s; linn without the view {without:.2f} % of a "
              f"processor, with it {live:.2f} %: {live - without:+.2f}; without {sorted(round(s, 2) for s in shares[False])}, "
              f"with {sorted(round(s, 2) for s in shares[True])}", flush=True)


if __name__ == "__main__":
    main()
