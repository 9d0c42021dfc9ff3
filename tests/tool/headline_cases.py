# SPDX-License-Identifier: Apache-2.0
"""What `linn bench` prints when no scenario is named: one screen; and --all, which begins with it."""
import json

from bench_cases import SCENARIOS, Tool  # noqa: F401 (conftest makes a Tool of this module's)
from cases import check, prose

HEADLINE = ["hot", "million", "shared_hot", "shared_burst", "set", "reuse", "buffer_shared", "buffer_new", "two_hot",
            "two_remote", "two_burst", "two_set"]


def case_headline(tool):
    """Without names it is measured, and printed as one screen that a page and a file begin with too."""
    page = tool.folder / "headline.html"
    done = tool.bench("--only", "linn", "--rounds", "6", "--html", page, "--json", tool.folder / "headline.json",
                      env={"COLUMNS": "100"}, status=0)
    lines = done.stdout.splitlines()
    check(len(lines) <= 30 and max(map(len, lines)) <= 100, done.stdout)
    result = json.loads((tool.folder / "headline.json").read_text())
    (scenario,) = result["scenarios"]
    check(scenario["name"] == "headline" and [p["name"] for p in scenario["phases"]] == HEADLINE, scenario["phases"])
    check({(r["variant"], r["contender"]) for r in scenario["rows"]}
          == {("usual", "glibc"), ("usual", "glibc-again"), ("linn", "linn")}, scenario["rows"])
    check(prose(done.stdout).startswith(result["headline"]), f"{result['headline']}\n{done.stdout}")
    check(result["findings"] == [result["headline"], f"Trust: {result['trust']['reason']}"], result["findings"])
    check(lines[-1] == f"Report: file://{page}", lines[-1])
    html = page.read_text()
    check(html.index("Trust: ") < html.index("<nav"), "the page does not begin with the first screen")
    (linn,) = [r for r in scenario["rows"] if r["contender"] == "linn"]
    check(linn["phases"]["hot"]["page_faults"] == 0, linn["phases"]["hot"])
    few = tool.bench("--only", "linn", "--rounds", "2", status=0).stdout
    check("2 rounds are too few" in few and "LOW. 2 rounds, and 6 are needed." in few, few)
    check("faster" not in few.replace("would another", "") and "SLOWER" not in few, few)
    markdown = tool.bench("--only", "linn", "--rounds", "1", "--markdown", "-", status=0).stdout
    check("glibc again" in markdown and "### headline" in markdown, markdown)
    check(tool.result("object", "--only", "linn")["headline"] is None, "a headline over another scenario")


def case_all(tool):
    """--all measures every scenario that is in no group, and begins with the headline; it takes no names."""
    done = tool.call("bench", "--all", "--only", "glibc", "--rounds", "1", "--n", "2000", "--objects", "500", "--work", "1",
                     "--json", "-", status=0)
    names = [s["name"] for s in json.loads(done.stdout)["scenarios"]]
    check(names[0] == "headline" and set(names[1:]) == set(SCENARIOS), names)
    tool.refuses([], [(["bench", "--all", "object"], ["--all and the scenario object cannot be combined"])])
    options = json.loads(tool.call("bench", "--only", "glibc", "--work", "1", "--json", "-").stdout)["options"]
    wanted = {"rounds": 10, "least_rounds": 6, "warm_up_rounds": 0, "work": 1, "budget_s": 75}
    check({key: options[key] for key in wanted} == wanted, options)
