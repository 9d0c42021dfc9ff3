#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the debuggers' views name exists in the headers: types and members, in natvis and in the scripts of gdb and lldb.

natvis is read by debuggers only, so a member that was renamed would go unnoticed. The scripts have
tests that run them, which do not reach every branch.
"""
import re
import xml.etree.ElementTree

import source

FOLDER = "packaging/debug/"
TAGS = ("", "_checked", "_asan", "_tsan")
EXPRESSIONS = ("DisplayString", "Item", "Size", "HeadPointer", "NextPointer", "ValueNode", "ValuePointer",
               "ExpandedItem", "StringView", "IndexNode")
# Words of the expression language, not of the headers.
LANGUAGE = {"this", "nullptr", "void", "unsigned", "char", "int", "long", "sizeof", "true", "false"}


def words(text):
    return set(re.findall(r"[A-Za-z_]\w*", text))


def headers(root):
    names = [name for name in source.files(root) if name.startswith("include/linn/") and name.endswith(".hpp")]
    return "\n".join(source.code_only(source.read(root, name)) for name in names)


def expressions(element):
    """The expressions of one natvis element and of all below it."""
    for node in element.iter():
        tag = node.tag.rsplit("}", 1)[-1]
        text = node.text or ""
        if tag == "DisplayString":
            # {{ and }} are braces; what stands in single ones is evaluated.
            yield from re.findall(r"{([^{}]*)}", text.replace("{{", " ").replace("}}", " "))
        elif tag in EXPRESSIONS:
            yield text
        if "Condition" in node.attrib:
            yield node.attrib["Condition"]


def abi_version(text):
    """As config.hpp says: 0_x or x."""
    major, minor = (re.search(rf"LINN_VERSION_{part} (\d+)", text).group(1) for part in ("MAJOR", "MINOR"))
    return f"0_{minor}" if major == "0" else major


def natvis(root, name, code):
    try:
        tree = xml.etree.ElementTree.fromstring(source.read(root, name))
    except xml.etree.ElementTree.ParseError as error:
        return [f"{name}:{error.position[0]}: not well-formed: {error}"]
    abi = abi_version(source.read(root, "include/linn/version.hpp"))
    known, problems, views = words(code), [], 0
    for view in tree.iter():
        if not view.tag.endswith("}Type"):
            continue
        views += 1
        named = [view.attrib["Name"]] + [child.attrib["Name"] for child in view
                                         if child.tag.endswith("}AlternativeType")]
        plain = re.sub(r"^linn::v\d\w*::", "linn::", named[0])
        for tag in TAGS:
            full = plain.replace("linn::", f"linn::v{abi}{tag}::", 1)
            if full not in named:
                problems.append(f"{name}:1: {plain} has no view as {full}")
        short = re.sub(r"<.*", "", plain).rsplit("::", 1)[-1]
        if not re.search(rf"\b(class|struct)\s+(alignas\([^)]*\)\s*)?{short}\b", code):
            problems.append(f"{name}:1: no class {short} in the headers")
        for text in expressions(view):
            for word in sorted(words(re.sub(r"\$T\d+", "", text)) - LANGUAGE - known):
                problems.append(f"{name}:1: {plain}: {word} is not in the headers")
    if not views:
        problems.append(f"{name}:1: no view at all")
    return problems


def script(root, name, code):
    """Members are read as value["member"] in gdb, as member(value, "outer.inner") in lldb; other strings name none."""
    known, problems = words(code), []
    for number, line in enumerate(source.read(root, name).split("\n"), 1):
        for member in (re.findall(r"(?<=[\w\])])\[[\"'](\w+)[\"']\]", line) + re.findall(r"chain\(.*, \"(\w+)\"\)", line) +
                       [word for path in re.findall(r"(?:member|number)\((?:[\w.]+|\w+\([^()]*\)), [\"']([\w.]+)[\"']\)", line)
                        for word in path.split(".")]):
            if member not in known and not member.startswith(("_M_", "__")):
                problems.append(f"{name}:{number}: {member} is not in the headers")
    return problems


def check(root):
    names = [name for name in source.files(root) if name.startswith(FOLDER)]
    code = headers(root)
    problems = []
    for name in names:
        if name.endswith(".natvis"):
            problems += natvis(root, name, code)
        elif name.endswith(("_gdb.py", "_lldb.py")):
            problems += script(root, name, code)
    return problems


VIEW = ("<AutoVisualizer xmlns='http://schemas.microsoft.com/vstudio/debugger/natvis/2010'>"
        "<Type Name='linn::v3::a&lt;*&gt;'>" + "".join(f"<AlternativeType Name='linn::v3{tag}::a&lt;*&gt;'/>"
                                                       for tag in TAGS[1:])
        + "<DisplayString>{{ x={%s} }} words</DisplayString><Expand><Item Name='[y]'>%s + $T1</Item></Expand>"
        "</Type></AutoVisualizer>\n")
TREE = {"include/linn/version.hpp": "#define LINN_VERSION_MAJOR 3\n#define LINN_VERSION_MINOR 4\n",
        "include/linn/a.hpp": "class a { int one_; int two_; // gone_\n};\n"}
PLANTED = [
    ({**TREE, "packaging/debug/a.natvis": VIEW % ("one_", "gone_")}, "gone_ is not in the headers"),
    ({**TREE, "packaging/debug/a.natvis": VIEW % ("gone_", "one_")}, "gone_ is not in the headers"),
    ({**TREE, "packaging/debug/a.natvis": VIEW.replace("v3_asan", "v2_asan") % ("one_", "two_")}, "has no view as"),
    ({**TREE, "packaging/debug/a.natvis": (VIEW % ("one_", "two_")).replace("::a&", "::b&")}, "no class b"),
    ({**TREE, "packaging/debug/a.natvis": "<AutoVisualizer>"}, "not well-formed"),
    ({**TREE, "packaging/debug/a.natvis": "<AutoVisualizer/>"}, "no view at all"),
    ({**TREE, "include/linn/version.hpp": "#define LINN_VERSION_MAJOR 0\n#define LINN_VERSION_MINOR 3\n",
      "packaging/debug/a.natvis": VIEW % ("one_", "two_")}, "no view as linn::v0_3::"),
    ({**TREE, "packaging/debug/a_gdb.py": "x = int(value[\"one_\"][\"gone_\"])\n"}, "gone_ is not in the headers"),
    ({**TREE, "packaging/debug/a_gdb.py": "x = chain(y, \"gone_\")\n"}, "gone_ is not in the headers"),
    ({**TREE, "packaging/debug/a_lldb.py": "x = number(member(value, \"one_.two_\"), \"gone_\")\n"}, "gone_ is not in the headers"),
    ({**TREE, "packaging/debug/a_lldb.py": "x = number(value, \"one_.gone_\")\n"}, "gone_ is not in the headers"),
    ({**TREE, "packaging/debug/a.natvis": VIEW % ("one_", "two_"),
      "packaging/debug/a_gdb.py": "x = value[\"one_\"]  # \"gone_\"\nreturn [\"word\"]\n"}, None),
]

if __name__ == "__main__":
    source.main(check, PLANTED)
