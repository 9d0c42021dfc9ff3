# SPDX-License-Identifier: Apache-2.0
"""`linn compare` of two traces: recordings of the program of programs/ledger.cpp and of its next version."""
import subprocess

import cases
from cases import check, prose, rows_of


class Tool(cases.Tool):
    def record(self, program, *arguments, name=None, options=()):
        trace = self.folder / (name or f"{program}.linn")
        self.call("record", "-q", "--no-baseline", *options, "-o", trace, "--", self.programs[program], *arguments, status=0)
        return trace

    def result(self, old, new, *words, status=0):
        return cases.result_of(self.call("compare", old, new, "--json", "-", *words, status=status).stdout, lacks=())


def case_no_difference(tool):
    """Two recordings of one program differ in nothing, also with all that a program does at its start."""
    traces = [tool.record("ledger", "300", name=name) for name in ("a.linn", "b.linn")]
    result = tool.result(*traces, "--fail-over", "0")
    check(not result["differs"] and result["types"] == result["places"] == result["stacks"] == [], result)
    check(result["unchanged"]["types"] >= 3 and result["all"]["old"]["allocations"] > 600, result)
    done = tool.call("compare", *traces, status=0)
    check(done.stdout.startswith("No difference: ") and len(done.stdout.splitlines()) <= 4, done.stdout)


def case_added_allocation_is_first(tool):
    """The next version, another build with other lines: the copy in the loop comes first, and nothing that only moved."""
    old, new = tool.record("ledger", "100"), tool.record("ledger_changed", "100")
    result = tool.result(old, new)
    first = result["types"][0]
    check("Copy" in first["type"] and first["change"] == "new" and first["new"]["allocations"] == 300, first)
    check(result["stacks"][0]["stack"][0]["function"].find("Copy") >= 0 or
          any("copied" in f["function"] for f in result["stacks"][0]["stack"]), result["stacks"][0])
    changes = {row["type"]: row for row in result["types"]}
    gone = [t for t, row in changes.items() if row["change"] == "gone"]
    check(any("Audit" in t for t in gone), changes.keys())
    entry = next(row for t, row in changes.items() if "Entry" in t)
    check(entry["change"] == "grown" and entry["changed_in"] == "bytes" and
          entry["old"]["allocations"] == entry["new"]["allocations"] == 100, entry)
    check(not any("Request" in t for t in changes), f"a type that only moved: {changes.keys()}")
    text = prose(tool.call("compare", old, new, status=0).stdout)
    check("more allocations" in text and "Copy" in text.split(" Compared:")[0], text)


def case_per_unit_of_work(tool):
    """Twice the work is no growth when it is divided by the work, in each of the units."""
    old, new = tool.record("ledger", "500", name="a.linn"), tool.record("ledger", "1000", name="b.linn")
    plain = tool.result(old, new)
    check(plain["types"][0]["change"] == "grown" and any("other arguments" in w for w in plain["warnings"]), plain["warnings"])
    tool.call("compare", old, new, "--fail-over", "10", status=1)
    request = next(row["type"] for row in plain["types"] if "Request" in row["type"])
    for per in ("500:1000", f"type={request}", "allocations"):
        done = tool.call("compare", old, new, "--per", per, "--fail-over", "10", status=0)
        words = {"500:1000": "500 in the old one, 1000 in the new one", "allocations": "per 1000 allocations"}
        check(words.get(per, f"per allocation of {request}") in prose(done.stdout), done.stdout)
    result = tool.result(old, new, "--per", f"type={request}")
    entry = {row["type"]: row for row in result["types"]}
    check(request not in entry, "the unit itself differs per unit")
    check(abs(result["all"]["new"]["allocations"] - 2) < 0.1, result["all"])


def case_threshold(tool):
    """It is a share of the old value, as the table has it; what it leaves out is no proof of equality."""
    old, new = tool.record("ledger", "100", name="a.linn"), tool.record("ledger", "250", name="b.linn")
    request = {row["type"]: row for row in tool.result(old, new, "--threshold", "149")["types"]}["std::unique_ptr<ledger::Request>"]
    check(request["change"] == "grown" and request["new"]["allocations"] == 250, request)
    check(not tool.result(old, new, "--threshold", "151")["differs"], "what grew by 150 %")
    hidden = tool.call("compare", old, new, "--threshold", "151", status=0).stdout
    totals = tool.result(old, new)["all"]
    check("No difference" not in hidden and all(f"{totals[side]['allocations']:.0f}" in hidden for side in totals), hidden)


