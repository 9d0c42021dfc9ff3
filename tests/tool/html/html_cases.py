# SPDX-License-Identifier: Apache-2.0
"""Opens the tool's HTML reports in a headless browser, as a reader would.

Skipped where no Chromium is installed.
"""
import os
import re
import subprocess
import xml.etree.ElementTree

import browser
import pytest
from cases import check, skip

ALL = ["advise", "bench", "partial", "run", "try"]
HOSTILE = "<script>document.title='stolen'</script>"

# The ratio of the contrast between a text and what is behind it, as WCAG 2 defines it; the lowest of the page.
LOWEST_CONTRAST = """(() => {
    const parse = (c) => { const n = c.match(/[0-9.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
    const light = ([r, g, b]) => {
        const f = [r, g, b].map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * f[0] + 0.7152 * f[1] + 0.0722 * f[2];
    };
    const behind = (e) => {
        for (; e; e = e.parentElement) {
            const c = parse(getComputedStyle(e).backgroundColor);
            if (c[3] > 0.99) return c;
        }
        return [255, 255, 255, 1];
    };
    let lowest = [99, ""];
    for (const e of document.querySelectorAll("body *")) {
        const words = Array.from(e.childNodes).some((n) => n.nodeType === 3 && n.data.trim());
        if (!words || e.closest("script, title, desc")) continue;
        const style = getComputedStyle(e);
        const ink = parse(e.namespaceURI.endsWith("svg") ? style.fill : style.color);
        const pair = [light(ink), light(behind(e))].sort((a, b) => b - a);
        const ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
        if (ratio < lowest[0]) lowest = [ratio, e.outerHTML.slice(0, 120)];
    }
    return lowest;
})()"""

# What a column of the first table shows, row by row.
COLUMN = """(n) => Array.from(document.querySelector("#scenario-object table").querySelectorAll("tbody:first-of-type tr:not(.group)"))
    .map((r) => r.cells[n].textContent)"""


class Reports:
    def __init__(self, folder, chromium):
        self.folder, self.chromium = folder, chromium

    def path(self, name):
        return str(self.folder / (name + ".html"))

    def text(self, name):
        return (self.folder / (name + ".html")).read_text(encoding="utf-8")

    def browser(self):
        return browser.Browser(self.chromium)


def case_well_formed(reports):
    """An XML parser, stricter than any browser, reads the pages to their end."""
    for name in ALL:
        root = xml.etree.ElementTree.fromstring(reports.text(name))
        check(root.get("lang") == "en", f"{name}: no language")
        check(len(list(root.iter("h1"))) == 1, f"{name}: not one h1")
        pictures = [e for e in root.iter() if e.get("role") == "img"]
        check(pictures, f"{name}: no pictures")
        ids = [e.get("id") for e in root.iter() if e.get("id")]
        check(len(ids) == len(set(ids)), f"{name}: an id is there twice")
        for picture in pictures:
            check([e.tag.split("}")[1] for e in picture][:2] == ["title", "desc"] and all(e.text for e in list(picture)[:2]),
                  f"{name}: a picture without title and description")
        for link in root.iter("a"):
            check(link.get("href")[1:] in ids, f"{name}: {link.get('href')} leads nowhere")


def case_loads(reports):
    """No request but the file itself, no complaint of the browser, plots that have a size."""
    with reports.browser() as b:
        for name in ALL:
            page = b.open(reports.path(name))
            check(page.requests and all(u.startswith(("file://", "data:")) for u in page.requests), page.requests)
            check(len([u for u in page.requests if u.startswith("file://")]) == 1, page.requests)
            check(page.complaints == [], f"{name}: {page.complaints}")
            sizes = page.evaluate("""Array.from(document.querySelectorAll("svg[role=img]"))
                .filter((s) => !s.closest("details:not([open])"))
                .map((s) => [s.getBoundingClientRect().width, s.getBoundingClientRect().height])""")
            check(sizes and all(w > 100 and h > 20 for w, h in sizes), f"{name}: {sizes}")
            cut = page.evaluate("""Array.from(document.querySelectorAll(".strips:has(.strip) .value"))
                .filter((v) => !v.closest("details:not([open])"))
                .filter((v) => v.getBoundingClientRect().right > v.closest(".panel").getBoundingClientRect().right + 1)
                .map((v) => v.textContent)""")
            check(cut == [], f"{name}: figures beyond their plot: {cut}")
            dots = page.evaluate("document.querySelectorAll('.dots').length")
            check(dots > 3 or name == "advise", f"{name}: {dots} strips")  # advise compares no rounds
            check(page.evaluate("document.title").startswith("linn "), "the title")


