# SPDX-License-Identifier: Apache-2.0
"""`linn check`: budgets of the program of programs/ledger.cpp, and the guide's project in a real test suite."""
import os
import pathlib
import shutil
import subprocess

import cases
from cases import check, prose, rows_of

PROJECT = pathlib.Path(__file__).parent / "project"
HEAD = "linn_budgets = 1\n"


class Tool(cases.Tool):
    def budgets(self, text, head=HEAD):
        path = self.folder / "budgets.toml"
        path.write_text(head + text)
        return path

    def on(self, program, budgets, *words, options=(), status=0):
        return self.call("check", self.budgets(budgets), *options, "--", self.programs[program], *words, status=status)

    def limits(self, program, budgets, *words, status=0):
        out = self.folder / "check.json"
        self.on(program, budgets, *words, options=["--json", out], status=status)
        return cases.result_of(out.read_text(), lacks=())


def case_exact(tool):
    """Each limit holds at what is used, and breaks below it."""
    about = '[[budget]]\ntype = "std::list<ledger::Entry>"\n'
    used = {"allocations": 100, "bytes": 2400, "live_blocks": 0, "live_bytes": 0, "temporary": 0, "peak_bytes": 216}
    kept = tool.limits("ledger", about + "".join(f"{key} = {n}\n" for key, n in used.items()), "100")
    check({row["limit"].replace("-", "_"): row["used"] for row in kept["limits"]} == used, kept["limits"])
    check(kept["kept"] and kept["verdict"] == "All 6 limits are kept", kept["verdict"])
    for key, n in used.items():
        if n != 0:
            result = tool.limits("ledger", f"{about}{key} = {n - 1}\n", "100", status=1)
            check([row["broken"] for row in result["limits"]] == [True] and not result["kept"], f"{key}: {result}")


def case_selection(tool):
    """Type, function and file choose, all that are given together; '*' stands for any letters. 501: main's printf() makes stdout's buffer."""
    rows = [('function = "ledger::copied"', 300), ('function = "ledger::*"', 500), ('function = "copied"', 0),
            ('type = "*Copy*"', 300), ('type = "ledger::Request"', 100), ('type = "ledger::Reques"', 0),
            ('file = "ledger.cpp"', 501), ('file = "programs/ledger.cpp"', 501), ('file = "er.cpp"', 0),
            ('function = "main"\ntype = "*Entry*"', 100), ('function = "ledger::copied"\ntype = "*Entry*"', 0)]
    text = "".join(f"[[budget]]\n{about}\nallocations = 1000\n" for about, _ in rows)
    result = tool.limits("ledger_changed", text, "100")
    check([row["used"] for row in result["limits"]] == [n for _, n in rows], [row["used"] for row in result["limits"]])
    check(any("did you mean 'ledger::Request'" in w for w in result["warnings"]), result["warnings"])


def case_broken_budget_is_explained(tool):
    done = tool.on("ledger_changed", '[[budget]]\nname = "no copies"\nfunction = "ledger::copied"\nallocations = 0\n', "100", status=1)
    text = prose(done.stderr)
    check("no copies: allocations 300, allowed 0" in text and "budgets.toml:2)" in text, text)
    check(text.count("ledger::copied, ledger.cpp") == 1 and "from ledger::serve" in text, f"equal stacks are one: {text}")
    check(done.stdout.strip().isdigit(), "standard output is the program's")
    quiet = tool.on("ledger", '[[budget]]\nlive_blocks = 0\n', options=["-q"])
    check(quiet.stderr == "", quiet.stderr)


def case_leaks(tool):
    """What the runtime libraries keep is no leak; what the program keeps is."""
    text = '[[budget]]\nlive_blocks = 0\n'
    tool.on("ledger", text, "100")
    result = tool.limits("ledger", text, "100", "777", status=1)
    check(result["limits"][0]["used"] == 1 and "main" in result["limits"][0]["stacks"][0]["place"]["function"], result)


