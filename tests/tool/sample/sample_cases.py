# SPDX-License-Identifier: Apache-2.0
"""Promise: a sampled recording gives unbiased estimates with intervals that hold, of releases only those of sampled blocks, and
no command takes it for the whole. Without these tests a sample would be read as if nothing else had been allocated."""
import json
import struct

import cases
from cases import check, prose, rows_of

MEAN = 16384


class Tool(cases.Tool):
    limit = 100

    def __init__(self, given, folder):
        super().__init__(given, folder)
        self.file = str(folder / "a.linn")

    def record(self, program, *arguments, mean=MEAN, options=()):
        """Records and returns what the program says of itself."""
        done = self.call("record", "-o", self.file, "--sample", str(mean), *options, "--", self.programs[program], *arguments, status=0)
        return json.loads(done.stdout)

    def advice(self):
        return json.loads(self.call("advise", self.file, "--json", "-", status=0).stdout)

    def trace(self):
        return json.loads(self.call("trace", self.file, "--json", "-", status=0).stdout)


def statistics_of(advice, name):
    found = [t["statistics"] for t in advice["types"] if t["type"] == name or t["allocated"] == name]
    check(found, f"no {name} among {[(t['label'], t['type']) for t in advice['types']]}")
    return found[0]


TYPES = ("small_point", "medium_record", "large_image", "round_shape")


def holds(statistics, truth):
    return statistics["sample"]["bytes_low"] <= truth <= statistics["sample"]["bytes_high"]


def case_bytes_by_type(tool):
    """Of all intervals of all recordings, how many hold the truth."""
    held, recordings = 0, 10
    for _ in range(recordings):
        truth = tool.record("sampled")
        advice = tool.advice()
        for name in TYPES:
            s = statistics_of(advice, name)
            held += holds(s, truth[name])
            # Far from it, whatever the interval: eight standard errors.
            check(abs(s["bytes"] - truth[name]) < 8 * (MEAN * truth[name]) ** 0.5, (name, s["bytes"], truth[name]))
            check(s["sizes"][0]["count"] == s["allocations"] and s["bytes"] == s["allocations"] * s["sizes"][0]["bytes"], s)
    # Of 40 such intervals fewer than 32 hold with a chance of one in 2000 at most.
    check(held >= recordings * len(TYPES) * 0.8, f"{held} of {recordings * len(TYPES)} intervals hold")


def case_operators_of_a_library(tool):
    """The bytes of a block that a library's operator new gets by malloc count once."""
    truth = tool.record("sh", "-c", 'LD_PRELOAD="$LD_PRELOAD:$0" exec "$1"', tool.programs["few_operators"], tool.programs["sampled"])
    check(tool.trace()["sample"]["bytes"] < 1.05 * sum(truth.values()), "more than the truth")


def case_releases(tool):
    tool.record("sampled")
    advice = tool.advice()
    for name in TYPES:
        s = statistics_of(advice, name)
        check(s["releases"] == s["allocations"] and s["live_at_end"] == 0 and s["live_bytes_at_end"] == 0, s)
        check(s["remote_releases"] == s["releases"], s)  # by the thread that destroys
        check(s["temporary"] is None and s["outgrown"] is None and s["longest_burst"] is None, s)
        check(s["peak_live"] == s["allocations"] and s["threads"] >= 1, s)
    check(advice["unknown_releases"] == 0 and advice["unseen_releases"] == 0, advice["unknown_releases"])
    check(advice["trace"]["sample_bytes"] == MEAN and advice["all"]["sample"]["blocks"] > 100, advice["trace"])
    check(advice["findings"] == [] or all(f["kind"] != "leak" for f in advice["findings"]), advice["findings"])


def case_realloc(tool):
    truth = tool.record("sampled", mean=4096)
    result = tool.trace()
    check(result["kinds"]["reallocation"]["count"] == 0, result["kinds"])
    calls = result["kinds"]["allocation"]["calls"]
    # 400 sizes up to 400 KB: nearly all are in the sample, and each but the last is released by realloc.
    check(300 < calls["realloc"] <= 400, calls)
    check(result["kinds"]["release"]["calls"]["realloc"] >= calls["realloc"] - 2, result["kinds"]["release"])
    grown = [t for t in tool.advice()["types"] if any(p["function"] and "grow" in p["function"] for p in t["places"])]
    check(grown and abs(grown[0]["statistics"]["bytes"] - truth["grow"]) < 0.05 * truth["grow"], (grown, truth["grow"]))


