# SPDX-License-Identifier: Apache-2.0
"""`linn record --fills` and `linn advise` on programs whose fills are known."""
import collections
import json
import pathlib
import re
import subprocess

import cases
from cases import check, prose, rows_of, skip, skip_without

LINE = 100_008  # sizeof(cache_line)
SHARED = "std::shared_ptr<{}>"


class Tool(cases.Tool):
    def call(self, *words, status=0, **more):
        return super().call(*words, status=status, **more)

    def fills(self, *words, program="filled", options=(), lacks=None):
        """What advise says of the fills, and the JSON."""
        file = self.folder / "fills.json"
        done = self.call("record", "--fills", "-o", "trace.linn", *options, "--", self.programs.get(program, program), *words)
        check(done.stdout == "" and done.stderr.endswith("next: linn advise trace.linn\n"), f"{done}")
        check("nothing was recorded" not in done.stderr and "warning" not in done.stderr, done.stderr)
        return self.call("advise", "trace.linn", "--json", file).stdout, cases.result_of(file.read_text(), lacks)


def by_label(result):
    found = collections.Counter()
    for row in result["places"]:
        found[row["label"]] += row["fills"]
    return dict(found)


def expect(result, labels):
    check(by_label(result) == labels, f"{by_label(result)} in place of {labels}")
    check(result["fills"] == sum(labels.values()), f"{result['fills']} fills in all")
    check(result["bytes"] == sum(row["bytes"] for row in result["places"]), f"{result['bytes']} bytes in all")
    check(result["dropped"] == 0, f"{result['dropped']} dropped")


MAKERS = {SHARED.format("cache_line"): 3, "std::unique_ptr<cache_line>": 1, "cache_line": 1,
          SHARED.format("cleared_line"): 1, "std::vector<char>": 2}


def makers(tool, program):
    text, result = tool.fills("makers", program=program)
    # A namespace without a name is none of the reader's interest.
    for row in result["places"]:
        for member in ("label", "type", "mend"):
            row[member] = row[member].replace("(anonymous namespace)::", "")
    expect(result, MAKERS)
    rows = {row["label"]: row for row in result["places"]}
    first = result["places"][0]
    check(first["label"] == SHARED.format("cache_line") and first["place"]["file"].endswith("filled.cpp"), f"{first}")
    check(first["bytes"] in (3 * LINE, 3 * 100_000), f"{first['bytes']} bytes")  # clang leaves out what is written anyway
    check(first["mend"] == "std::make_shared_for_overwrite<cache_line>()", first["mend"])
    check("+ keep(std::make_shared_for_overwrite<cache_line>().get());" in first["change"], f"{first['change']}")
    check(first["time_ns"] > 0 and first["candidate"], f"{first}")
    cleared = rows[SHARED.format("cleared_line")]
    check(re.match(r"a constructor that leaves these bytes alone: .*cleared_line.* writes them at filled.cpp:\d+$",
                   cleared["mend"]), cleared["mend"])
    check(rows["cache_line"]["mend"] == "new without ()", f"{rows['cache_line']}")
    check(rows["std::vector<char>"]["bytes"] in (100_000, 99_998), f"{rows['std::vector<char>']}")
    check(re.match(r"8 fills wrote \S+ [KM]iB of zeros into fresh blocks, .+ of the run; \d+ % of it in "
                   r"std::shared_ptr<.*cache_line> at filled\.cpp:\d+\.", prose(text)), text)
    return result


def case_optimised(tool):
    notes = makers(tool, "filled")["notes"]
    check(any(note.startswith("zeros that the compiler wrote inline") for note in notes), f"{notes}")


def case_not_optimised(tool):
    makers(tool, "filled_debug")


def case_clang(tool):
    skip_without("clang++-19")
    program = tool.folder / "by_clang"
    source = pathlib.Path(__file__).parent / "programs" / "filled.cpp"
    subprocess.run(["clang++-19", "-std=c++20", "-O2", "-g", "-pthread", source, "-o", program], check=True)
    makers(tool, program)


def case_stripped(tool):
    """Without debug information the symbols name what is shared; without symbols there are sizes."""
    skip_without("strip")
    program = tool.folder / "stripped"
    subprocess.run(["strip", "--strip-debug", "-o", program, tool.programs["filled"]], check=True)
    text, result = tool.fills("makers", program=program)
    check(result["fills"] == 8 and result["places"][0]["fills"] == 3, f"{result['places']}")
    check("cache_line" in result["places"][0]["label"], f"{result['places'][0]}")
    subprocess.run(["strip", "--strip-all", "-o", program, tool.programs["filled"]], check=True)
    text, result = tool.fills("makers", program=program)
    check(result["fills"] == 8, f"{result['places']}")


