# SPDX-License-Identifier: Apache-2.0
"""`linn compare --history`: results made here, in a folder, with steps that are known."""
import csv
import io
import json

import browser
import cases
from cases import check, prose
from compare_cases import bench, run

STEPPED = ("pipeline", "linn", "flat_out")


class Tool(cases.Tool):
    def history(self, results, *words, status=0):
        folder = self.folder / "results"
        folder.mkdir(exist_ok=True)
        for i, result in enumerate(results):
            if isinstance(result, dict):
                # Named against their order: it is the date that counts.
                (folder / f"{len(results) - i}.json").write_text(json.dumps(result | {"started": f"2026-01-{i + 1:02}T00:00:00Z"}))
            else:
                (folder / f"{len(results) - i}.json").write_text(result)
        return self.call("compare", "--history", folder, *words, status=status)


def stepped(results=6, at=3, factor=1.2):
    """So many results, where one row is slower from the one with index `at` on."""
    return [bench({STEPPED[:2]: factor} if i >= at else None, seed=i + 1) for i in range(results)]


def case_step(tool):
    """The step is found in its row and at its result, with its size, and nowhere else."""
    result = json.loads(tool.history(stepped(), "--json", "-").stdout)
    check(result["schema"] == "linn.history/1" and [f["path"].rpartition("/")[2] for f in result["files"]] ==
          [f"{6 - i}.json" for i in range(6)], result["files"])
    steps = [(row["scenario"], row["contender"], row["measure"], p["file"], p["verdict"]) for row in result["rows"] for p in row["points"]
             if p["verdict"] not in (None, "unchanged")]
    check(steps == [(*STEPPED, 3, "regression")], steps)
    row = result["rows"][0]
    check(len(row["points"]) == 6 and 0.18 < row["points"][3]["change"] < 0.22 and row["steps"] == 1, row)
    text = prose(tool.history(stepped()).stdout)
    check("1 certain step in 9 rows over 6 results; the largest is pipeline, make_shared on linn, flat_out: +" in text and
          "in 3.json" in text, text)


def case_no_step(tool):
    """Noise alone makes no step, over many results."""
    done = tool.history([bench(seed=i + 1) for i in range(12)])
    check(done.stdout.startswith("No certain step in 9 rows over 12 results."), done.stdout)


def case_up_and_down(tool):
    results = [bench({STEPPED[:2]: f} if f != 1 else None, seed=i + 1) for i, f in enumerate((1, 1.3, 1.3, 0.8, 0.8))]
    row = json.loads(tool.history(results, "--json", "-").stdout)["rows"][0]
    check([p["verdict"] for p in row["points"]] == [None, "regression", "unchanged", "improvement", "unchanged"], row["points"])
    check("2 certain steps" in tool.history(results).stdout, "the verdict")


def case_machines(tool):
    """Another machine in between: ratios to the reference, which it does not change."""
    results = [bench(seed=i + 1, cpu="CPU A" if i < 3 else "CPU B", machine=1 if i < 3 else 2) for i in range(6)]
    result = json.loads(tool.history(results, "--json", "-").stdout)
    check(result["by"] == "ratio" and all(row["steps"] == 0 and row["unit"] == "ratio" for row in result["rows"]), result["by"])
    moved = json.loads(tool.history(results, "--by", "absolute", "--json", "-").stdout)
    check(all(row["steps"] == 1 for row in moved["rows"]), "without ratios every row has the step of the machine")


def case_what_does_not_belong(tool):
    """Other files of the folder are left out with the reason; results of linn run have a history too."""
    results = [run(seed=1), "no JSON", run(seed=2, program="/usr/bin/other"), bench(seed=1), run(seed=3)]
    done = tool.history(results, "--only", "jemalloc")
    text = prose(done.stdout)
    check("over 2 results" in text and "measured different things" in text and "not valid JSON" in text and
          'of schema "linn.bench/1"' in text, text)
    rows = list(csv.DictReader(io.StringIO(tool.history(results, "--csv", "-").stdout)))
    check({row["contender"] for row in rows} == {"default", "jemalloc", "tcmalloc"} and {row["result"] for row in rows} == {"1", "2"}, rows[0])


def case_page(tool):
    page = tool.folder / "history.html"
    done = tool.history(stepped(), "--html", page, "--markdown", tool.folder / "h.md")
    check("| " in (tool.folder / "h.md").read_text(), "the Markdown")
    for width in (100, 80, 60):
        done = tool.call("compare", "--history", tool.folder / "results", status=0, env={"COLUMNS": str(width)})
        check(all(len(line) <= width for line in done.stdout.splitlines()), done.stdout)
    check(page.read_text().count('class="curve-panel') == 9, "a panel for each row")
    program = browser.find()
    if not program:
        return
    with browser.Browser(program) as chromium:
        for width in (1440, 390):
            shown = chromium.open(page, width=width)
            check(shown.complaints == [] and shown.evaluate("document.documentElement.scrollWidth") <= width, shown.complaints)
            ticks = shown.evaluate("Array.from(document.querySelector('.curve-panel').querySelectorAll('.tick'), (t) => t.textContent).join()")
            check("1,3,5" in ticks, ticks)


def case_usage(tool):
    good = tool.folder / "good"
    good.mkdir()
    one = tool.folder / "one"
    one.mkdir()
    (one / "a.json").write_text(json.dumps(bench()))
    tool.refuses(["compare"], [
        (["--history", "missing"], "--history missing: No such file"),
        (["--history", good], "no file ends in .json"),
        (["--history", one], "1 of 1 file can be compared, and a history needs two"),
        (["--history", one, "a.json", "b.json"], "not both"),
        (["--history", one, "--fail-on", "any"], "--history and --fail-on cannot be combined"),
        (["--history", one, "--per", "allocations"], "--per is for traces of linn record, not for --history"),
    ])
