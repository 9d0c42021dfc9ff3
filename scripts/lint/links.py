#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Relative links and anchors in *.md lead somewhere, and every page of the documentation stands in its index."""
import posixpath
import re
import urllib.parse

import source

LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^\[[^\]]+\]:\s+(\S+)",
                  re.MULTILINE)
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def prose(text):
    """The text without code, in which brackets and parentheses are no links."""
    return re.sub(r"`[^`\n]+`", blank, FENCE.sub(blank, text))


def anchors(text):
    """The anchors a forge gives to the headings of a page."""
    found = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))
    for heading in re.findall(r"^#+\s+(.*?)\s*$", FENCE.sub(blank, text), re.MULTILINE):
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = 0
        while slug + (f"-{count}" if count else "") in found:
            count += 1
        found.add(slug + (f"-{count}" if count else ""))
    return found


INDEX = "docs/README.md"  # what scripts/site takes its contents from


def unlisted(root, names):
    """Pages that the index does not name."""
    listed = {match.group(1) for match in LINK.finditer(source.read(root, INDEX))} if INDEX in names else set()
    return [f"{name}: {INDEX} does not name it" for name in names if name.startswith("docs/") and name != INDEX and
            INDEX in names and posixpath.relpath(name, "docs") not in listed]


def check(root):
    names = [name for name in source.files(root) if name.endswith(".md")]
    problems = unlisted(root, names)
    for name in names:
        text = source.read(root, name)
        code_free = prose(text)
        for match in LINK.finditer(code_free):
            link = match.group(1) or match.group(2)
            if re.match(r"[a-z][a-z0-9+.-]*:", link):
                continue
            path, _, anchor = urllib.parse.unquote(link).partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
            where = f"{name}:{code_free.count(chr(10), 0, match.start()) + 1}"
            if target.startswith("..") or not (root / target).exists():
                problems.append(f"{where}: {link} leads nowhere")
            elif anchor and target.endswith(".md") and anchor not in anchors(source.read(root, target)):
                problems.append(f"{where}: {link}: no such heading")
    return problems


PLANTED = [
    ({"a.md": "[x](b.md)\n"}, "leads nowhere"),
    ({"docs/a.md": "![x](../b.png)\n"}, "leads nowhere"),
    ({"a.md": "[x]: docs/b.md\n"}, "leads nowhere"),
    ({"docs/README.md": "[x](a.md)\n", "docs/a.md": "x\n", "docs/b/c.md": "x\n"}, "docs/b/c.md: docs/README.md does not name it"),
    ({"docs/README.md": "[x](b/c.md)\n", "docs/b/c.md": "x\n"}, None),
    ({"a.md": "# One\n[x](#two)\n"}, "no such heading"),
    ({"a.md": "# One thing: `x`!\n[x](b.md) [y](#one-thing-x) [z](https://example.com/b)\n",
      "b.md": "```\n[x](nosuch.md)\n```\n`[](int)(x)`\n"}, None),
]

if __name__ == "__main__":
    source.main(check, PLANTED)
