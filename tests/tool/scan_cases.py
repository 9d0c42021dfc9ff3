# SPDX-License-Identifier: Apache-2.0
"""`linn run --scan`: a program under every allocator for several values of its arguments."""
import csv
import io
import json

import browser
import cases
from cases import check, prose


class Tool(cases.Tool):
    def __init__(self, given, folder):
        super().__init__(given, folder)
        self.program = self.programs["allocates"]
        self.few = ["--rounds", "2", "--warm-up", "0", "--allocator", "mine=" + self.libraries["malloc_only"], "--only", "mine"]

    def scan(self, *words, status=0, **more):
        return self.call("run", *self.few, *words, status=status, **more)


def case_points(tool):
    """Every value is measured with its own argument; the JSON holds each run whole, in the schema of a run."""
    result = json.loads(tool.scan("--scan", "n=100,1000", "--json", "-", "--", tool.program, "{n}").stdout)
    check(result["schema"] == "linn.run-scan/1" and result["complete"] and result["planned"] == 2, result["schema"])
    check(result["parameters"] == [{"name": "n", "values": ["100", "1000"]}], result["parameters"])
    for point, n in zip(result["points"], ("100", "1000"), strict=True):
        run = point["run"]
        check(point["values"] == {"n": n} and run["schema"] == "linn.run/1", point["values"])
        check(run["program"]["arguments"][-1] == n, run["program"])
        check({row["name"] for row in run["rows"]} == {"default", "default-again", "mine"}, "the rows")
        check(all(len(row["samples"]) == 2 for row in run["rows"]), "the rounds")


def case_combinations(tool):
    """Several scans are all combinations; a placeholder may stand anywhere in a word, and in --prepare."""
    done = tool.scan("--scan", "n=10,20", "--scan", "m=1,2,3", "--prepare", "echo {m} >> prepared", "--csv", "-", "--", tool.program,
                     "{n}{m}")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    points = [(n, m) for n in ("10", "20") for m in ("1", "2", "3")]
    check(list(dict.fromkeys((row["n"], row["m"]) for row in rows)) == points, rows[0])
    check(all(row["command"].endswith(row["n"] + row["m"]) for row in rows), rows[0])
    check(set((tool.folder / "prepared").read_text().split()) == {"1", "2", "3"}, "--prepare")


def case_report(tool):
    page = tool.folder / "scan.html"
    words = ["--scan", "n=100,1000,10000", "--html", page, "--", tool.program, "{n}"]
    done = tool.fits((100, 80, 60), "run", *tool.few, *words, apart=lambda line: "/" in line)
    lines = done.stdout.splitlines()
    for n in ("100", "1000", "10000"):
        check(sum(line.split()[:1] == [n] for line in lines) == 2, f"a row of time and one of memory for {n}: {done.stdout}")
    check("2 rounds are too few to compare 1 allocator at 3 points" in prose(done.stdout), lines[0])
    text = page.read_text()
    check(text.count('class="curves"') == 2 and "n = 1000" in text, "the plots of time and memory, and each point")
    program = browser.find()
    if not program:
        return
    with browser.Browser(program) as chromium:
        for width in (1440, 390):
            shown = chromium.open(page, width=width)
            check(shown.complaints == [] and shown.requests == ["file://" + str(page)], shown.complaints)
            check(shown.evaluate("document.documentElement.scrollWidth") <= width, "the page scrolls sideways")
            check(shown.evaluate("document.querySelectorAll('.curve-panel').length") == 4, "a panel for each contender")


def case_words_have_no_plot(tool):
    page = tool.folder / "scan.html"
    done = tool.scan("--scan", "mode=0,1", "--html", page, "--", tool.program, "1{mode}")  # 0 is no place of a logarithmic axis
    check('class="curves"' not in page.read_text() and "There is no plot" in page.read_text(), "the page")
    check("mode" in done.stdout, done.stdout)


def case_ends_early(tool):
    """A point that cannot be measured is named; those before it are kept."""
    out = tool.folder / "scan.json"
    done = tool.scan("--scan", "word=true,false,true --version", "--json", out, "--", "sh", "-c", "{word}", status=1)
    check("word = false: " in done.stderr, done.stderr)
    result = json.loads(out.read_text())
    check([p["values"]["word"] for p in result["points"]] == ["true"] and not result["complete"], result["points"])
    check("1 of 3 points were measured" in prose(done.stdout), done.stdout)


def case_usage(tool):
    many = ",".join(map(str, range(101)))
    tool.refuses(["run"], [
        (["--scan", "n", "--", "true", "{n}"], "--scan must be NAME=VALUE,VALUE,..., such as n=1,2,4, not 'n'"),
        (["--scan", "=1", "--", "true"], "--scan must be NAME="),
        (["--scan", "n=1,,2", "--", "true", "{n}"], "a value is empty"),
        (["--scan", "n=", "--", "true", "{n}"], "a value is empty"),
        (["--scan", "n=1,1", "--", "true", "{n}"], "1 is given twice"),
        (["--scan", "n=1,2", "--", "true", "n"], "--scan n: nothing holds {n}"),
        (["--scan", "n=1", "--scan", "n=2", "--", "true", "{n}"], "--scan n is given twice"),
        (["--scan", f"n={many}", "--", "true", "{n}"], "more than 100 combinations"),
    ])