def case_line_of_a_place(tool):
    """A place is a function: it has a line only where all of its blocks come from that one."""
    old = tool.record("ledger", "100", name="a.linn")
    for program, requests, function, has_line in (("ledger", "200", "serve", False), ("ledger_changed", "100", "copied", True)):
        places = tool.result(old, tool.record(program, requests, name="b.linn"))["places"]
        line = next(row["place"]["line"] for row in places if function in row["place"]["function"])
        check((line is not None) == has_line, places)


def case_fail_over(tool):
    old, new = tool.record("ledger", "100"), tool.record("ledger_changed", "100")
    done = tool.call("compare", old, new, "--fail-over", "5", status=1)
    check("Over the limit" in done.stdout and "Copy" in done.stdout and "allowed are 5 %" in prose(done.stdout), done.stdout)
    result = tool.result(old, new, "--fail-over", "count=299", status=1)
    check(any("Copy" in line and "+300" in line for line in result["broken"]), result["broken"])
    tool.call("compare", old, new, "--fail-over", "count=300", status=0)
    tool.call("compare", new, old, "--fail-over", "0", "--measure", "bytes", status=1)  # Audit is back
    tool.call("compare", old, new, status=0)


def case_leaks(tool):
    """What is never released is compared too, as the measure that is asked for."""
    old, new = tool.record("ledger", "50", name="a.linn"), tool.record("ledger", "50", "12345", name="b.linn")
    result = tool.result(old, new, "--measure", "live-bytes")
    check(result["types"][0]["new"]["live_bytes"] == 12345 and len(result["types"]) == 1, result["types"])
    check("12.1 KiB" in tool.call("compare", old, new, "--measure", "live-bytes", status=0).stdout, "the leak")


def case_forms(tool):
    old, new = tool.record("ledger", "100"), tool.record("ledger_changed", "100")
    tool.fits((100, 80, 60), "compare", old, new, apart=lambda line: line.startswith("    "))
    page, text = tool.folder / "change.html", tool.folder / "change.md"
    done = tool.call("compare", old, new, "--csv", "-", "--html", page, "--markdown", text, status=0)
    rows = rows_of(done.stdout)
    check({row["what"] for row in rows} == {"type", "place", "stack"}, rows[0])
    copy = next(row for row in rows if row["what"] == "type" and "Copy" in row["type"])
    check(copy["change"] == "new" and float(copy["new_allocations"]) == 300, copy)
    check("| " in text.read_text() and "<br>from main, ledger.cpp:" in text.read_text(), f"the Markdown: {text.read_text()}")
    check("Copy" in page.read_text(), "the page")


def case_other_files(tool):
    """What is no trace, is damaged, or of two kinds, is refused with the reason."""
    trace = tool.record("ledger", "20")
    result = tool.folder / "result.json"
    result.write_text("{}")
    damaged = tool.folder / "damaged.linn"
    content = bytearray(trace.read_bytes())
    content[len(content) // 2] ^= 0xFF
    damaged.write_bytes(content)
    tool.refuses(["compare"], [
        ([trace, result], ["result.json is not a linn trace: it looks like JSON", "is a trace: give two of a kind"]),
        ([trace, "none.linn"], "none.linn"),
        ([trace, damaged], "damaged.linn is damaged"),
        ([trace, trace, "--by", "ratio"], "--by is for results of bench or run, and"),
        ([result, result, "--per", "allocations"], "--per is for traces of linn record, and"),
        ([trace, trace, "--per", "0:5"], "--per must be"),
        ([trace, trace, "--per", "type=ledger::Requst"], "allocates no 'ledger::Requst'"),
    ])


def case_without_names(tool):
    """A program without symbols: its functions are unknown, all the same one in both recordings."""
    cases.skip_without("strip")
    stripped = tool.folder / "ledger"
    subprocess.run(["strip", "-o", stripped, tool.programs["ledger"]], check=True)
    tool.programs["stripped"] = str(stripped)
    traces = [tool.record("stripped", n, name=f"{n}.linn") for n in ("100", "200")]
    result = tool.result(*traces)
    check([row["place"]["function"] for row in result["places"]] == ["unknown in ledger"], result["places"])
    check("in ledger " in prose(tool.call("compare", *traces, status=0).stdout.split("Places")[1]), "the place")


def case_cut_off(tool):
    """A recording that was cut off is compared as far as it goes, and the report says so."""
    trace = tool.record("ledger", "200")
    short = tool.folder / "short.linn"
    short.write_bytes(trace.read_bytes()[:-40])
    done = tool.call("compare", trace, short, status=0)
    check("short.linn" in prose(done.stdout) and "looks like a difference" in prose(done.stdout), done.stdout)
