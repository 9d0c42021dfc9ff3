# SPDX-License-Identifier: Apache-2.0
"""`linn trace` with its filters and its page, on recordings of programs/stages.cpp, whose comment says what must come out."""
import gzip
import json
import shutil
import subprocess
import xml.etree.ElementTree

import browser
import cases
from cases import check, prose, rows_of


class Tool(cases.Tool):
    def record(self, *options, name="stages.linn", program="stages", arguments=()):
        trace = self.folder / name
        self.call("record", "-q", "--no-baseline", *options, "-o", trace, "--",
                  self.programs.get(program, program), *arguments, status=0)
        return trace

    def view(self, trace, *words):
        return cases.result_of(self.call("trace", trace, *words, "--json", "-", status=0).stdout, lacks=())


def types(result):
    return {row["type"]: row for row in result["types"]}


def counts(row):
    return (row["blocks"], row["bytes"])


def of(result, name):
    """The counts of the type of the program with this name; none is none."""
    found = [row for row in result["types"] if row["type"].endswith("stages::" + name)]
    check(len(found) <= 1, found)
    return counts(found[0]) if found else (0, 0)


def case_peak(tool):
    """What was live at the peak, and nothing that came before or after."""
    trace = tool.record()
    result = tool.view(trace, "--peak")
    check(of(result, "Held") == (50, 50 * 4096), types(result).keys())
    check(all(of(result, name) == (0, 0) for name in ("Early", "Brief", "Grown", "Lost")), types(result).keys())
    check(result["bytes"] == result["peak"]["bytes"] == sum(row["bytes"] for row in result["types"]), result["peak"])
    for rows in ("places", "stacks"):
        check(sum(row["bytes"] for row in result[rows]) == result["bytes"], rows)
    check(0 < result["peak"]["at_ns"] < result["duration_ns"], result["peak"])
    first = result["types"][0]
    check(first["type"].endswith("Held") and first["allocated"] == {"blocks": 50, "bytes": 50 * 4096}, first)
    stack = [f["function"] for f in result["stacks"][0]["stack"]]
    check(any("hold<stages::Held>" in f for f in stack) and "main" in stack, stack)
    text = prose(tool.call("trace", trace, "--peak", status=0).stdout)
    check("At its peak" in text and "Held" in text and "200" in text, text)


def case_temporary(tool):
    trace = tool.record()
    result = tool.view(trace, "--temporary")
    check(of(result, "Brief") == (300, 300 * 48) and of(result, "Grown") == (0, 0), types(result))
    blocks = [row["blocks"] for row in result["types"]]
    check(blocks == sorted(blocks, reverse=True), f"not by number: {blocks}")
    text = prose(tool.call("trace", trace, "--temporary", status=0).stdout)
    check("are temporary: the very next call of their thread released them" in text and "Brief" in text, text)
    # What advise counts by the same rule is the same number.
    advice = json.loads(tool.call("advise", trace, "--json", "-", status=0).stdout)
    told = [t for t in advice["types"] if t["label"].endswith("Brief")]
    check(len(told) == 1 and told[0]["statistics"]["temporary"] == 300, told)


def case_leaks(tool):
    trace = tool.record()
    result = tool.view(trace, "--leaks")
    check(of(result, "Lost") == (3, 3000) and len(result["types"]) == 1, types(result).keys())
    kept = sum(k["bytes"] for k in result["kept_by_runtime"])
    every = tool.view(trace, "--leaks", "--all-leaks")
    check(every["bytes"] == 3000 + kept and kept > 0, (every["bytes"], kept))
    text = prose(tool.call("trace", trace, "--leaks", status=0).stdout)
    check("stages never released 2.93 KiB in 3 blocks; 100 % of it is stages::Lost" in text, text)
    check("keeps on purpose" in text, text)
    text = prose(tool.call("trace", trace, "--leaks", "--all-leaks", status=0).stdout)
    check("keeps on purpose" not in text, text)


def case_forms(tool):
    """The terminal in three widths, CSV and Markdown say the same as JSON."""
    trace = tool.record()
    for filter in (["--peak"], ["--temporary"], ["--leaks"]):
        tool.fits((100, 80, 60), "trace", trace, *filter, apart=lambda line: line.startswith("    "))
        text = tool.folder / "view.md"
        done = tool.call("trace", trace, *filter, "--csv", "-", "--markdown", text, status=0)
        (tool.folder / "view.csv").write_text(done.stdout)
        rows = cases.csv_of(tool.folder / "view.csv", "trace --peak")
        result = tool.view(trace, *filter)
        for what in ("type", "place", "stack"):
            check(sum(int(r["bytes"]) for r in rows if r["what"] == what) == result["bytes"], what)
        check("| " in text.read_text() and "stages::" in text.read_text(), text.read_text())
    one = tool.call("trace", trace, "--peak", "--top", "1", status=0).stdout
    check("more types; --top shows more" in one, one)
    tool.call("trace", trace, "--csv", tool.folder / "view.csv", status=0)
    rows = cases.csv_of(tool.folder / "view.csv", "trace")
    check(sum(int(r["count"]) for r in rows) == json.loads(tool.call("trace", trace, "--json", "-").stdout)["events"], rows)


