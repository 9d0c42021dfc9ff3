# SPDX-License-Identifier: Apache-2.0
"""The classes of the findings of `linn lint`, and its page, with a stand-in for clang-tidy."""
from cases import check
from lint_cases import LARGE, Tool  # noqa: F401: pytest takes the tool from here


def case_classes(tool):
    """Only removable places are in the first sentence and in the exit status; the others stand below, each with its reason."""
    tool.source("a.cpp", "int a; // FILL 4096 std::vector<int>(n) check=linn-overwritten-fill\n"
                "int b; // FILL 65536 std::vector<char>(n) class=relied_upon check=linn-overwritten-fill\n"
                "int c; // FILL 256 std::array<char,256> class=cold\n")
    tool.database()
    done = tool.lint(status=1)
    check(done.stdout.startswith("1 place writes 4096 B of zeros for nothing;"), done.stdout)
    rows = [line for line in done.stdout.splitlines() if "a.cpp" in line or line.endswith(":")]
    check(["4096 B" in rows[0], "maybe relied upon" in rows[1], "64.00 KiB" in rows[2], "cold: small" in rows[3], "256 B" in rows[4]]
          == [True] * 5, rows)
    result = tool.result(status=1)
    check([f["class"] for f in result["findings"]] == ["removable", "relied upon", "cold"], result["findings"])
    check([result[k] for k in ("places", "bytes", "places_relied_upon", "places_cold")] == [1, 4096, 1, 1], result)
    tool.source("a.cpp", "int b; // FILL 65536 x class=relied_upon\n", entry=False)
    done = tool.lint(status=0)
    check(done.stdout.startswith("No place writes zeros for nothing for certain, 1 may.\n"), done.stdout)


def case_page(tool):
    tool.source("a.cpp", LARGE + "int b; // FILL 65536 std::vector<char>(n) class=relied_upon\n")
    tool.database()
    page = tool.folder / "lint.html"
    tool.lint("--html", str(page), status=1)
    text = page.read_text()
    heading = text.split("<h1>")[1].split("</h1>")[0]
    check(heading.startswith("Where does ") and "<title>linn lint " in text, heading)
    check("<table" in text and "a.cpp:1:1" in text and "maybe relied upon" in text and "http" not in text.split("<body")[1].split("xmlns")[0],
          text[:300])