def case_fork(tool):
    # The child releases copies: its parent's blocks live on, until the parent does.
    tool.record("sampled", "fork")
    advice = tool.advice()
    s = statistics_of(advice, "small_point")
    check(s["releases"] == s["allocations"] and s["live_at_end"] == 0, s)
    check(advice["inherited_releases"] > 100 and advice["unknown_releases"] == 0, advice["inherited_releases"])


def case_types_of_a_stripped_program(tool):
    # The name is read out of a block when its thread allocates next, though that block is not in the sample: later another
    # type is there.
    truth = tool.record("stripped", "exchange", mean=2048)
    s = statistics_of(tool.advice(), "round_shape")
    check(0.5 * truth["round_shape"] < s["bytes"] < 1.5 * truth["round_shape"], (s, truth))


def case_all_blocks(tool):
    # With a byte between points nothing is left out and nothing is uncertain.
    truth = tool.record("sampled", mean=1)
    advice = tool.advice()
    for name in TYPES:
        s = statistics_of(advice, name)
        check(s["bytes"] == truth[name], (name, s["bytes"], truth[name]))
        check(s["sample"]["bytes_high"] - s["sample"]["bytes_low"] < 1, s["sample"])


def case_trace(tool):
    truth = tool.record("sampled")
    total = sum(truth.values())
    result = tool.trace()
    check(result["format"] == 2 and result["recording"]["sample_bytes"] == MEAN, result["format"])
    sample = result["sample"]
    check(sample["blocks"] == result["kinds"]["allocation"]["count"], sample)
    check(abs(sample["bytes"] - total) < 0.1 * total and sample["bytes_low"] < sample["bytes"] < sample["bytes_high"], (sample, total))
    text = prose(tool.call("trace", tool.file, status=0).stdout)
    check("Sample: about one block in 16.0 KiB:" in text, text)
    lines = tool.call("trace", tool.file, "--convert", "collapsed", status=0).stdout.splitlines()
    weight = sum(int(line.rsplit(" ", 1)[1]) for line in lines)
    check(abs(weight - sample["bytes"]) < 0.01 * sample["bytes"], (weight, sample["bytes"]))
    rows = rows_of(tool.call("trace", tool.file, "--convert", "csv", status=0).stdout)
    bytes_ = sum(float(r["weight"]) * int(r["bytes"]) for r in rows if r["event"] == "allocation")
    check(abs(bytes_ - sample["bytes"]) < 0.001 * sample["bytes"] and all(r["weight"] == "" for r in rows if r["event"] == "release"), bytes_)


def case_report(tool):
    tool.record("sampled")
    done = tool.call("advise", tool.file, "--html", "a.html", status=0)
    text = prose(done.stdout)
    check("bytes, 95 %" in text and f"recorded with --sample {MEAN}: counts, bytes and what is live are estimates" in text, text)
    page = (tool.folder / "a.html").read_text()
    check("bytes, 95 %" in page, "the page has no column of intervals")


def case_refusals(tool):
    tool.record("sampled")
    program = tool.programs["sampled"]
    tool.refuses(["try"], [([tool.file, "--", program], ["holds a sample of the blocks, one in 16384 bytes", "record without --sample"])])
    # Who does not know of weights refuses the file by its version.
    with open(tool.file, "rb") as file:
        check(struct.unpack("<8sI", file.read(12))[1] == 2, "the version")


def case_too_little(tool):
    done = tool.call("record", "-o", tool.file, "--sample", str(1 << 40), "--", "/bin/true", status=0)
    check("no block is in the sample: the program allocated too little for --sample 1099511627776" in prose(done.stderr), done.stderr)
    check("linn record: next" not in done.stderr, done.stderr)
    tool.call("advise", tool.file, status=0)
