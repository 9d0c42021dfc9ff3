#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plain English: no word of the list below in pages, comments and string literals, and no sentence of more than 35 words in docs/ and
README.md.

Code in a page or comment is neither looked at nor counted. EXCEPTIONS are parts of lines that may stay.
"""
import re

import source
from links import FENCE, blank

WORDS = re.compile(r"\b(?:who|what)ever\b|\b(?:nobody|somebody)\b|\bin place of\b|\bas ever\b|\banew\b|\bhence\b|\bthereby\b|"
                   r"\bmend(?:s|ed|ing)?\b|\bbeside\b|\bthe same of\b|\bof what\b|\bis to be\b|\bare to be\b|"
                   r", else (?:would|it|the)\b", re.IGNORECASE)
PUBLIC = re.compile(WORDS.pattern + r"|\bgiv(?:e|es|en|ing) back\b", re.IGNORECASE)  # what users read
LONGEST = 35  # words of a sentence
EXCEPTIONS = ['"mend"']  # at most ten; this one is a key of JSON

TEXT = re.compile(r"//[^\n]*|/\*.*?\*/|R\"(?P<d>[^(\s]*)\(.*?\)(?P=d)\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'", re.DOTALL)
BLOCK = re.compile(r"^(?:\s*(?:[-*]|\d+\.)\s|#|\||<)")  # where a new block of text begins without a blank line
END = re.compile(r"(?<=[.!?])(?=\s+[A-Z`*\[(\"])")


def is_page(name):
    return name.endswith(".md") and (name.startswith("docs/") or name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))


def prose(text):
    """The text of a page without code, and with links replaced by their text; lines stay where they are."""
    text = FENCE.sub(blank, text)
    text = re.sub(r"<!--.*?-->", blank, text, flags=re.DOTALL)
    text = re.sub(r"`[^`\n]+`", "``", text)
    return re.sub(r"\]\([^)\s]*\)", "]", text)


def blocks(text):
    """(line number, text) of each paragraph, item of a list and cell of a table."""
    begin, lines = 0, []
    for number, line in enumerate(text.split("\n") + [""], 1):
        if lines and (not line.strip() or BLOCK.match(line)):
            yield begin, " ".join(lines)
            lines = []
        if line.lstrip().startswith("|"):
            yield from ((number, cell) for cell in line.split("|"))
        elif line.strip():
            begin = begin if lines else number
            lines.append(line.strip())


def is_code(name):
    return name.startswith(("include/", "src/", "tool/")) and name.endswith(source.CXX)


def texts(text):
    """(line number, line) of comments and literals; code spans are blanked."""
    for match in TEXT.finditer(text):
        begin = text.count("\n", 0, match.start()) + 1
        words = re.sub(r"`[^`\n]+`", "``", match.group())
        yield from ((begin + number, line) for number, line in enumerate(words.split("\n")))


def found(name, pattern, lines):
    return [f"{name}:{number}: '{match.group()}'" for number, line in lines for match in pattern.finditer(line)
            if not any(part in line for part in EXCEPTIONS)]


def check(root):
    problems = [f"scripts/lint/words.py: {len(EXCEPTIONS)} exceptions, and ten are allowed"] if len(EXCEPTIONS) > 10 else []
    for name in filter(is_page, source.files(root)):
        text = prose(source.read(root, name))
        problems += found(name, PUBLIC, enumerate(text.split("\n"), 1))
        if name == "README.md" or name.startswith("docs/"):
            for number, block in blocks(text):
                for sentence in END.split(block):
                    count = len(re.findall(r"\S*\w\S*", sentence))
                    if count > LONGEST:
                        problems.append(f"{name}:{number}: a sentence of {count} words: {sentence.strip()[:60]} ...")
    for name in filter(is_code, source.files(root)):
        problems += found(name, PUBLIC if name.startswith("include/linn/") and "/detail/" not in name else WORDS,
                          texts(source.read(root, name)))
    return problems


LONG = "word " * 36
PLANTED = [
    ({"CONTRIBUTING.md": "Nobody does.\n"}, "CONTRIBUTING.md:1: 'Nobody'"),
    ({"docs/a.md": "One.\n\nIt gives back.\n"}, "docs/a.md:3: 'gives back'"),
    ({"CHANGELOG.md": "- One beside the other.\n"}, "'beside'"),
    ({"include/linn/a.hpp": "/// Gives back.\n"}, "'Gives back'"),
    ({"src/linn.cpp": "int x; // One\n/* and nobody */\n"}, "src/linn.cpp:2: 'nobody'"),
    ({"src/linn.cpp": "const char* a = \"whatever\";\n"}, "src/linn.cpp:1: 'whatever'"),
    ({"src/linn.cpp": "int nobody = 1'000 + 'x'; // `nobody` gives back\n"}, None),
    ({"docs/a.md": LONG + "end.\n"}, "a sentence of 37 words"),
    ({"docs/a.md": "x\n\n- Item.\n- " + LONG + "\n"}, "docs/a.md:4: a sentence of 36 words"),
    ({"docs/a.md": "| " + "word " * 20 + "| " + "word " * 20 + "|\n", "docs/b.md": "- " + "word " * 20 + "\n- " + "word " * 20,
      "docs/c.md": "```\nnobody " + LONG + "\n```\n`nobody` besides.\n", "CONTRIBUTING.md": LONG, "tool/a.md": "nobody\n"}, None),
]

if __name__ == "__main__":
    source.main(check, PLANTED)