def case_exports(tool):
    """The forms for other programs take the same filters."""
    trace = tool.record()

    def collapsed(*words):
        lines = tool.call("trace", trace, "--convert", "collapsed", *words, status=0).stdout.splitlines()
        return {line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) for line in lines}

    peak = collapsed("--peak")
    check(sum(peak.values()) == tool.view(trace, "--peak")["bytes"], peak)
    check(any("hold<stages::Held>" in line for line in peak) and not any("flicker" in line for line in peak), peak)
    temporary = collapsed("--weight", "allocations", "--temporary")
    check(sum(n for line, n in temporary.items() if "flicker" in line) == 300, temporary)
    leaks = collapsed("--leaks")
    check(sum(leaks.values()) == 3000 and all("lose" in line for line in leaks), leaks)
    every = sum(collapsed("--leaks", "--all-leaks").values())
    check(every == tool.view(trace, "--leaks", "--all-leaks")["bytes"] > 3000, every)
    stacks = rows_of(tool.call("trace", trace, "--convert", "csv-stacks", "--temporary", status=0).stdout)
    check(all(int(s["temporary"]) > 0 for s in stacks) and
          sum(int(s["temporary_bytes"]) for s in stacks if "flicker" in s["frames"]) == 14400, stacks)
    path = tool.folder / "peak.pb.gz"
    tool.call("trace", trace, "--convert", "pprof", "--peak", "-o", path, status=0)
    profile = gzip.decompress(path.read_bytes())
    check(b"peak_space" in profile and b"peak_objects" in profile and b"alloc_space" not in profile, "the sample types")
    check(b"flicker" not in profile and b"hold<stages::Held>" in profile, "the stacks")


def case_refusals(tool):
    trace = tool.record()
    tool.refuses(["trace"], [
        ([trace, "--peak", "--leaks"], "cannot be combined"),
        ([trace, "--all-leaks"], "--leaks"),
        ([trace, "--convert", "csv", "--leaks"], "collapsed, pprof or csv-stacks"),
        ([trace, "--convert", "collapsed", "--json", "x"], "--json and --convert cannot be combined"),
        ([trace, "--convert", "collapsed", "--html", "x"], "--html and --convert cannot be combined"),
        ([trace, "--convert", "pprof", "-o", "x", "--weight", "time"], "--weight is for --convert collapsed"),
    ])
    sample = tool.record("--sample", "4096", name="sample.linn")
    done = tool.call("trace", sample, "--temporary", status=2)
    check("record the program again without --sample" in prose(done.stderr) and done.stdout == "", done.stderr)
    check(tool.view(sample, "--peak")["sample_bytes"] == 4096, "the peak of a sample")


def case_pages_of_all_kinds(tool):
    """A page of every kind of recording is well formed, and has what the recording knows."""
    page = tool.folder / "page.html"
    for trace in (tool.record(), tool.record("--sample", "4096", name="sample.linn")):
        tool.call("trace", trace, "--html", page, status=0)
        for title in ("Types", "Places", "Stacks"):
            check(page.read_text(encoding="utf-8").count(f">{title}</h") <= 1, f"the heading {title} is there twice")
        root = xml.etree.ElementTree.fromstring(page.read_text(encoding="utf-8"))
        graphs = [e for e in root.iter() if e.get("data-measures")]
        check(len(graphs) == 1, (trace, len(graphs)))
    nothing = tool.folder / "nothing.linn"
    tool.call("record", "-q", "--no-baseline", "-o", nothing, "--", "/bin/true", status=0)
    for words in ([], ["--peak"], ["--temporary"], ["--leaks"]):
        done = tool.call("trace", nothing, *words, "--html", page, "--csv", tool.folder / "x.csv", status=0)
        xml.etree.ElementTree.fromstring(page.read_text(encoding="utf-8"))
        check(done.stderr == "" and (not words or done.stdout == "true allocated nothing.\n"), done.stdout)