def case_program_fails(tool):
    """A program that fails ends the check with its own status, kept budgets or not."""
    text = '[[budget]]\nallocations = 1000000\n'
    tool.on("ledger", text, "10", "1", "3", status=3)
    tool.on("ledger", '[[budget]]\nallocations = 0\n', "10", "1", "3", status=3)
    done = tool.call("check", tool.budgets(text), "--", "no-such-program", status=2)
    check("no-such-program" in done.stderr, done.stderr)
    tool.call("check", tool.budgets(text), "--", "true", status=0, env={"TMPDIR": str(tool.folder / "missing")})


def case_trace(tool):
    """A recording that is kept is checked as the program was, in every form."""
    trace = tool.folder / "kept.linn"
    text = '[[budget]]\ntype = "std::list<ledger::Entry>"\npeak_bytes = "1 KiB"\nallocations = 99\n'
    tool.on("ledger", text, "100", options=["-o", trace], status=1)
    budgets = tool.folder / "budgets.toml"
    done = tool.call("check", budgets, trace, "--csv", "-", "--html", tool.folder / "a.html", status=1)
    rows = rows_of(done.stdout)
    check([(row["limit"], row["used"], row["broken"]) for row in rows] ==
          [("allocations", "100", "true"), ("peak-bytes", "216", "false")] and rows[0]["used_at_most"] == "100", rows)
    check("Does it keep its budgets?" in (tool.folder / "a.html").read_text(), "the page")
    tool.fits((100, 80, 60), "check", budgets, trace, status=1, apart=lambda line: line.startswith("    ") or "/" in line)
    # Part of a recording proves nothing.
    cut = tool.folder / "cut.linn"
    cut.write_bytes(trace.read_bytes()[:-30])
    tool.budgets('[[budget]]\nallocations = 1000000\n')
    done = tool.call("check", budgets, cut, status=1)
    check("nothing is proven" in done.stdout, done.stdout)


def case_process_stays(tool):
    """Nothing is proven of a program that leaves a process running, and what that holds is no leak."""
    trace = tool.folder / "kept.linn"
    budgets = tool.budgets('[[budget]]\nallocations = 1000000\n')
    tool.call("check", budgets, "-o", trace, "--", "sh", "-c", "exec >/dev/null 2>&1; sleep 2 & exit 0", status=1)
    tool.call("check", budgets, trace, status=1)
    view = cases.result_of(tool.call("trace", trace, "--leaks", "--json", "-", status=0).stdout)
    check(view["ran_on"] and view["incomplete"], view)
    tool.call("check", budgets, "--", "sh", "-c", "exec >/dev/null 2>&1; sleep 0.01 & wait", status=0)


def case_names_missing(tool):
    """Where types and functions have no names, no budget that asks for one is kept."""
    trace = tool.folder / "kept.linn"
    text = '[[budget]]\ntype = "std::list<nothing>"\nallocations = 0\n[[budget]]\nfunction = "nothing"\nallocations = 0\n'
    program = tool.folder / "ledger"
    shutil.copy(tool.programs["ledger"], program)
    tool.call("check", tool.budgets(text), "-o", trace, "--", program, "100", status=0)
    # Built again since, and then without symbols.
    shutil.copy(tool.programs["ledger_changed"], program)
    done = tool.call("check", tool.folder / "budgets.toml", trace, status=1)
    check("Names are missing for 2 of 2 limits, so nothing is proven" in prose(done.stdout), done.stdout)
    check("was replaced since the recording" in prose(done.stdout) and "not known" in done.stdout, done.stdout)
    subprocess.run(["strip", "-s", program], check=True)
    done = tool.call("check", tool.folder / "budgets.toml", "--", program, "100", status=1)
    check("nothing is proven" in prose(done.stderr), done.stderr)
    # A limit on everything needs no names, nor one that holds for all that may belong to it.
    tool.call("check", tool.budgets('[[budget]]\nlive_blocks = 0\n[[budget]]\ntype = "*Entry*"\nallocations = 100000\n'), "--", program,
              "100", status=0)


