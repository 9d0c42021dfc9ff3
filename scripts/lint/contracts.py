#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Public functions say what they cost, which threads may call them, and how they fail.

The comment above a function of include/linn/*.hpp and include/linn/types/*.hpp has

    @complexity  or the comment of its class, of a class around it or of its file (`@file`) has one that speaks for it
    @threads     the same
    @throws      of its own; not for what is noexcept, and what a destructor or `= default` makes so

A comment that says "As `name`" takes over what the comment of `name` in that file says. What is private, deleted, in
namespace detail or between @cond and @endcond promises nothing, nor does what is there to be refused by the compiler:
"Only there to refuse ..." and "Not a pool: ...".
"""
import re

import source

PUBLIC = re.compile(r"include/linn/(?:types/)?[^/]+\.hpp")
LABELS = {"complexity": "@complexity", "threads": "@threads", "throws": "@throws"}
# Overloads and specialisations whose use is an error of compilation.
REFUSAL = re.compile(r"\s*(?:Only there to refuse|Not an? [\w ]+: )")
OPEN, CLOSE = "([{", ")]}"


class Scope:
    """A namespace or class: whether what is declared in it now is public, whether anything in it may be, and what its
    comment says for its members."""

    def __init__(self, may_be_public, public, says):
        self.may_be_public, self.public, self.says = may_be_public, public, says


class Function:
    def __init__(self, name, line, head, said, inherited):
        self.name, self.line, self.head, self.said, self.inherited = name, line, head, said, inherited


def without_directives(code):
    """The code with preprocessor lines blanked, of the branches of a condition all but the first."""
    lines, depth_blank, stack, continues = code.split("\n"), 0, [], False
    for i, line in enumerate(lines):
        directive = re.match(r"\s*#\s*(\w*)", line)
        if directive and not continues:
            word = directive.group(1)
            if word in ("if", "ifdef", "ifndef"):
                stack.append(False)
            elif word in ("else", "elif") and stack and not stack[-1]:
                stack[-1] = True
                depth_blank += 1
            elif word == "endif" and stack and stack.pop():
                depth_blank -= 1
        blank = directive or continues or depth_blank
        continues = bool(directive or continues) and line.rstrip().endswith("\\")
        if blank:
            lines[i] = " " * len(line)
    return "\n".join(lines)


def without_hidden(text):
    """The text without what the reference leaves out, between @cond and @endcond."""
    return re.sub(r"@cond\b.*?@endcond\b", lambda hidden: re.sub(r"[^\n]", " ", hidden.group()), text, flags=re.DOTALL)


def closing(code, at):
    """The place of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(code)):
        if code[i] in OPEN:
            depth += 1
        elif code[i] in CLOSE:
            depth -= 1
            if depth == 0:
                return i
    return len(code) - 1


def after_angles(code, at):
    """One past the bracket that closes the angle bracket at `at`."""
    depth = 0
    i = at
    while i < len(code):
        if code[i] in OPEN:
            i = closing(code, i)
        elif code[i] == "<":
            depth += 1
        elif code[i] == ">" and code[i - 1] != "-":
            depth -= 1
            if depth == 0:
                return i + 1
        i += 1
    return i


def flat(head):
    """A declaration without what is in brackets, each pair of which becomes `()`, `[]` or `{}`, and without `template <...>`
    and `requires` clauses."""
    out, i = "", 0
    while i < len(head):
        template = re.match(r"template\s*(?=<)", head[i:])
        if template and not re.search(r"[\w:]$", out):
            i = after_angles(head, i + template.end())
            out += " "
        elif head[i] in OPEN:
            end = closing(head, i)
            out += head[i] + head[end]
            i = end + 1
        else:
            out += head[i]
            i += 1
    out = re.sub(r"\s+", " ", out.replace("[[]]", "").replace("[]", "")).strip()
    while (inner := re.sub(r"(?<=\w)(?<!operator)<[^<>]*>", "", out)) != out:
        out = inner
    one = r"(?:requires ?\(\) ?\{\}|\(\)|[\w:]+)"
    return re.sub(rf"^requires ?{one}(?: ?(?:&&|\|\|) ?{one})* ", "", out)


def function_name(text):
    """The name that a flat declaration gives to a function; None when it declares something else."""
    text = re.sub(r"\b(?:noexcept|explicit|alignas|decltype) ?\(\)", " ", text)
    if re.match(r"(?:using|typedef|static_assert|friend (?:class|struct)|asm|extern)\b", text):
        return None
    call = re.search(r"(operator ?\(\) ?(?=\()|operator ?[^\s\w(]+|operator [\w: <>*&]+?|~?\w+) ?\(\)", text)
    if call is None or "=" in text[:call.start()]:
        return None
    return call.group(1).strip()


def comment_above(lines, line):
    """The lines of `///` right above line number `line`."""
    first = line
    while first > 0 and re.match(r"\s*///(?!<)", lines[first - 1]):
        first -= 1
    return "\n".join(re.sub(r"^\s*///", "", text) for text in lines[first:line])