def case_escaped(reports):
    """A name that is a script stays a name."""
    with reports.browser() as b:
        for name in ("advise", "bench", "run", "try"):
            page = b.open(reports.path(name))
            check("stolen" not in page.evaluate("document.title"), "a name was run as a script")
            check(HOSTILE in page.evaluate("document.querySelector('main').textContent"), "the name is not shown")
            count = page.evaluate("document.querySelectorAll('script').length")
            check(count == 1, f"{count} scripts")
        # The policy stops a script that an escape would have missed.
        page.evaluate("""(() => { const s = document.createElement("script");
            s.textContent = "document.title = 'stolen'"; document.body.append(s); })()""")
        check("stolen" not in page.evaluate("document.title"), "the policy lets foreign scripts run")


def case_sorts(reports):
    """A click sorts, a second one turns it round; numbers sort as numbers."""
    with reports.browser() as b:
        page = b.open(reports.path("bench"))
        heading = "document.querySelector('#scenario-object tr.columns').cells[1]"
        for direction in ("ascending", "descending"):
            page.click(heading + ".querySelector('button')")
            check(page.evaluate(heading + ".getAttribute('aria-sort')") == direction, "aria-sort")
            claims = page.evaluate("document.querySelectorAll('#scenario-object th[aria-sort]').length")
            check(claims == 1, f"{claims} columns claim the order")
            shown = [float(v) for v in page.evaluate(f"({COLUMN})(1)")]
            check(len(shown) > 4 and len(set(shown)) > 3, shown)
            check(shown == sorted(shown, reverse=direction == "descending"), f"{direction}: {shown}")
            # As words they would be in another order, or this shows nothing.
            check(shown != sorted(shown, key=str, reverse=direction == "descending"), f"{shown}: tells nothing")
        names = "document.querySelector('#scenario-object tr.columns').cells[0]"
        page.click(names + ".querySelector('button')")
        shown = page.evaluate(f"({COLUMN})(0)")
        check(shown.index("glibc") < shown.index("jemalloc") < shown.index("tcmalloc"), shown)
        # Headings are reached by Tab and sort by Enter and by the space bar.
        page.press("Tab")
        check(page.evaluate("document.activeElement.closest('th').cellIndex") == 1, "Tab does not reach the next")
        for key, text, direction in (("Enter", "\r", "ascending"), (" ", " ", "descending")):
            page.press(key, text)
            check(page.evaluate(heading + ".getAttribute('aria-sort')") == direction, key)


def case_groups_stay(reports):
    """Rows sort within their group; its heading stays first."""
    with reports.browser() as b:
        page = b.open(reports.path("bench"))
        page.click("document.querySelector('#scenario-sizes tr.columns').cells[2].querySelector('button')")
        rows = page.evaluate("""Array.from(document.querySelector('#scenario-sizes table').tBodies)
            .map((body) => Array.from(body.rows).map((r) => [r.className, r.cells[2]?.textContent ?? ""]))""")
        check(len(rows) > 2, f"{len(rows)} groups")
        for group in rows[:2]:  # then how Linn compares
            check(group[0][0] == "group", group)
            values = [float(v) for _, v in group[1:]]
            check(values == sorted(values), values)


TYPES = """Array.from(document.querySelectorAll("#types tbody > tr"))
    .filter((r) => r.closest("table").closest("td") === null)
    .map((r) => [r.className, r.cells[0].innerText.trim().split("\\n")[0], r.cells.length])"""