def case_calls(tool):
    for program in ("filled", "filled_debug"):
        result = tool.fills("calls", program=program, lacks=())[1]
        check(result["fills"] == 20 and result["bytes"] == 400_000, f"{program}: {result}")
        check(sum(row["fills"] for row in result["places"] if row["mend"].startswith("no memset")) == 20, f"{result}")
        zeroed = [row for row in result["places"] if "calloc has zeroed" in row["mend"]]
        check(len(zeroed) == 1 and zeroed[0]["fills"] == 5, f"{program}: {zeroed}")


def case_checked(tool):
    """Fortified programs call __memset_chk."""
    symbols = subprocess.run(["nm", "-D", tool.programs["filled_fortified"]], capture_output=True, text=True)
    if "__memset_chk" not in symbols.stdout:
        skip("this compiler fortifies nothing")
    result = tool.fills("checked", program="filled_fortified")[1]
    check(result["fills"] == 7 and result["bytes"] == 7 * 39_000, f"{result}")
    makers(tool, "filled_fortified")


def case_threads(tool):
    result = tool.fills("threads")[1]
    check(result["fills"] == 100 and result["bytes"] == 3_000_000, f"{result}")


def case_forks(tool):
    result = tool.fills("forks")[1]
    check(result["fills"] == 7 and result["bytes"] == 210_000, f"{result}")


def case_sizes(tool):
    for options, count in (((), 2), (("--min-fill", "257"), 4), (("--min-fill", "5001"), 0)):
        text, result = tool.fills("sizes", options=options)
        check(result["fills"] == count, f"{options}: {result}")
        if count == 0:
            check(text.startswith("No out-of-line zero fill of 5001 bytes or more into a fresh block was seen."), text)


def case_nothing(tool):
    """A constructor of one's own: no fill is invented, and nothing is a result."""
    text, result = tool.fills("nothing")
    check(result["fills"] == 0 and result["places"] == [], f"{result}")
    check(text.startswith("No out-of-line zero fill of 1024 bytes or more into a fresh block was seen."), text)


def case_trace(tool):
    """The trace holds the filled blocks alone."""
    _, result = tool.fills("calls")
    summary = tool.folder / "summary.json"
    tool.call("trace", "trace.linn", "--json", summary)
    trace = json.loads(summary.read_text())
    check(trace["recording"]["contents"] == "fills" and trace["recording"]["smallest_fill"] == 1024, f"{trace['recording']}")
    kinds = {kind: of["count"] for kind, of in trace["kinds"].items()}
    # Two of the fills are in one block.
    check(kinds == {"allocation": 15, "release": 0, "reallocation": 0, "failure": 0, "fill": 20}, f"{kinds}")
    tool.call("advise", "trace.linn", "--html", "fills.html")
    page = (tool.folder / "fills.html").read_text()
    check("Which zeros are written for nothing?" in page and "Do pools help" not in page, "the page is not that of the fills")
    lines = rows_of(tool.call("advise", "trace.linn", "--csv", "-").stdout)
    check([(line["label"], int(line["fills"]), int(line["bytes"])) for line in lines]
          == [(place["label"], place["fills"], place["bytes"]) for place in result["places"]], f"{lines}")


def case_all_events(tool):
    """Without --fills the fills are among the other events, and as many."""
    tool.call("record", "-o", "trace.linn", "--", tool.programs["filled"], "makers")
    advice = json.loads(tool.call("advise", "trace.linn", "--json", "-").stdout)
    check(advice["all"]["zero_fills"] == 8, f"{advice['all']}")
    check(advice["all"]["zero_fill_ns"] > 0, f"{advice['all']}")
    check(advice["trace"]["contents"] == "all", f"{advice['trace']}")


def case_usage(tool):
    program = tool.programs["filled"]
    tool.call("record", "--fills", "--min-fill", "3", "--", program, status=2)
    quiet = tool.call("record", "--fills", "-q", "-o", "q.linn", "--", program, "calls")
    check(quiet.stderr == "", quiet.stderr)
    check((tool.folder / "q.linn").exists(), "no trace")


def case_instructions(tool):
    """What a memset costs that is no fill, by callgrind: not more than a few instructions over its own."""
    each = tool.instructions_of_recorder(20_000, tool.programs["filled"], "memsets")
    check(0 < each <= 12, f"{each} instructions a memset, 12 are allowed")