def case_bad_files(tool):
    """Each mistake is named with its line and key, and nothing is recorded."""
    rows = [
        ("", "", "1: no budgets: linn_budgets = 1 is missing"),
        ("linn_budgets = 2\n", "", "1: linn_budgets must be 1"),
        ("", "[[budget]]\nallocations = 1\n", "1: no budgets: linn_budgets = 1 is missing"),
        (HEAD, "", "1: no budgets: there is no [[budget]]"),
        (HEAD, "[[budget]]\nalocations = 1\n", "3: 'alocations' is not a key of [[budget]]; did you mean 'allocations'?"),
        (HEAD, "[[budget]]\ntype = \"T\"\n", "2: a [[budget]] without a limit"),
        (HEAD, "[[budget]]\n[[budget]]\nallocations = 0\n", "2: a [[budget]] without a limit"),
        (HEAD, "[[budget]]\nallocations = -1\n", "3: 'allocations' must be a whole number"),
        (HEAD, "[[budget]]\nallocations = \"5\"\n", "3: 'allocations' must be a whole number"),
        (HEAD, "[[budget]]\nbytes = \"5 kB\"\n", "3: 'bytes' must be a whole number of bytes, or a size such as"),
        (HEAD, "[[budget]]\ntype = 5\nbytes = 0\n", "3: 'type' must be a string"),
        (HEAD, "[[budget]]\nbytes = 0\nbytes = 1\n", "4: "),
        (HEAD, "[[budgets]]\nbytes = 0\n", "2: 'budgets' is not a key of"),
        (HEAD, "bytes = 0\n[[budget]]\n", "2: 'bytes' is not a key of"),
    ]
    for head, text, wanted in rows:
        path = tool.budgets(text, head)
        done = tool.call("check", path, "--", tool.programs["ledger"], "100", status=2)
        check(f"{path}:{wanted}" in prose(done.stderr) and done.stdout == "", f"{text!r}: {done.stderr}")


def case_usage(tool):
    budgets = tool.budgets('[[budget]]\nallocations = 1\n')
    other = tool.folder / "other.toml"
    other.write_text(HEAD + '[[budget]]\nprogram = "leger"\nallocations = 1\n')
    trace = tool.folder / "kept.linn"
    tool.call("record", "-q", "--no-baseline", "-o", trace, "--", tool.programs["ledger"], status=0)
    damaged = tool.folder / "damaged.linn"
    content = bytearray(trace.read_bytes())
    content[len(content) // 2] ^= 0xFF
    damaged.write_bytes(content)
    tool.refuses(["check"], [
        ([], "missing BUDGETS"), ([budgets], "missing TRACE"), ([budgets, "--"], "missing program"),
        (["none.toml", trace], "none.toml"), ([tool.folder, trace], "is a directory"),
        ([budgets, budgets], "is not a linn trace"), ([budgets, damaged], "damaged.linn is damaged"),
        ([trace, budgets], "kept.linn is a trace: the budgets come first"),
        ([budgets, trace, "--", "true"], "not both"), ([budgets, trace, "-q"], "--quiet needs -- PROG"),
        ([budgets, "--json", "-", "--", "true"], "standard output is the program's"),
        ([other, trace], "no budget is for the program 'ledger': there are some for 'leger'"),
    ])


def case_guide_in_a_test_suite(tool):
    """The project of docs/guide/check.md: its tests pass, and fail with the place when somebody copies the book."""
    cases.skip_without("cmake", "ctest")
    environment = os.environ | {"PATH": f"{pathlib.Path(tool.linn).parent}:{os.environ['PATH']}"}
    project = tool.folder / "engine"
    shutil.copytree(PROJECT, project)

    def tested(*flags):
        build = tool.folder / ("copy" if flags else "plain")
        for words in (["cmake", "-S", project, "-B", build, *flags], ["cmake", "--build", build]):
            done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=90)
            check(done.returncode == 0, done.stdout + done.stderr)
        return subprocess.run(["ctest", "--output-on-failure"], cwd=build, env=environment, capture_output=True, text=True, timeout=90)

    plain = tested()
    check(plain.returncode == 0 and "2 tests passed" not in plain.stderr, plain.stdout)
    broken = tested("-DCMAKE_CXX_FLAGS=-DWITH_COPY")
    text = prose(broken.stdout)
    check(broken.returncode != 0 and "matching allocates nothing: allocations 100, allowed 0" in text, broken.stdout)
    check("match, matching_test.cpp:13" in text, broken.stdout)
