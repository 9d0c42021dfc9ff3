#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The module `linn` exports every public name, and <linn/linn.hpp> includes every public header: what include/linn/*.hpp and
include/linn/types/*.hpp declare in namespace linn has a using-declaration in include/linn/linn.cppm, and nothing else has one.
With --fix, both lists are written.

What is in namespace detail or between @cond and @endcond is not public.
"""
import re
import sys

import contracts
import source

MODULE = "include/linn/linn.cppm"
UMBRELLA = "include/linn/linn.hpp"
INCLUDES = re.compile(r"(?<=// IWYU pragma: begin_exports\n).*(?=// IWYU pragma: end_exports\n)", re.DOTALL)
EXPORTS = re.compile(r"(?<=export namespace linn \{\n).*(?=\} // namespace linn\n)", re.DOTALL)
NOT_DECLARED = r"(?:template(?! <)|friend|static_assert|extern|asm|using namespace|namespace \w+ =)\b"


def name_of(head):
    """The name that a declaration of namespace scope gives, None if it gives none that is to be exported."""
    text = contracts.flat(head)
    if not text or re.match(NOT_DECLARED, text) or re.match(r"\s*template\s*<\s*>", head) or re.search(r"\w<", text.split("=")[0].split("(")[0]):
        return None
    alias = re.match(r"using (\w+) =", text)
    kind = re.match(r"(?:class|struct|union|enum(?: class| struct)?) (?:\[\[\]\] )?(\w+)(?!::)\b", text)
    if alias or kind and not contracts.function_name(text):
        return (alias or kind).group(1)
    if re.match(r"(?:class|struct|union|enum)\b", text):
        return None  # a specialisation of what another namespace declares
    function = contracts.function_name(text)
    if function:
        return None if "::" in text.split("(")[0].split(" ")[-1] else function
    variable = re.search(r"(\w+) ?(?:\{\}?|=|$|\[)", text)
    return variable.group(1) if variable and " " in text[:variable.start() + 1] else None


def names_of(text):
    """(name, line) of what a header declares in namespace linn, without what nobody outside is to name."""
    code = contracts.without_directives(source.code_only(contracts.without_hidden(text)))
    i, start, scopes, found = 0, None, [], []

    def declare(end):
        name = name_of(code[start:end]) if scopes and all(scopes) else None
        if name and not name.startswith("operator"):
            found.append((name, code.count("\n", 0, start) + 1))

    while i < len(code):
        c = code[i]
        if start is None and not c.isspace():
            start = i
        if c == "}":
            if scopes:
                scopes.pop()
            start, i = None, i + 1
        elif c == ";":
            declare(i)
            start, i = None, i + 1
        elif c == "<" and re.search(r"\btemplate\s*$", code[start:i]):
            i = contracts.after_angles(code, i)
        elif c in "([":
            i = contracts.closing(code, i) + 1
        elif c == "{":
            head = contracts.flat(code[start:i])
            space = re.match(r"(?:inline )?namespace(?: ([\w: ]+))?$", head)
            if space:
                scopes.append(bool(re.match(r"linn\b", space.group(1) or "")) and "detail" not in head)
                start, i = None, i + 1
            elif re.match(r'extern\s*"?[^(]*$', head):
                scopes.append(False)
                start, i = None, i + 1
            elif contracts.function_name(head) and "=" not in head.split("(")[0] and not re.match(r"(class|struct|enum)", head):
                if re.search(r"\brequires ?(\(\))?$", head):
                    i = contracts.closing(code, i) + 1
                    continue
                declare(i)
                start, i = None, contracts.closing(code, i) + 1
            else:
                i = contracts.closing(code, i) + 1  # a class, or an initialiser; the semicolon follows
        else:
            i += 1
    return found


def public_names(root):
    """Header -> (name, line) of what it declares for users."""
    return {name: names_of(source.read(root, name)) for name in source.files(root) if contracts.PUBLIC.fullmatch(name)}


def included(root):
    """The list of includes in the umbrella header."""
    headers = [name.removeprefix("include/") for name in source.files(root) if re.fullmatch(r"include/linn/[^/]+\.hpp", name)]
    return "".join(f"#include <{header}>\n" for header in sorted(headers) if header not in ("linn/config.hpp", "linn/linn.hpp"))


def fix(root):
    names = sorted({name for found in public_names(root).values() for name, _ in found})
    exports = "".join(f"using linn::{name};\n" for name in names)
    for name, pattern, text in ((MODULE, EXPORTS, exports), (UMBRELLA, INCLUDES, included(root))):
        (root / name).write_text(pattern.sub(lambda _, text=text: text, source.read(root, name)))


def check(root):
    if not (root / MODULE).is_file():
        return [f"{MODULE}:1: is missing"]
    code = source.code_only(source.read(root, MODULE))
    exported = re.findall(r"^ *using linn::([\w:]+);", code, re.MULTILINE)
    problems, public = [], set()
    for name, names in public_names(root).items():
        for declared, line in names:
            public.add(declared)
            if declared not in exported:
                problems.append(f"{name}:{line}: {declared} is not exported by {MODULE}: run scripts/lint/module.py --fix")
    if (root / UMBRELLA).is_file() and INCLUDES.findall(source.read(root, UMBRELLA)) != [included(root)]:
        problems.append(f"{UMBRELLA}:1: does not include every public header: run scripts/lint/module.py --fix")
    problems += [f"{MODULE}:1: exports {name}, which no public header declares" for name in exported if name not in public]
    return problems + [f"{MODULE}:1: exports {name} twice" for name in set(exported) if exported.count(name) > 1]


def tree(text, *exported):
    lines = "".join(f"using linn::{name};\n" for name in exported)
    return {"include/linn/a.hpp": "namespace linn::inline LINN_ABI {\n" + text + "\n}\n",
            MODULE: "export module linn;\nexport namespace linn {\n" + lines + "}\n"}


PLANTED = [
    ({"include/linn/a.hpp": "\n"}, "is missing"),
    (tree("class a { int x; };"), "a is not exported"),
    (tree("template <class T, options O = {}>\n    requires(x<T>)\nstruct a : b<T> {};"), "a is not exported"),
    (tree("enum class e : char { one };"), "e is not exported"),
    (tree("inline int* f(int x = 1) noexcept { return {}; }"), "f is not exported"),
    (tree("template <class T>\n    requires requires(T t) { t.x(); }\nint f(T);"), "f is not exported"),
    (tree("template <class T>\nusing l = std::list<T, allocator<T>>;"), "l is not exported"),
    (tree("template <class T>\ninline constexpr options o{};"), "o is not exported"),
    (tree("template <class T>\nconcept c = std::integral<T> && requires { f(); };"), "c is not exported"),
    (tree("inline constexpr int v = 1;"), "v is not exported"),
    (tree("class a;", "a", "b"), "exports b, which"),
    (tree("class a;", "a", "a"), "exports a twice"),
    ({**tree("class a;", "a"), UMBRELLA: "// IWYU pragma: begin_exports\n// IWYU pragma: end_exports\n"}, "every public header"),
    (tree("class a { void g(); };\nnamespace detail { class b; }\nbool operator==(a, a);\ntemplate <>\nstruct t<int> {};\n"
          "static_assert(f(1));\ntemplate <class T>\nstruct detail::d<a<T>> {};\n/// @cond\nclass h;\n/// @endcond", "a"), None),
]

if __name__ == "__main__":
    if sys.argv[1:] == ["--fix"]:
        sys.exit(fix(source.ROOT))
    source.main(check, PLANTED)
