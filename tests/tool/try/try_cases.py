# SPDX-License-Identifier: Apache-2.0
"""`linn try` on a program of two node types, as a user would call it.

How much is gained is a matter of the machine and of what else it does; what is tried, served, compared and written is not.
"""
import json
import os
import re
import signal
import subprocess
import time

import cases
from cases import check, processes_with, prose, skip, skip_without, wait_for

ROUNDS = "60000"
QUICK = ["--rounds", "2", "--warm-up", "0", "--seed", "7"]


class Tool(cases.Tool):
    limit = 250

    def __init__(self, given, folder):
        super().__init__(given, folder)
        self.churn = [self.programs["churn"], ROUNDS]

    def call(self, *words, status=0, **more):
        return super().call(*words, status=status, **more)

    def result(self, *words):
        """The JSON of a quick trial of the program."""
        return cases.result_of(self.call("try", *QUICK, "--json", "-", *words, "--", *self.churn).stdout)

    def record(self):
        self.call("record", "-q", "--no-baseline", "-o", "churn.linn", "--", *self.churn)
        return "churn.linn"


def labels(result):
    return [candidate["label"] for candidate in result["candidates"]]


def rows(run):
    return {row["name"]: row for row in run["rows"]}


def case_usage(tool):
    tool.refuses(["try"], [
            (["--client", "true", "--", "ls"], ["record the server first"]),
            (["nosuch.linn", "--", *tool.churn], ["nosuch.linn"]),
            (["--", "./nosuch"], ["nosuch"])])


def case_churn(tool):
    """Records, finds both types, serves nearly all of their blocks, compares the output in every run."""
    result = tool.result()
    check(result["trace"] is None and result["complete"], result)
    check(any("order" in label for label in labels(result)) and any("trade" in label for label in labels(result)),
          f"candidates are {labels(result)}")
    for candidate in result["candidates"]:
        check(candidate["share"] < 0.01 or candidate["routed"] >= 0.99, f"not all is served: {candidate}")
    check(list(rows(result["deciding"]))[:2] == ["default", "default-again"], "no plain program, or no control")
    check({"types", "by-size", "every", "empty"} <= set(rows(result["deciding"])), "a form of the pools is missing")
    check({"chosen", "without-1", "alone-1"} <= set(rows(result["explaining"])), "the parts of the first type are missing")
    for run in (result["deciding"], result["explaining"]):
        check(run["outputs_compared"] and run["complete_rounds"] == 2, "outputs were not compared")
        for row in run["rows"]:
            check(row["failure"] is None and row["output_difference"] is None, row)
        sizes = {sum(len(v) + 9 for v in row["environment"]) + 2 * len(row["library"] or "") + bool(row["library"]) +
                 (len(row["behind"]) + 1 if row["behind"] else 0) for row in run["rows"]}
        check(len(sizes) == 1, f"environments have several sizes: {sizes}")
    check(result["answer"] == "not-known" and result["open"] == "too-few-rounds", result["verdict"])
    check("served" in tool.call("try", *QUICK, "--", *tool.churn).stdout, "the table does not say what was served")


def case_trace(tool):
    """With a trace nothing is recorded; one of another input is used, and says so."""
    trace = tool.record()
    done = tool.call("try", *QUICK, trace, "--", *tool.churn)
    check("recording" not in done.stderr, done.stderr)
    check("pools for" in done.stdout and "order" in done.stdout, done.stdout)
    other = tool.call("try", *QUICK, trace, "--", tool.churn[0], "20000")
    check("another input" in prose(other.stdout), f"nothing is said of the other input: {other.stdout}")


def case_type(tool):
    result = tool.result("--type", "trade")
    check(len(result["candidates"]) == 1 and "trade" in labels(result)[0], f"candidates are {labels(result)}")
    check(not any(row.startswith(("without", "alone")) for row in rows(result["explaining"] or {"rows": []})), "one type has parts")
    done = tool.call("try", *QUICK, "--type", "nosuch", tool.record(), "--", *tool.churn, status=2)
    check("has 'nosuch' in its name" in done.stderr and done.stdout == "", f"{done}")