def labels_of(comment):
    return {label for label, mark in LABELS.items() if re.search(mark + r"\b", comment)}


def file_comment(text):
    """What the comment with @file says, which ends at the first line that is none."""
    blocks = re.findall(r"(?:^[ \t]*///.*\n?)+", text, re.MULTILINE)
    return "\n".join(block for block in blocks if re.search(r"[@\\]file\b", block))


def functions_of(text):
    """The public functions of a header."""
    code = without_directives(source.code_only(without_hidden(text)))
    lines = text.split("\n")
    says = labels_of(file_comment(text)) - {"throws"}
    scopes = [Scope(True, True, says)]
    found = []
    i, start = 0, None

    def line_of(at):
        return code.count("\n", 0, at)

    def declare(head_start, head):
        text_only = flat(head)
        name = function_name(text_only)
        if name and scopes[-1].public and not re.search(r"= ?delete\b", text_only):
            comment = comment_above(lines, line_of(head_start))
            if REFUSAL.match(comment):
                return
            inherited = set().union(*(scope.says for scope in scopes))
            found.append(Function(name, line_of(head_start) + 1, text_only, comment, inherited))

    while i < len(code):
        if code[i].isspace():
            i += 1
            continue
        if start is None:
            start = i
            access = re.match(r"(public|protected|private)\s*:(?!:)", code[i:])
            if access:
                scopes[-1].public = access.group(1) == "public" and scopes[-1].may_be_public
                start, i = None, i + access.end()
                continue
        c = code[i]
        if c == "}":
            scopes.pop()
            start, i = None, i + 1
        elif c == ";":
            declare(start, code[start:i])
            start, i = None, i + 1
        elif c == "<" and re.search(r"\btemplate\s*$", code[start:i]):
            i = after_angles(code, i)
        elif c in "([":
            i = closing(code, i) + 1
        elif c == "{":
            head = code[start:i]
            text_only = flat(head)
            block = re.match(r"(?:inline )?namespace\b", text_only)
            kind = re.match(r"(class|struct|union|enum)\b", text_only)
            requirement = re.search(r"\brequires ?\(\)$", text_only) or re.search(r"\brequires$", text_only)
            if block:
                public = scopes[-1].public and "detail" not in text_only
                scopes.append(Scope(public, public, set()))
                start, i = None, i + 1
            elif kind and kind.group(1) != "enum" and function_name(text_only) is None:
                comment = comment_above(lines, line_of(start))
                said = labels_of(comment) - {"throws"}
                outer = scopes[-1].public and not REFUSAL.match(comment)
                scopes.append(Scope(outer, outer and kind.group(1) != "class", said))
                start, i = None, i + 1
            elif requirement:
                i = closing(code, i) + 1
            elif function_name(text_only) and "=" not in re.sub(r"operator ?[^\s\w]+", "", text_only):
                end = i
                if re.search(r"\) ?(?:noexcept ?)?(?:\(\) ?)?: \w", text_only) and re.search(r"[\w>]\s*$", head):
                    end = closing(code, i)  # a member's initialiser; the body is still to come
                    i = end + 1
                    continue
                declare(start, head)
                start, i = None, closing(code, end) + 1
            else:
                i = closing(code, i) + 1  # an initialiser; the semicolon follows
        else:
            i += 1
    return found


def is_silent(f):
    """Whether nothing can come out of it."""
    return bool(f.name.startswith("~") or re.search(r"\bnoexcept\b|= ?default\b|\bconsteval\b", f.head))


