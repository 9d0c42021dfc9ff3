#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The site: made without a warning, every link in it leads to a page and a place that is there, none needs a network, and the search
finds what it should in a browser that reads files.

    site.py SOURCE_DIR
"""
import html.parser
import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import time
import urllib.parse


def load(path):
    sys.path.insert(0, str(path.parent))
    loader = importlib.machinery.SourceFileLoader(path.name, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(path.name, loader))
    loader.exec_module(module)
    return module


class Page(html.parser.HTMLParser):
    """The anchors of a page and what it asks for."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loads, self.path = {"", "top"}, [], [], path
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.anchors |= {attributes[key] for key in ("id", "name") if attributes.get(key)}
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        elif tag in ("script", "img") and attributes.get("src") or tag == "link" and attributes.get("rel") == "stylesheet":
            self.loads.append(attributes.get("src") or attributes["href"])


def broken(out, folder):
    """What is asked for and not there, in the pages outside of `folder`, which Doxygen answers for."""
    paths = [path for path in out.rglob("*.html") if folder not in path.relative_to(out).parts]
    known = {path: Page(path) for path in paths}
    problems = []
    for path, page in known.items():
        for link in page.links + page.loads:
            if urllib.parse.urlparse(link).scheme:
                if link in page.loads:
                    problems.append(f"{path.relative_to(out)}: {link} needs a network")
                continue
            target, _, anchor = urllib.parse.unquote(link.split("?")[0]).partition("#")
            there = (path.parent / target).resolve() if target else path
            if not there.exists():
                problems.append(f"{path.relative_to(out)}: {link} leads nowhere")
            elif there in known and anchor not in known[there].anchors:
                problems.append(f"{path.relative_to(out)}: {link}: no such place")
    return problems


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
        problems = broken(out, site.HEADERS) + unfound(out, browser)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