def case_plan(tool):
    """A plan is written where pools gain, as they do here; and it serves the program."""
    for _ in range(3):  # a busy machine hides even this
        done = tool.call("try", "--rounds", "12", "--warm-up", "0", "--plan", "churn.toml", "--type", "order", "--", *tool.churn[:1],
                         "400000")
        if os.path.exists(tool.folder / "churn.toml"):
            break
    else:
        skip(f"the machine is too busy: {done.stdout}")
    check("linn pools --plan churn.toml -- " in done.stderr, f"the next command is not said: {done.stderr}")
    check("Pools for " in done.stdout and " save " in done.stdout, done.stdout)
    tool.call("pools", "--plan", "churn.toml", "--stats", "stats.json", "--count", "--", *tool.churn)
    statistics = json.loads((tool.folder / "stats.json").read_text())
    check(statistics["problem"] is None and all(site["state"] == "active" for site in statistics["sites"]), statistics)
    check(sum(site["hits"] for site in statistics["sites"]) >= 0.99 * int(ROUNDS), statistics["sites"])


def case_other_program(tool):
    """A trace says nothing of another program than the recorded one."""
    trace = tool.folder / "echo.linn"
    tool.call("record", "-q", "--no-baseline", "-o", trace, "--", "sort", "/dev/null", status=0)
    done = tool.call("try", trace, "--", tool.programs["churn"], status=2)
    check("is a recording of sort, not of" in prose(done.stderr), done.stderr)


def case_failing(tool):
    """A program that fails passes its status, recorded or not."""
    trace = tool.record()
    for words in ([], [trace]):
        done = tool.call("try", *QUICK, *words, "--", *tool.churn, "3", status=3)
        check(done.stdout == "" and "exit status 3" in done.stderr, f"{words}: {done}")
    done = tool.call("try", *QUICK, "--", "sh", "-c", "kill -SEGV $$", status=128 + signal.SIGSEGV)
    check("SIGSEGV" in done.stderr, done.stderr)
    ignored = tool.call("try", *QUICK, "--ignore-exit-status", trace, "--", *tool.churn, "3")
    check("pools for" in ignored.stdout, ignored.stdout)


def case_input(tool):
    """A file on standard input is what each run reads, the recorded one too."""
    lines = tool.folder / "lines"
    lines.write_text("".join(f"{n * 7919 % 10007}\n" for n in range(20000)))
    with lines.open() as file:
        tool.call("try", *QUICK, "--", "sort", stdin=file, status=0)


def case_broken(tool):
    """What a preload breaks is named, with the reason: a crash, and another output."""
    trace = tool.record()
    for how, words, wanted in [("crash", [], "do not work: killed by SIGABRT"), ("crash", ["--type", "order"], "do not work: killed by SIGABRT"),
                               ("print", ["--type", "order"], "do not work: the output differs (line 1 is 'LINN_PLAN'")]:
        done = tool.call("try", *QUICK, "--plan", "broken.toml", *words, trace, "--", *tool.churn, "0", how)
        text = prose(done.stdout)
        check(wanted in text and "the program runs without them" in text, f"{how} {words}: {wanted!r} is not in {text}")
        check(not os.path.exists(tool.folder / "broken.toml"), "there is a plan of what does not work")


def case_over(tool):
    """The pools in front of the allocator that is best, if one gains: in every run, that one is proven to get what they pass on."""
    trace = tool.record()
    for _ in range(6):  # two rounds of a short program: sometimes no allocator is faster than the default
        report = tool.call("try", *QUICK, "--type", "order", "--json", "over.json", trace, "--", *tool.churn).stdout
        result = json.loads((tool.folder / "over.json").read_text())
        explaining = rows(result["explaining"] or {"rows": []})
        if result["allocator"] is None:
            skip("no other allocator is here")
        check(("over" in explaining) == (result["allocator"]["saved"] > 0), f"rows are {list(explaining)}, {result['findings']}")
        if "over" in explaining:
            break
    else:
        check(False, "no allocator was faster in six trials")
    over, other = explaining["over"], explaining[result["allocator"]["row"]]
    check(over["behind"] == other["library"] and other["behind"] is None, f"{over['behind']} is behind, not {other['library']}")
    check(over["library"].endswith("liblinn-try.so") and over["providers"]["malloc"] == over["library"], over["providers"])
    check(over["failure"] is None and over["output_difference"] is None and len(over["samples"]) == 2, over)
    check(", over " in report, report)