class Shown:
    """A page of the trace in a browser."""

    def __init__(self, tool, chromium, trace, *words, **options):
        self.path = tool.folder / "page.html"
        tool.call("trace", trace, *words, "--html", self.path, status=0)
        self.page = chromium.open(str(self.path), **options)
        check(self.page.complaints == [], self.page.complaints)
        check([u for u in self.page.requests if not u.startswith(("file://", "data:"))] == [], self.page.requests)

    def widths(self):
        """The boxes that are there, with their share of the whole."""
        return self.page.evaluate("""Object.fromEntries(Array.from(document.querySelectorAll(".flame span"))
            .filter((s) => s.offsetWidth > 0)
            .map((s) => [s.textContent, 100 * s.parentElement.offsetWidth / document.querySelector(".flame").offsetWidth]))""")

    def choose(self, word):
        self.page.evaluate("""(() => { const width = document.querySelector(".flame-tools select");
            width.value = Array.from(width.options).find((o) => o.text === %s).value;
            width.dispatchEvent(new Event("change")); })()""" % json.dumps(word))


def with_browser(run):
    program = browser.find()
    if not program:
        cases.skip("no browser")
    with browser.Browser(program) as chromium:
        run(chromium)


def case_page(tool):
    """The page of a recording: well formed, complete without scripts, the peak marked."""
    trace = tool.record()
    path = tool.folder / "page.html"
    tool.call("trace", trace, "--html", path, status=0)
    root = xml.etree.ElementTree.fromstring(path.read_text(encoding="utf-8"))
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    check(len(ids) == len(set(ids)) and {"time", "flame", "types", "places", "stacks", "events"} <= set(ids), ids)
    check(len(path.read_bytes()) < 600_000, len(path.read_bytes()))

    def look(chromium):
        page = chromium.open(str(path), scripts=False)
        names = page.evaluate("Array.from(document.querySelectorAll('.flame li > span'), (s) => s.title.split('\\n')[0])")
        check(any("hold<stages::Held>" in n for n in names) and any(n == "stages::Held" for n in names), names)
        check(page.evaluate("document.querySelectorAll('.timeline .peak').length") == 1, "the peak is not marked")
        check("at most" in page.evaluate("document.querySelector('.timeline .panel-title').textContent"), "the peak's figure")
        check(page.evaluate("document.querySelectorAll('button').length") == 0, "dead buttons")
    with_browser(look)


def case_views(tool):
    """By every measure, with the figures of the JSON."""
    trace = tool.record()
    result = json.loads(tool.call("trace", trace, "--leaks", "--all-leaks", "--json", "-", status=0).stdout)
    every = result["allocated"]

    def look(chromium):
        shown = Shown(tool, chromium, trace)
        shown.choose("bytes allocated")
        merged = shown.widths()
        wanted = 100 * 50 * 4096 / every["bytes"]
        check(abs(merged["stages::Held"] - wanted) < 0.5, (merged, wanted))
        shown.choose("allocations")
        check(abs(shown.widths()["stages::Brief"] - 100 * 300 / every["blocks"]) < 0.5, shown.widths())
        shown.choose("temporary allocations")
        check(shown.widths()["stages::Brief"] > 99, shown.widths())
        shown.choose("bytes at the peak")
        check("stages::Brief" not in shown.widths() and shown.widths()["stages::Held"] > 60, shown.widths())
        check(shown.page.complaints == [], shown.page.complaints)
    with_browser(look)


def case_keys(tool):
    """A search, a look at one box by the keyboard, and back."""
    trace = tool.record()

    def look(chromium):
        shown = Shown(tool, chromium, trace)
        page = shown.page
        page.evaluate("document.querySelector('.flame-tools input').focus()")
        page.call("Input.insertText", text="hold<")
        found = page.evaluate("document.querySelector('.flame-tools output').textContent")
        check(found.startswith("2 found, "), found)
        whole = shown.widths()
        page.evaluate("document.querySelector('.flame .found').focus()")
        check("hold<" in page.evaluate("document.querySelector('.readout').textContent"), "no line about the box")
        page.press("Enter", "\r")
        zoomed = shown.widths()
        looked = page.evaluate("document.activeElement.textContent")
        check(zoomed[looked] == 100 and zoomed != whole and not any("flicker" in n for n in zoomed), zoomed)
        page.click("document.querySelector('.flame-tools button')")
        check(shown.widths() == whole, "it does not come back")
        check(page.complaints == [], page.complaints)
    with_browser(look)


