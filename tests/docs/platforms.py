# SPDX-License-Identifier: Apache-2.0
"""The table of docs/reference/platforms.md says *run* of the legs in the list run_targets of scripts/test, *compiled* of those in
compiled_targets, and names no other leg of this kind."""
import pathlib
import re
import sys


def promised(script):
    """State by leg."""
    lists = re.findall(r"^(run|compiled)_targets=\(([^)]+)\)", script, re.MULTILINE)
    return {leg: state for state, legs in lists for leg in legs.split()}


def written(page):
    return dict(re.findall(r"^\|[^|]*\| `(\w+-[\w-]+)`[^|]*\| ([^|]+) \|$", page, re.MULTILINE))


def main():
    root = pathlib.Path(sys.argv[1])
    legs = promised((root / "scripts/test").read_text(encoding="utf-8"))
    rows = written((root / "docs/reference/platforms.md").read_text(encoding="utf-8"))
    wrong = [f"{leg}: scripts/test {legs.get(leg)}, the page {rows.get(leg)}"
             for leg in sorted(legs | rows) if legs.get(leg) != rows.get(leg)]
    if wrong or len(set(legs.values())) != 2:
        sys.exit("\n".join(wrong) or "scripts/test has no such lists")


main()