def case_litter(tool):
    """With --litter the heap has holes when main begins, in every way to run the program, the same ones in all of a round; without it has none."""
    def holes(*words):
        file = tool.folder / "holes.txt"
        file.unlink(missing_ok=True)
        result = json.loads(tool.call("try", *QUICK, "--type", "order", "--json", "-", *words, "--", *tool.churn, 0, file).stdout)
        return result, [line.split(" ") for line in file.read_text().splitlines()]

    plain, lines = holes()
    check(plain["litter"] is None and all(line[2] == "none" for line in lines), f"litter that nobody asked for: {lines}")
    check(all(int(line[0]) <= 3 for line in lines if line[3] == "none" or "-probe.so" in line[3].split(":")[-1]),
          f"a fresh heap has holes: {lines}")

    result, lines = holes("--litter")
    litter = result["litter"]
    check(litter["blocks"] > 10_000 and abs(litter["freed"] / litter["blocks"] - 0.5) < 0.05, litter)
    check(litter["resident_bytes"] > 8 << 20 and litter["cpu_ns"] > 0, litter)
    check(any("littered heap" in finding for finding in result["findings"]), result["findings"])
    lines = [line for line in lines if line[2] != "none"]  # when it was recorded there was none
    glibc = [line for line in lines if line[3].split(":")[-1].endswith(("liblinn-probe.so", "liblinn-try.so"))]
    check(all(int(line[0]) >= 20 for line in glibc), f"a littered heap has no holes: {glibc}")
    seeds = {line[2] for line in lines} - {"0" * 10}
    check(len(seeds) == 2, f"two rounds have the seeds {seeds}")
    for seed in seeds:
        modes = {line[1] for line in lines if line[2] == seed}
        check({"none", "on", "empty"} <= modes, f"not every way is littered: {modes}")
        check(len({line[0] for line in glibc if line[2] == seed and line[1] == "none"}) == 1, f"one seed, several litters: {glibc}")
    memory = {row["name"]: row["estimates"]["peak_rss_bytes"]["median"] for row in result["deciding"]["rows"]}
    check(memory["default"] > litter["resident_bytes"], f"the litter is not in the peak: {memory}")


def case_forms_of_pools(tool):
    """All forms of the pools are measured, and each works; where two are one plan, it is measured once."""
    result = tool.result("--type", "price", "--type", "quote")  # of one size
    deciding = rows(result["deciding"])
    pools = {arm["row"]: arm["pools"] for arm in result["arms"]}
    check({"types", "by-size"} <= set(deciding) and pools["by-size"] == 1 < pools["types"], f"arms are {result['arms']}")
    for arm in result["arms"]:
        row = rows(result[arm["part"]])[arm["row"]]
        check(row["failure"] is None and row["output_difference"] is None, row)
    check(result["plan"] is None and result["better"] is None, "two rounds say nothing")
    unlike = {arm["row"] for arm in tool.result("--type", "order", "--type", "trade")["arms"]}  # of 64 and 32 bytes
    check("by-size" not in unlike, f"arms are {unlike}")
    one = tool.result("--type", "xmalloc")
    check({arm["row"] for arm in one["arms"]} <= {"types", "every"}, f"one type has other forms: {one['arms']}")


def case_unnamed(tool):
    """Blocks whose type nothing names are called the same everywhere, in words; the address has a field of its own."""
    skip_without("strip")
    shop = str(tool.folder / "shop")
    subprocess.run(["strip", "-o", shop, tool.churn[0]], check=True)
    tool.churn = [shop, ROUNDS]
    done = tool.call("try", *QUICK, "--json", "try.json", "--", *tool.churn)
    result = json.loads((tool.folder / "try.json").read_text())
    unnamed = [c for c in result["candidates"] if c["addresses"] != [None] and c["share"] > 0.01]
    check(len(unnamed) >= 2, result["candidates"])
    for c in unnamed:
        check(re.fullmatch(r"(32|64|96)-byte blocks( #[12])? of shop", c["label"]), c["label"])
        check(re.fullmatch(r"shop\+0x[0-9a-f]+", c["addresses"][0]), c)
        check(c["label"] in prose(done.stdout), f"{c['label']!r} is not in {done.stdout}")
    check("`" not in result["verdict"] and "+0x" not in result["verdict"], result["verdict"])
    one = tool.result("--type", unnamed[0]["addresses"][0])
    check(labels(one) == [unnamed[0]["label"].replace(" #1", "")] or labels(one) == [unnamed[0]["label"]], labels(one))