def check_header(name, text):
    functions = functions_of(text)
    by_name = {}
    for f in functions:
        by_name.setdefault(f.name, "")
        by_name[f.name] += "\n" + f.said

    def said(f):
        labels = labels_of(f.said)
        for other in re.findall(r"\bAs `([~\w]+)", f.said):
            labels |= labels_of(by_name.get(other, ""))
        return labels

    problems = []
    for f in functions:
        labels = said(f) | f.inherited
        if is_silent(f) or "throws" in said(f):
            labels.add("throws")
        if re.search(r"= ?default\b", f.head):
            continue
        for label, mark in LABELS.items():
            if label not in labels:
                problems.append(f"{name}:{f.line}: {f.name} has no {mark}")
    return problems


def check(root):
    problems = []
    for name in source.files(root):
        if PUBLIC.fullmatch(name):
            problems += check_header(name, source.read(root, name))
    return problems


FILE = "include/linn/a.hpp"


def header(text):
    return {FILE: "namespace linn::inline LINN_ABI {\n" + text + "\n}\n"}


ALL = "/// Does. @complexity O(1)\n/// @threads any\n/// @throws std::bad_alloc\n"
CLASS = "/// A class. @complexity O(1)\n/// @threads any\n"
PLANTED = [
    (header("void f();"), "f has no @complexity"),
    (header("void f();"), "f has no @threads"),
    (header("void f();"), "f has no @throws"),
    (header(ALL + "void f();"), None),
    (header(ALL.replace("@throws std::bad_alloc", "") + "void f() noexcept {}"), None),
    (header(ALL + "void f();\n/// As `f`, twice.\nvoid g();"), None),
    (header(ALL + "void f();\n\n/// As `h`.\nvoid g();"), "g has no @threads"),
    (header(ALL + "\nvoid f();"), "f has no @throws"),
    (header(CLASS + "class a {\npublic:\n    void f() noexcept;\n    void g();\n};"), "a.hpp:7: g has no @throws"),
    (header(CLASS + "class a {\n    void f();\npublic:\n    int g() const noexcept { return 1; }\n    int h;\n};"), None),
    (header(CLASS + "class a {\npublic:\n    a(const a&) = delete;\n    a& operator=(a&&) = default;\n    ~a() {}\n"
            "private:\n    void f();\n};"), None),
    (header(CLASS + "struct a {\n    a& operator=(int x) { return *this; }\n};"), "operator= has no @throws"),
    (header(CLASS + "struct a {\n    explicit operator bool() const { return true; }\n};"), "operator bool has no"),
    (header(CLASS + "struct a {\n    T* operator()(int) const;\n};"), "operator() has no @throws"),
    (header(CLASS + "struct a {\n    a(int x) noexcept : x_{x}, y_(x) {}\n    int f();\n};"), "a.hpp:6: f has no"),
    (header(CLASS + "template <class T, options O = {}>\n    requires(!x<T>)\nclass a {\npublic:\n    int x{};\n"
            "    std::function<int()> y{};\n    template <class U = T>\n        requires requires(U& u) { u.f(); }\n"
            "    void f(int x = {});\n};"), "f has no @throws"),
    (header(CLASS + "template <class T>\n    requires x<T> && (!y<T>)\nstruct a {\n    int f();\n};"), "f has no @throws"),
    (header("/// A class. @throws nothing\nstruct a {\n    int f();\n};"), "f has no @throws"),
    (header("namespace detail {\nvoid f();\nclass a { public: void g(); };\n}\nint x = f(1);\nusing t = int (*)(int);"),
     None),
    (header("template <class T>\ninline constexpr options o{};\nenum class e : char { one };\nstatic_assert(f(1));"), None),
    ({FILE: "/// @file\n/// Things.\n/// @threads any\nnamespace linn {\n/// Does. @complexity O(1)\nvoid f() noexcept;\n}\n"},
     None),
    (header("#if defined(X)\n/// Does. @complexity O(1) @threads any\nvoid f() {\n#else\nvoid f() {\n#endif\n}"),
     "a.hpp:4: f has no @throws"),
    (header("/// Not a pool: refused.\nclass a {\npublic:\n    void f();\n};\n/// Only there to refuse.\nvoid g();"), None),
    (header("/// @cond\nvoid f();\n/// @endcond\nvoid g();"), "g has no @throws"),
    (header("/// @cond\nvoid f();\n/// @endcond"), None),
    ({"include/linn/detail/core/a.hpp": "namespace linn { void f(); }\n"}, None),
]

if __name__ == "__main__":
    source.main(check, PLANTED)
