# SPDX-License-Identifier: Apache-2.0
"""`linn advise --try`: what is measured stands next to what is predicted."""
import csv
import io
import json

from cases import check, prose
from try_cases import Tool

QUICK = ["--no-replay", "--try", "--warm-up", "0", "--seed", "7"]
JUDGED = ["--rounds", "6"]  # the fewest that an interval takes


def case_measured(tool):
    """In every form: the interval of each type, the reason where there is none, and a verdict that says what it rests on."""
    trace = tool.record()
    forms = {form: tool.folder / f"advice.{form}" for form in ("json", "csv", "markdown", "html")}
    done = tool.call("advise", trace, *QUICK, *JUDGED, *(word for form, path in forms.items() for word in (f"--{form}", path)),
                     "--", *tool.churn)
    result = json.loads(forms["json"].read_text())
    check(result["schema"] == "linn.advise/1" and result["answer_measured"] is True, result["verdict"])
    tried = result["tried"]
    check(tried["problem"] is None and tried["predicted_answer"] in ("yes", "no", "not-known"), tried)
    check(tried["gain"]["low"] <= tried["gain"]["saved"] <= tried["gain"]["high"], tried["gain"])
    check(isinstance(tried["empty_plan_cost"], float), tried)
    check("measured, pools save " in result["verdict"] and "a lower bound" in result["verdict"], result["verdict"])
    measured = [t for t in result["types"] if t["tried"] is not None]
    check(any("order" in t["label"] for t in measured) and any("trade" in t["label"] for t in measured), [t["label"] for t in measured])
    for t in result["types"]:
        check((t["tried"] is None) == (t["not_tried"] is not None), f"neither measured nor a reason: {t['label']}")
    for t in measured:
        check(t["tried"]["low"] <= t["tried"]["saved"] <= t["tried"]["high"] and t["tried"]["together"] == 1, t["tried"])
    vectors = [t for t in result["types"] if "std::vector" in t["label"]]
    check(vectors and all(t["not_tried"] == "too few of all allocations" for t in vectors), vectors)

    text = prose(done.stdout)
    check(" measured" in text and "the 95 % interval of what pools of the type saved by linn try" in text, text)
    check("std::vector<order*>" in text and ": too few of all allocations" in text, text)
    check("A lower bound: pools in the source have no preload" in text, text)
    check(text.startswith(prose(result["verdict"])), f"the verdict does not come first: {text}")

    rows = {row["label"]: row for row in csv.DictReader(io.StringIO(forms["csv"].read_text()))}
    for t in result["types"]:
        row = rows[t["label"]]
        check((row["tried_saved"] != "") == (t["tried"] is not None) and row["not_tried"] == (t["not_tried"] or ""), row)
        if t["tried"] is not None:
            check(float(row["tried_low"]) <= float(row["tried_saved"]) <= float(row["tried_high"]) and row["tried_together"] == "1", row)
    for form in ("markdown", "html"):
        page = forms[form].read_text()
        check("measured" in page and "too few of all allocations" in page and "A lower bound" in page, f"{form}: {page[:4000]}")


def case_together(tool):
    """Types that are measured as one say so."""
    trace = tool.record()
    result = json.loads(tool.call("advise", trace, *QUICK, "--budget", "1", "--json", "-", "--", *tool.slow_churn).stdout)
    joined = [t for t in result["types"] if t["tried"] is not None]
    check(all(t["tried"]["together"] > 1 for t in joined), joined)
    check(joined or any("too few rounds" in (t["not_tried"] or "") for t in result["types"]), [t["not_tried"] for t in result["types"]])
    short = tool.call("advise", trace, *QUICK, "--rounds", "2", "--json", "-", "--", *tool.churn).stdout
    result = json.loads(short)
    check(not result["answer_measured"] and result["tried"]["gain"] is None and "measured, pools" not in result["verdict"], result["verdict"])
    check(all(t["tried"] is None and t["not_tried"] for t in result["types"]), "two rounds are an interval")


