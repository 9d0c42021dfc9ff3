#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The corpus of the clang-tidy plugin: what it finds in small files, line by line, and what its fixes make of them.

  corpus.py --plugin SO --clang-tidy PROGRAM --cxx COMPILER --include DIR [--notes] GROUP
  corpus.py --truth --cxx COMPILER --include DIR

Each file of corpus/GROUP says in comments what is to be found in it:

  // finds N, WHAT         on this line N bytes are filled; "each" after N where it is N for each element.
                           WHAT is "fix", "note" (a fix-it on a note only) or "no fix". A third word, where there is one, is
                           the class: "removable", "relied upon" or "cold"
  // overwrites N, WHAT    the same for linn-overwritten-fill
  // member N              a note names this member, with its bytes
  // writer                a note says that a statement on this line overwrites the fill
  // bytes: TYPE N         what T() fills, by measurement (--truth), where it is not what is found where one is made; "TYPE >= N"
  //                       where the check stays below
  // global: WHY           does not go into a namespace

Anything found that no comment expects is an error, and the other way round. A fix must change its line as fixed_line()
says, and no other; the fixed file is compiled; --notes does it again with the fix-its of the notes. One translation unit
includes a whole group, each file in a namespace of its own."""
import argparse
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CORPUS = HERE / "corpus"
FLAGS = {"cxx20": ["-std=c++20", "-fopenmp"], "cxx17": ["-std=c++17"], "linn": ["-std=c++20"], "boost": ["-std=c++20"],
         "libcxx": ["-std=c++20", "-stdlib=libc++"]}
SKIPPED = 77

DIAGNOSTIC = re.compile(r"^(?P<file>[^\s:]+):(?P<line>\d+):\d+: (?P<kind>warning|error|note): (?P<text>.*?)"
                        r"(?: \[(?P<check>linn-[-a-z]+)\])?$")
CHECKS = {"linn-zero-fill": "finds", "linn-overwritten-fill": "overwrites"}
CONFIG = "{CheckOptions: [%s]}" % ", ".join("{key: %s.Facts, value: 1}" % check for check in CHECKS)
EXPECTED = re.compile(r"// (?P<what>finds|overwrites) (?P<bytes>\d+)(?P<each> each)?, (?P<fix>fix|note|no fix)"
                      r"(?:, (?P<class>removable|relied upon|cold))?$|"
                      r"// member (?P<member>\d+)$|// (?P<note>writer)$")


def expectations(path):
    """Per line: what the comment says, as find() writes it."""
    wanted = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = EXPECTED.search(line)
        if not match:
            continue
        if match["what"]:
            wanted[number] = (match["what"], match["bytes"] + (match["each"] or ""), match["fix"],
                              *([match["class"]] if match["class"] else []))
        elif match["member"]:
            wanted[number] = ("member", match["member"])
        else:
            wanted[number] = (match["note"],)
    return wanted


def find(output, folder):
    """{file name: {line: what was found}} in clang-tidy's output, and problems. Only the facts are read: the last note of
    each warning, and of the notes before it their places, in the order of the kinds that it lists."""
    found, problems, warning, notes = {}, [], None, []
    for line in output.splitlines():
        match = DIAGNOSTIC.match(line)
        if not match:
            continue
        path, number = pathlib.Path(match["file"]), int(match["line"])
        if match["kind"] == "error" or match["kind"] == "warning" and path.parent != folder:
            problems.append(line)
        elif match["kind"] == "warning":
            if warning:
                problems.append(f"{warning[0].name}:{warning[1]}: no facts")
            warning, notes = (path, number, match["check"]), []
        elif not match["text"].startswith("{"):
            if not match["text"].startswith(("FIX-IT ", "expanded from macro")):  # clang-tidy's own notes
                notes.append((path, number))
        else:
            add_facts(json.loads(match["text"]), *warning, notes, found, problems)
            warning = None
    return found, problems


def add_facts(facts, path, number, check, notes, found, problems):
    lines = found.setdefault(path.name, {})
    if number in lines and lines[number][0] not in ("member", "writer"):
        problems.append(f"{path.name}:{number}: twice")
    fix = {"safe": "fix", "review": "note", "none": "no fix"}[facts["fix"]]
    if facts["linn_finding"] != 3 or not facts["what"]:
        problems.append(f"{path.name}:{number}: {check} says {facts}")
    lines[number] = (CHECKS[check], str(facts["bytes"]) + (" each" if facts["per_element"] else ""), fix, facts["class"])
    if len(notes) != len(facts["notes"]) or bool(facts["reason"]) != (fix != "fix"):
        problems.append(f"{path.name}:{number}: {len(notes)} notes, and the facts {facts}")
    members = iter(facts["members"])
    for (file, line), kind in zip(notes, facts["notes"]):
        if kind == "member":
            found.setdefault(file.name, {})[line] = ("member", str(next(members)["bytes"]))
        elif kind == "writer":
            found.setdefault(file.name, {}).setdefault(line, ("writer",))


def unity(files):
    """One translation unit of many files: their includes first, then each in its namespace."""
    includes = sorted({line for file in files for line in file.read_text().splitlines() if
                       line.startswith("#include <")})
    text = "\n".join(includes) + "\n"
    for file in files:
        if "\n// global:" in file.read_text():
            text += f'#include "{file.name}"\n'
        else:
            text += f'namespace file_{file.stem} {{\n#include "{file.name}"\n}}\n'
    return text


def tidy(arguments, folder, files, fix):
    source = folder / "unity.cc"
    source.write_text(unity(files))
    command = [arguments.clang_tidy, f"--load={arguments.plugin}", "--checks=-*,linn-*", f"--config={CONFIG}",
               f"--header-filter={re.escape(str(folder))}/.*", fix, str(source), "--", *FLAGS[arguments.group],
               f"-I{arguments.include}", "-w"]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout + ("" if done.returncode == 0 else done.stderr)


def compiles(arguments, folder, files):
    (folder / "unity.cc").write_text(unity(files))
    compiler = arguments.cxx
    if arguments.group == "libcxx":
        compiler = shutil.which(arguments.clang_tidy.replace("clang-tidy", "clang++")) or ""
    if not compiler:
        return []
    done = subprocess.run([compiler, *FLAGS[arguments.group], "-fsyntax-only", "-w", f"-I{arguments.include}", "unity.cc"], cwd=folder,
                          capture_output=True, text=True)
    return [] if done.returncode == 0 else ["what was fixed does not compile:\n" + done.stderr]


def copy(sources, folder):
    folder.mkdir()
    return [pathlib.Path(shutil.copy(source, folder)) for source in sources]


def fixed_line(line, group):
    """The line as its fix leaves it. The new name is qualified where a using-declaration has only the old one."""
    suffix = "_noinit" if group == "boost" else "_for_overwrite"
    line = re.sub(r"\b(make_shared|make_unique|allocate_shared)<", rf"\1{suffix}<", line)
    return re.sub(r"( = \{\}|\{\});", ";", line)


def wrong_changes(source, fixed, wanted, group):
    lines, changed = source.read_text().splitlines(), fixed.read_text().splitlines()
    for number, (before, after) in enumerate(itertools.zip_longest(lines, changed), 1):
        expected = fixed_line(before, group) if "fix" in wanted.get(number, ()) else before
        if after not in (expected, expected.replace("return make", "return std::make")):
            yield f"{source.name}:{number}: expected of the fix: {expected}, found: {after}"


def check_notes(arguments, folder, sources):
    files = copy(sources, folder)
    output = tidy(arguments, folder, files, "--fix-notes")
    problems = find(output, folder)[1] if "error:" in output else []
    problems += compiles(arguments, folder, files)
    for source in sources:
        lines, changed = source.read_text().splitlines(), (folder / source.name).read_text().splitlines()
        for line, (what, *rest) in expectations(source).items():
            if what == "finds" and rest[1] == "note" and lines[line - 1] in changed:
                problems.append(f"{source.name}:{line}: --fix-notes changed nothing")
    return problems


def check_group(arguments):
    if arguments.clang_tidy in (None, "") or not shutil.which(arguments.clang_tidy):
        print("skipped: clang-tidy is not installed")
        return SKIPPED
    sources = sorted((CORPUS / arguments.group).glob("*.cpp"))
    problems = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary).resolve() / "fixed"
        files = copy(sources, folder)
        output = tidy(arguments, folder, files, "--fix")
        if arguments.group == "libcxx" and "'memory' file not found" in output:
            print("skipped: libc++ is not installed")
            return SKIPPED
        found, problems = find(output, folder)
        for source in sources:
            wanted, got = expectations(source), found.get(source.name, {})
            if source.stem.startswith("silent") and wanted:
                problems.append(f"{source.name}: a silent file expects something")
            for line in sorted({*wanted, *got}):
                expected, actual = wanted.get(line), got.get(line)
                if expected is not None and actual is not None and actual[:len(expected)] == expected:
                    continue  # the class is compared where one is named
                if expected is None and actual == ("writer",):
                    continue  # and so is a writer
                problems.append(f"{source.name}:{line}: expected {expected}, found {actual}")
            problems += wrong_changes(source, folder / source.name, wanted, arguments.group)
        problems += compiles(arguments, folder, files)
        # The fix-its of notes are a person's choice; they must compile all the same.
        if arguments.notes:
            problems += check_notes(arguments, pathlib.Path(temporary).resolve() / "notes", sources)
    for problem in problems:
        print(problem)
    print(f"{len(sources)} files, {len(problems)} problems")
    return 1 if problems else 0


def truth(arguments):
    """Compiles a program that measures what the comments claim."""
    files, tests = [], []
    for group in ("cxx20", "linn"):
        for file in sorted((CORPUS / group).glob("*.cpp")):
            text = file.read_text()
            claims = set(re.findall(r"^// bytes: (\w+) (>= )?(\d+)$", text, re.MULTILINE))
            claims |= {(name, "", found) for name, found in re.findall(r"make_(?:shared|unique)<(\w+)>\(.*// finds (\d+),", text)
                       if re.search(rf"^(?:struct|class|union) {name} ", text, re.MULTILINE) and (name, ">= ", found) not in claims}
            if claims:
                files.append(file)
            for name, at_least, number in sorted(claims):
                name = f"file_{file.stem}::{name}"
                measure = f"linn::value_initialization_fill<{name}>()"
                tests.append(f'    ok &= same("{name}", {measure}, {number}, {"true" if at_least else "false"});\n')
    program = "#include <linn/zero_fill.hpp>\n#include <cstdio>\n" + unity(files) + """
