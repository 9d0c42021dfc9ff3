#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The site: made without a warning, a link to a place that is not there is found, and the search finds what it should in a browser that
reads files.

    site.py SOURCE_DIR
"""
import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import time


def load(path):
    sys.path.insert(0, str(path.parent))
    loader = importlib.machinery.SourceFileLoader(path.name, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(path.name, loader))
    loader.exec_module(module)
    return module


def unfound(out, browser):
    """Searches, as a reader of the files does, that do not show the page they should."""
    program = browser.find()
    if program is None:
        return []
    problems = []
    with browser.Browser(program) as b:
        for words, page in (("magazine", "docs/design/engine.html"), ("make_shared_for_overwrite", "docs/reference/memory.html")):
            tab = b.open(f"{out}/search.html?q={words}")
            shown = "Array.from(document.querySelectorAll('#search-results li a')).map(a => a.href).join(' ')"
            end = time.monotonic() + 20
            while page not in (text := tab.evaluate(shown)) and time.monotonic() < end:
                time.sleep(0.1)
            if page not in text:
                problems.append(f"a search for {words} does not show {page}: {text}")
    return problems


def main():
    root = pathlib.Path(sys.argv[1])
    site = load(root / "scripts/site")
    if site.missing():
        print(f"linn: skipped: not installed: {' and '.join(site.missing())}")
        return 77
    browser = load(root / "tests/tool/html/browser.py")
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder).resolve() / "site"
        if site.build(out) != 0:
            return 1
        problems = unfound(out, browser)
        if "SPDX" not in (out / "linn_pool.hpp").read_text(encoding="utf-8"):
            problems.append("linn_pool.hpp is not in the site, or without its licence")
        planted = out / site.HEADERS / "planted.html"
        planted.write_text('<a href="index.html#nowhere">x</a><a href="nowhere.html">x</a><a href="#">x</a><img src="https://linn.invalid/x">')
        found = site.broken(out)
        if len(found) != 3 or not all("planted" in problem for problem in found):
            problems.append(f"of three planted faults it finds {found}")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