def case_forms(tool):
    """Every form of the result, in one run; what cannot be written is said before the program is run."""
    files = {form: tool.folder / f"try.{form}" for form in ("json", "csv", "markdown", "html")}
    words = [word for form, file in files.items() for word in (f"--{form}", file)]
    trace = tool.record()
    done = tool.call("try", *QUICK, *words, trace, "--", *tool.churn)
    result = json.loads(files["json"].read_text())
    check(prose(result["verdict"]) in prose(done.stdout), "the table has another verdict")
    lines = cases.csv_of(files["csv"], "run", "try")
    for part in ("deciding", "explaining"):
        of_part = {line["contender"]: line for line in lines if line["part"] == part and line["metric"] == "cpu_ns"}
        check(set(of_part) == set(rows(result[part])), f"{part}: {sorted(of_part)}")
        for name, row in rows(result[part]).items():
            if name != "default":
                check(float(of_part[name]["ratio"]) == row["estimates"]["cpu_ns"]["ratio"], of_part[name])
    check({line["contender"] for line in lines if line["decides"] == "true"} == {result["gain"]["row"]}, "another row decides")
    check(files["markdown"].read_text().startswith("**") and "| pools for |" in files["markdown"].read_text(), "Markdown")
    page = files["html"].read_text()
    check(page.rstrip().endswith("</html>") and page.count('role="img"') >= 3, "the page, or its pictures")
    check(page.index('class="lead"') < page.index('role="img"') < page.index("<table"), "the verdict, then a picture, then tables")
    for form in files:
        done = tool.call("try", *QUICK, "--type", "order", f"--{form}", "-", trace, "--", *tool.churn)
        check(not done.stdout.startswith(("Pools for", "Not known", "No pool")), f"{form}: the table is on standard output too")
    gone = subprocess.run(["sh", "-c", '"$0" "$@" >&-', tool.linn, "try", *QUICK, "--type", "order", trace, "--", *tool.churn],
                          capture_output=True, text=True, timeout=250, cwd=tool.folder, check=False)
    check(gone.returncode == 1 and "standard output" in gone.stderr, f"closed standard output: {gone}")


def case_interrupt(tool):
    """Stopped at any stage: the status says by which signal, no file stays in $TMPDIR, and no process."""
    temporary = tool.folder / "tmp"
    temporary.mkdir()
    rounds = str(700_000 + os.getpid() % 10_000)  # no other process has this word
    early = stopped = 0
    for stage, number in [("recording", signal.SIGINT), ("recording", signal.SIGTERM), ("reading", signal.SIGINT),
                          ("reading", signal.SIGTERM), (0.05, signal.SIGINT), (0.4, signal.SIGTERM), (1.2, signal.SIGINT)]:
        tried = tool.start("try", *QUICK, "--", tool.churn[0], rounds, env={"TMPDIR": str(temporary)})
        wait_for(lambda: len(processes_with(rounds)) > 1, "the recorded program")
        if stage != "recording":
            wait_for(lambda: len(processes_with(rounds)) <= 1, "the end of the recording")
            time.sleep(0 if stage == "reading" else stage)
        tried.send_signal(number)
        out, err = tried.communicate(timeout=100)
        check(tried.returncode in (128 + number, 0), f"{stage}: exit status {tried.returncode}: {err}{out}")
        stopped += tried.returncode != 0
        early += "stopped before anything was measured" in err
        wait_for(lambda: not processes_with(rounds), "the end of all processes")
        left = sorted(str(path) for path in temporary.rglob("*"))
        check(left == [], f"{stage}, {signal.Signals(number).name}: left behind {left}")
    check(stopped >= 4 and early >= 4, f"{stopped} were stopped, {early} of them early")
