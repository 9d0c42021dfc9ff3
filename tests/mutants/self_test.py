# SPDX-License-Identifier: Apache-2.0
"""Planted mutants of a planted library: scripts/mutate must tell each for what it is."""
import pathlib
import tempfile

HEADER = "inline int answer() { return 42; }\ninline int twin() { return 1; }\ninline int other() { return 1; }\n"
TESTS = {
    "asks": '#include <linn/a.hpp>\nint main() { return answer() == 42 ? 0 : 1; }\n',
    "waits": '#include <linn/a.hpp>\n#include <unistd.h>\nint main() { if (answer() != 42) pause(); }\n',
    "asserts": '#include <linn/a.hpp>\nstatic_assert(sizeof(answer()) == sizeof(int));\nint main() {}\n',
    "red": "int main() { return 1; }\n",
    "cannot": "int main() { return 77; }\n",
}
ANSWER = "return 42;"
# name, old, new, test, what must come out, what the reason must say
CASES = [
    ("bug", ANSWER, "return 41;", "asks", "killed", "asks"),
    ("no-difference", ANSWER, "return 41 + 1;", "asks", "survived", "stayed green"),
    ("hangs", ANSWER, "return 41;", "waits", "killed", "hung"),
    ("asserted", "int answer()", "long answer()", "asserts", "killed", "asserts"),
    ("code-changed", "return 43;", "return 41;", "asks", "error", "occurs 0 times"),
    ("ambiguous", "return 1;", "return 2;", "asks", "error", "occurs 2 times"),
    ("not-c++", ANSWER, "return;", "asks", "error", "does not compile"),
    ("red-anyway", ANSWER, "return 41;", "red", "error", "without any mutant"),
    ("no-such-test", ANSWER, "return 41;", "absent", "error", "there is no test"),
    ("cannot-run", ANSWER, "return 41;", "cannot", "skipped", "cannot run here"),
]


def mutant(name, old, new, test):
    return {"name": name, "file": "a.hpp", "breaks": "-", "old": old, "new": new,
            "tests": [f"release.process.{test}"]}


def plant(root):
    (root / "include" / "linn").mkdir(parents=True)
    (root / "include" / "linn" / "a.hpp").write_text(HEADER, encoding="utf-8")
    (root / "tests" / "process").mkdir(parents=True)
    for name, text in TESTS.items():
        (root / "tests" / "process" / f"{name}.cpp").write_text(text, encoding="utf-8")


def run(options, arguments, problems_of, runner_of, score):
    """Returns the number of failures."""
    failures = []

    def expect(good, what):
        if not good:
            failures.append(what)

    with tempfile.TemporaryDirectory(prefix="linn-mutants-") as temporary:
        root = pathlib.Path(temporary)
        plant(root)
        planted = arguments(["--root", str(root), "--compiler", options.compiler, "--time-limit", "10", "--jobs", "2"])
        planted.out = options.out
        mutants = [mutant(*case[:4]) for case in CASES]
        results = runner_of(planted, root / "work").run(mutants)
        for case, result in zip(CASES, results):
            expect(result["outcome"] == case[4] and case[5] in result["reason"],
                   f"{case[0]}: is {result['outcome']} ({result['reason']}), must be {case[4]} ({case[5]})")
        text, good = score(results)
        expect(text == "3 of 9 killed, 1 survived, 1 skipped, 5 error" and not good, f"the score is: {text}")
        expect(score(results[:1]) == ("1 of 1 killed", True), "a single killed mutant is no full score")

        include = root / "include"
        names = [line.split(":")[0] for line in problems_of(mutants, include)]
        expect(names == ["code-changed", "ambiguous"], f"--check names {names}")
        incomplete = mutant("incomplete", ANSWER, "", "asks")
        del incomplete["breaks"]
        expect(list(problems_of([incomplete], include)), "--check takes a mutant without a key")
        expect(list(problems_of([mutants[0], mutants[0]], include)), "--check takes a name twice")
    for failure in failures:
        print(f"self-test failed: {failure}")
    return len(failures)