def case_types(reports):
    """What to do about a type unfolds below its row, and stays there when the rows are sorted."""
    with reports.browser() as b:
        page = b.open(reports.path("advise"))
        first = "document.querySelector('#types tbody tr')"
        details = first + ".nextElementSibling.querySelector('details')"
        check(not page.evaluate(details + ".open"), "open from the beginning")
        page.click(details + ".querySelector('summary')")
        check(page.evaluate(details + ".open"), "a click does not open it")
        shown = page.evaluate(details + ".innerText")
        for part in ("+ linn::list<Particle> alive;", "app.cpp:50", "main"):
            check(part in page.evaluate(details + ".textContent"), f"no {part} in {shown}")
        before = page.evaluate(TYPES)
        page.click("document.querySelector('#types tr.columns').cells[0].querySelector('button')")
        after = page.evaluate(TYPES)
        check([kind == "more" for kind, _, _ in after] == [i % 2 == 1 for i in range(len(after))], after)
        names = [name for kind, name, _ in after if kind != "more"]
        check(names != [name for kind, name, _ in before if kind != "more"], "the order is the old one")
        follows = page.evaluate("""Array.from(document.querySelectorAll('#types tbody tr')).find((r) =>
            r.cells[0].textContent === 'std::list<Particle>').nextElementSibling.querySelector('details').open""")
        check(follows, "the details did not move with their row")


def case_phone(reports):
    """At 360 px the page itself does not scroll sideways; wide tables do, in their boxes."""
    with reports.browser() as b:
        for name in ALL:
            page = b.open(reports.path(name), width=360, height=740)
            check(page.evaluate("innerWidth") == 360, "the width")
            page.evaluate("document.querySelectorAll('details').forEach((d) => d.open = true)")
            wide = page.evaluate("document.documentElement.scrollWidth")
            check(wide <= 360, f"{name}: {wide} px wide")
            boxes = page.evaluate("""Array.from(document.querySelectorAll('.scroll'))
                .filter((b) => b.scrollWidth > b.clientWidth && getComputedStyle(b).overflowX !== "auto").length""")
            check(boxes == 0, f"{name}: {boxes} boxes are cut off")


def case_schemes(reports):
    """Light and dark follow the system, and every word can be read in both (WCAG AA: 4.5)."""
    with reports.browser() as b:
        for name in ALL:
            papers = []
            for scheme in ("light", "dark"):
                page = b.open(reports.path(name), scheme=scheme)
                page.evaluate("document.querySelectorAll('details').forEach((d) => d.open = true)")
                papers.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
                ratio, where = page.evaluate(LOWEST_CONTRAST)
                check(ratio >= 4.5, f"{name}, {scheme}: contrast {ratio:.2f} of {where}")
            check(papers[0] != papers[1], f"{name}: the dark scheme does not apply")


def case_without_scripts(reports):
    """Tables and plots are there without JavaScript, and no button that does nothing."""
    with reports.browser() as b:
        page = b.open(reports.path("bench"), scripts=False)
        check(page.evaluate("document.querySelectorAll('button').length") == 0, "dead buttons")
        check(page.evaluate("document.querySelectorAll('tbody tr').length") > 50, "no rows")
        check(page.evaluate("document.querySelector('svg[role=img]').getBoundingClientRect().height") > 50, "no plot")


def case_prints(reports):
    """A PDF of A4 pages, several of them, folded parts included."""
    with reports.browser() as b:
        for name in ALL:
            page = b.open(reports.path(name), scheme="dark")
            pdf = page.pdf()
            check(pdf.startswith(b"%PDF-"), "no PDF")
            boxes = set(re.findall(rb"/MediaBox ?\[0 0 ([0-9.]+) ([0-9.]+)\]", pdf))
            check(boxes and all(594 < float(w) < 596 and 841 < float(h) < 843 for w, h in boxes), boxes)
            check(page.evaluate("document.querySelectorAll('details[open]').length") == 0, "left open after printing")
            page.call("Emulation.setEmulatedMedia", media="print",
                      features=[{"name": "prefers-color-scheme", "value": "dark"}])
            ink = page.evaluate("getComputedStyle(document.body).color")
            check(ink == "rgb(28, 30, 33)", f"{name}: printed in {ink}")


@pytest.fixture
def reports(request, given, folder):
    chromium = browser.find()
    if chromium is None and request.node.name != "case_well_formed":
        skip("no Chromium is installed")
    subprocess.run([given.writer, "--test-case=pages for html_cases.py"], env=os.environ | {"LINN_PAGES": str(folder)}, check=True, timeout=100)
    return Reports(folder, chromium)