def case_screens(tool):
    """A phone, a wide screen, the dark scheme and paper."""
    trace = tool.record()

    def look(chromium):
        for width, words in ((360, []), (390, ["--peak"]), (1440, ["--leaks"])):
            page = Shown(tool, chromium, trace, *words, width=width, scheme="dark" if width == 390 else "light").page
            page.evaluate("document.querySelectorAll('details').forEach((d) => d.open = true)")
            check(page.evaluate("document.documentElement.scrollWidth") <= width, (width, words))
        check(page.pdf().startswith(b"%PDF-"), "no PDF")
    with_browser(look)


def case_large(tool):
    """Events of thousands of stacks: the page does not grow with them."""
    if "torture" not in tool.programs:
        cases.skip("the program with thousands of stacks is not here")
    sizes = []
    for rounds in (1_000, 4_000):
        trace = tool.record(program="torture", arguments=[rounds], name=f"{rounds}.linn")
        page = tool.folder / f"{rounds}.html"
        tool.call("trace", trace, "--html", page, status=0)
        sizes.append(page.stat().st_size)
    # Four times the events. What may grow a little is the curve over time: a shorter run has fewer marks (1.1 to 1.4 x were seen).
    check(sizes[1] < 2 * sizes[0] and sizes[1] < 3_000_000, sizes)

    def look(chromium):
        shown = chromium.open(str(page))
        drawn = shown.evaluate("Array.from(document.querySelectorAll('.flame span')).filter((s) => s.offsetWidth > 0).length")
        check(10 < drawn <= 2600, drawn)
        rest = shown.evaluate("Array.from(document.querySelectorAll('.flame span'), (i) => i.textContent).filter((t) => / more$/.test(t)).length")
        check(rest > 0, "what is not drawn is not put together")
        check(shown.complaints == [], shown.complaints)
    with_browser(look)


def case_missing_symbols(tool):
    """Where names are missing, the reason is given: the program was replaced since the recording, or has no debug information."""
    program = tool.folder / "stages"
    shutil.copy(tool.programs["stages"], program)
    trace = tool.record(program=program)
    check(tool.view(trace, "--peak")["missing_symbols"] == [], "nothing is missing yet")
    subprocess.run(["strip", "-o", tool.folder / "stripped", program], check=True)
    program.unlink()
    shutil.copy("/bin/true", program)
    for words in (["--peak"], ["--temporary"], ["--leaks"]):
        (reason,) = tool.view(trace, *words)["missing_symbols"]
        check(reason.startswith(f"{program}: ") and "was replaced since the recording" in reason, reason)
    shutil.copy(tool.programs["advised"], program)
    without_leaks = tool.record(program=program, arguments=["churn", 50], name="churn.linn")
    shutil.copy("/bin/true", program)
    check(tool.view(without_leaks, "--leaks")["missing_symbols"] == [], "names of blocks that the view does not show")
    check(tool.view(without_leaks, "--peak")["missing_symbols"] != [], "names of blocks that the view shows")
    page = tool.folder / "page.html"
    shown = tool.call("trace", trace, "--peak", status=0)
    tool.call("trace", trace, "--html", page, status=0)
    converted = tool.call("trace", trace, "--convert", "collapsed", status=0)
    for text in (shown.stdout + shown.stderr, page.read_text(), converted.stderr):
        check("was replaced since the recording" in prose(text), text)
    reasons = tool.view(tool.record(program=tool.folder / "stripped", name="stripped.linn"), "--peak")["missing_symbols"]
    check(any("stripped: " in one and "compile it with -g1" in one for one in reasons), reasons)


def case_dashes(tool):
    """A program whose name begins with a dash: the command that comes next can be typed. A file called - is refused."""
    shutil.copy(tool.programs["stages"], tool.folder / "-stages")
    done = subprocess.run([tool.linn, "record", "--no-baseline", "--", "./-stages"], cwd=tool.folder, capture_output=True, text=True)
    check(done.returncode == 0, done.stderr)
    following = done.stderr.split("next: linn ")[1].split("\n")[0]
    check(following == "advise ./-stages.linn", done.stderr)
    done = subprocess.run([tool.linn, *following.split()], cwd=tool.folder, capture_output=True, text=True)
    check(done.returncode == 0 and "Held" in done.stdout, done.stderr)
    program = tool.programs["stages"]
    for command in (["record", "-o", "-", "--", program], ["try", "--plan", "-", "--", program],
                    ["check", "budgets.toml", "-o", "-", "--", program]):
        done = subprocess.run([tool.linn, *command], cwd=tool.folder, capture_output=True, text=True)
        check(done.returncode == 2 and done.stdout == "", (command, done.returncode, done.stdout))
        check("must be the name of a file" in prose(done.stderr) and "./-" in done.stderr, (command, done.stderr))
    check(not (tool.folder / "-").exists(), "a file called -")