def case_type(tool):
    """--type goes to the trial: only those types are tried, and a program that others may help has no "no" from them."""
    trace = tool.record()

    def tried(name, status=0):
        done = tool.call("advise", trace, *QUICK, *JUDGED, "--type", name, "--json", "advice.json", "--", *tool.churn, status=status)
        return done, json.loads((tool.folder / "advice.json").read_text())

    done, result = tried("order")
    measured = [t["label"] for t in result["types"] if t["tried"] is not None]
    check(measured and all("order" in label for label in measured), measured)
    others = [t["not_tried"] for t in result["types"] if "trade" in t["label"]]
    check(others and all(reason == "--type asks for others" for reason in others), others)
    check(result["tried"]["gain"] is not None, result["tried"])
    if result["answer_measured"]:  # on a quiet machine
        check(result["tried"]["gain"]["low"] >= result["threshold"] and result["answer"] == "yes", result["verdict"])
        check("measured, pools of 'order' save " in result["verdict"], result["verdict"])
    else:
        check(result["answer"] == result["tried"]["predicted_answer"], result["verdict"])
    done, result = tried("nosuch", status=2)
    check("has 'nosuch' in its name" in done.stderr and result["answer"] == result["tried"]["predicted_answer"], done.stderr)


def case_without(tool):
    """Nothing of it shows where it is not asked for."""
    trace = tool.record()
    done = tool.call("advise", trace, "--no-replay", "--json", "advice.json", "--markdown", "advice.md")
    result = json.loads((tool.folder / "advice.json").read_text())
    check(result["tried"] is None and result["answer_measured"] is False, result["tried"])
    check(all(t["tried"] is None and t["not_tried"] is None for t in result["types"]), "a type was tried")
    check("| measured |" not in (tool.folder / "advice.md").read_text() and "linn try" not in done.stdout, done.stdout)


def case_usage(tool):
    trace = tool.record()
    tool.refuses(["advise"], [
            ([trace, "--try"], "--try needs a program"),
            ([trace, "--try", "--"], "--try needs a program"),
            (["--try", "--", *tool.churn], "missing TRACE"),
            ([], "missing TRACE"),
            ([trace, "--", *tool.churn], "needs --try"),
            ([trace, "--budget", "9"], "--budget needs --try"),
            ([trace, "--try", "--budget", "0", "--", *tool.churn], "--budget"),
            ([trace, "more.linn"], "give one TRACE"),
            ([trace, "--tri", "--", *tool.churn], "did you mean '--try'?"),
            ([trace, "--try", "--", "./nosuch"], "nosuch")])


def case_not_measured(tool):
    """What cannot be tried keeps its prediction: one that fails, one that a preload breaks. Another program is refused."""
    trace = tool.record()

    def predicted(status, *words):
        done = tool.call("advise", trace, *QUICK, *JUDGED, "--json", "advice.json", "--", *words, status=status)
        result = json.loads((tool.folder / "advice.json").read_text())
        check(not result["answer_measured"] and result["answer"] == result["tried"]["predicted_answer"], result["verdict"])
        check(any(t["gain"] is not None for t in result["types"]), "the prediction is gone")
        return done, result

    if "static" in tool.programs:
        refused = tool.call("advise", trace, *QUICK, *JUDGED, "--", tool.programs["static"], status=2)
        check("is a recording of" in refused.stderr, refused.stderr)
    done, result = predicted(3, *tool.churn, "3")
    check("exit status 3" in done.stderr, done)
    done, result = predicted(0, *tool.churn, "0", "crash")
    check(any("killed by SIGABRT" in (t["not_tried"] or "") for t in result["types"]), [t["not_tried"] for t in result["types"]])
    check("not measured: " in prose(done.stdout) and "killed by SIGABRT" in prose(done.stdout), done.stdout)