bool same(const char* name, std::size_t measured, std::size_t claimed, bool at_least) {
    if (measured == claimed || (at_least && measured > claimed)) {
        return true;
    }
    std::printf("%s: measured %zu bytes, the corpus says %zu\\n", name, measured, claimed);
    return false;
}
int main() {
    bool ok = true;
""" + "".join(tests) + "    return ok ? 0 : 1;\n}\n"
    # What these declare and do not define is never called.
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "truth.cpp").write_text(program)
        for file in files:
            shutil.copy(file, folder)
        compiled = subprocess.run([arguments.cxx, "-std=c++20", "-O0", "-w", f"-I{arguments.include}", "truth.cpp", "-o",
                                   "truth", "-ffunction-sections", "-Wl,--gc-sections"], cwd=folder)
        if compiled.returncode != 0:
            return 1
        print(f"{len(tests)} types")
        return subprocess.run([folder / "truth"]).returncode


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("group", nargs="?", choices=sorted(FLAGS))
    parser.add_argument("--plugin", type=os.path.abspath)
    parser.add_argument("--clang-tidy")
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--include", required=True, type=os.path.abspath)
    parser.add_argument("--truth", action="store_true")
    parser.add_argument("--notes", action="store_true", help="also apply the fix-its of notes")
    arguments = parser.parse_args()
    return truth(arguments) if arguments.truth else check_group(arguments)


if __name__ == "__main__":
    sys.exit(main())
