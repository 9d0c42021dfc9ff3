# SPDX-License-Identifier: Apache-2.0
"""Runs `linn lint`, mostly with a stand-in for clang-tidy (fake_tidy.py)."""
import json
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess

import cases
from cases import check, prose, rows_of, runs, skip, wait_for

FAKE = pathlib.Path(__file__).resolve().parent / "fake_tidy.py"
LARGE = "auto p = make_shared<Line>(); // FILL 8388608 make_shared<Line> member=data:8388608 fix=Line>Page\n"
SMALL = "auto q = make_shared<Key>(); // FILL 96 make_shared<Key>\n"


class Tool(cases.Tool):
    def __init__(self, given, folder):
        super().__init__(given, folder / "project")
        self.folder.mkdir()
        (self.folder / ".git").mkdir()
        self.log = folder / "log"
        self.slow = folder / "slow"
        self.plugin = folder / "linn-tidy-19.so"
        self.plugin.write_bytes(b"")
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self.environment = {"FAKE_LOG": str(self.log), "FAKE_SLOW": str(self.slow), "TMPDIR": str(self.temporary)}
        self.entries = []

    def source(self, name, text="", arguments=None, entry=True, **more):
        """Writes a source, and its entry in the database."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is not None:
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        if entry:
            command = arguments or ["g++", "-c", name, "-o", "x.o"]
            self.entries.append({"directory": str(self.folder), "file": name, "arguments": command} | more)
        return path

    def database(self, content=None, folder="build"):
        path = self.folder / folder / "compile_commands.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(self.entries) if content is None else content)
        return path

    def words(self, arguments, fake=True):
        given = ["--clang-tidy", str(FAKE), "--plugin", str(self.plugin)] if fake else []
        return [self.linn, "lint", *given, *arguments]

    def call(self, *arguments, fake=True, status=None, env=None, cwd=None, **environment):
        return super().call(*self.words(arguments, fake)[1:], status=status, cwd=cwd or self.folder,
                            env=self.environment | environment | (env or {}))

    def lint(self, *arguments, status=0, **more):
        return self.call(*arguments, status=status, **more)

    def result(self, *arguments, status=0, **more):
        return cases.result_of(self.lint("--json", "-", *arguments, status=status, **more).stdout)

    def refused(self, *arguments, **more):
        done = self.lint(*arguments, status=2, **more)
        check(done.stdout == "", done.stdout)
        check("\n\n" not in done.stderr and done.stderr.startswith("linn lint: "), done.stderr)
        return prose(done.stderr)

    def calls(self):
        return [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []


def places(result):
    return [(pathlib.Path(f["file"]).name, f["line"], f["bytes"]) for f in result["findings"]]


def case_nothing_found(tool):
    a = tool.source("a.cpp", SMALL)
    tool.database()
    for words, status in ((["--error-from", "96"], 1), (["--error-from", "97"], 0), (["--no-fail"], 0)):
        tool.lint(*words, status=status)
    a.write_text("int a;\n")
    done = tool.lint()
    check(done.stdout.startswith("No place writes zeros for nothing.\n\n1 file checked by clang-tidy 19.1.7"), done.stdout)
    check(done.stderr == "", done.stderr)


def case_found(tool):
    tool.source("src/small.cpp", "\n\n" + SMALL)
    tool.source("src/large.cpp", LARGE)
    tool.database()
    done = tool.lint(status=1)
    lines = done.stdout.splitlines()
    check(lines[0] == "2 places write 8.000 MiB of zeros for nothing; --fix can change 1 of them.", lines[0])
    rows = [line.split() for line in lines if "src/" in line]
    check(rows == [["8.000", "MiB", "src/large.cpp:1:1", "make_shared<Line>", "yes"], ["src/large.cpp:1:1:", "a", "member"],
                   ["96", "B", "src/small.cpp:3:1", "make_shared<Key>", "no"]], rows)
    result = tool.result(status=1)
    check(places(result) == [("large.cpp", 1, 8388608), ("small.cpp", 3, 96)], result)
    call = tool.calls()[0]["arguments"]
    check(f"--load={tool.plugin}" in call, call)
    check(any("Checks: '-*,linn-zero-fill,linn-overwritten-fill'" in word for word in call), call)
    check(any("linn-zero-fill.MinBytes, value: 64}" in word for word in call), call)
    check(any("linn-zero-fill.Facts, value: 1}" in word for word in call), call)
    tool.lint("--min-bytes", "4096", "--checks", "overwritten", status=1)
    call = tool.calls()[-1]["arguments"]
    check(any("Checks: '-*,linn-overwritten-fill'" in word for word in call), call)
    check(any("linn-overwritten-fill.MinBytes, value: 4096}" in word for word in call), call)


def case_elements(tool):
    tool.source("a.cpp", "int x; // FILL 16 new[] each=1 fix=int>long\nint z; // FILL 64 small\n")
    tool.database()
    done = tool.lint("--error-from", "100000", status=1)  # the number of elements is not known
    check("1 place writes 64 B" in prose(done.stdout) and "1 more fills arrays" in prose(done.stdout), done.stdout)
    rows = [line for line in done.stdout.splitlines() if "a.cpp" in line or line.endswith(":")]
    check(["64 B" in rows[0], "each element" in rows[1], "16 B each" in rows[2]] == [True] * 3, rows)
    result = tool.result(status=1)
    check([f["per_element"] for f in result["findings"]] == [False, True], result)
    check([result[k] for k in ("places", "places_per_element", "places_with_fix", "bytes")] == [1, 1, 1, 64], result)


def case_header_filter(tool):
    outside = tool.folder.parent / "other" / "x.hpp"
    outside.parent.mkdir()
    outside.write_text(LARGE)
    tool.source("third_party/y.hpp", LARGE, entry=False)
    tool.source("inc/z.hpp", LARGE, entry=False)
    tool.source("a.cpp", f'#include "{outside}"\n#include "third_party/y.hpp"\n#include "inc/z.hpp"\n')
    tool.database()
    check(places(tool.result(status=1)) == [("z.hpp", 1, 8388608)], "headers of the project only")
    check({p[0] for p in places(tool.result("--exclude", "", status=1))} == {"y.hpp", "z.hpp"}, "--exclude ''")
    check(places(tool.result("--header-filter", "/other/", status=1)) == [("x.hpp", 1, 8388608)], "--header-filter")


def case_no_git(tool):
    """Without a git tree, what lies around the sources and the build folder is the project: headers in include/ next to src/ too."""
    (tool.folder / ".git").rmdir()
    tool.source("include/h.hpp", LARGE, entry=False)
    tool.source("src/a.cpp", '#include "../include/h.hpp"\n')
    tool.database()
    check(places(tool.result(status=1)) == [("h.hpp", 1, 8388608)], "the header")


def case_excluded(tool):
    tool.source("third_party/lib/a.cpp", LARGE)
    tool.source("build/generated.cpp", LARGE)
    tool.source("src/b.cpp", "")
    tool.source("src/c.c", LARGE, ["gcc", "-c", "src/c.c"])
    tool.database()
    done = tool.lint()
    text = prose(done.stdout)
    check("1 file checked" in text and "left out: 2 files of the build folder or of third parties" in text, text)
    check("left out: 1 file in another language" in text, text)
    check(len(tool.result("--exclude", "", status=1)["findings"]) == 2, "--exclude ''")
    check(tool.result("--exclude", "^src/|^build/", status=1)["units"]["excluded"] == 2, "--exclude REGEX")
    check(len(tool.result("third_party/lib/a.cpp", status=1)["findings"]) == 1, "a file that is named is checked")


def case_files(tool):
    for name in ("src/a.cpp", "src/deep/b.cpp", "src/a_test.cpp", "lib/c.cc"):
        tool.source(name, SMALL)
    tool.database()

    def chosen(*patterns):
        return sorted(pathlib.Path(f["path"]).name for f in tool.result(*patterns, status=1)["findings"])
    check(chosen("src/a.cpp") == ["a.cpp"], chosen("src/a.cpp"))
    check(chosen("src") == ["a.cpp", "a_test.cpp", "b.cpp"], chosen("src"))
    check(chosen("src/deep/", "lib/c.cc") == ["b.cpp", "c.cc"], "two")
    check(chosen("*_test.cpp") == ["a_test.cpp"], "glob")
    check(chosen(str(tool.folder / "lib")) == ["c.cc"], "absolute")
    check(sorted(f["path"] for f in tool.result("a.cpp", cwd=tool.folder / "src", status=1)["findings"]) == ["src/a.cpp"],
          "from another folder")


def case_header_given(tool):
    tool.source("inc/line.hpp", LARGE, entry=False)
    tool.source("inc/all.hpp", "#pragma once\n# include <line.hpp>\n" + SMALL, entry=False)
    tool.source("src/a.cpp", '#include "../inc/all.hpp"\n' + SMALL, ["g++", "-Iinc", "-c", "src/a.cpp"])
    tool.source("src/b.cpp", SMALL)
    tool.source("inc/alone.hpp", '#include "orphan.hpp"\n', entry=False)
    tool.source("inc/orphan.hpp", "", entry=False)
    tool.source("inc/dos.hpp", "", entry=False)
    tool.source("src/dos.cpp", '#include "../inc/dos.hpp"\r\n')
    tool.database()
    result = tool.result("inc/all.hpp", status=1)
    check(places(result) == [("all.hpp", 3, 96)] and result["units"]["chosen"] == 1, result)
    check(tool.result("inc/line.hpp")["units"]["chosen"] == 1, "reached through another header")
    result = tool.result("inc", status=1)  # a folder of headers stands for all of them
    check([p[0] for p in places(result)] == ["all.hpp"] and result["remarks"] == [], result)
    check(tool.result("inc/dos.hpp")["units"]["chosen"] == 1, "lines that end as on Windows")
    for name in ("inc/alone.hpp", "inc/orphan.hpp"):  # the other one includes it, and nothing that one
        message = tool.refused(name)
        check(f"{name}: no checked file includes it" in message, message)


def case_files_that_are_not_there(tool):
    tool.source("src/table.cpp", SMALL)
    tool.source("README.md", "", entry=False)
    tool.source("src/new.cpp", "", entry=False)
    tool.database()
    check("src/tabel.cpp: there is no such file; did you mean table.cpp?" in tool.refused("src/tabel.cpp"), "suggestion")
    check("does not say how it is compiled" in tool.refused("src/new.cpp"), "no entry")
    done = tool.lint("README.md")  # what `git diff --name-only` gives
    check("README.md: left out: it is not C++" in prose(done.stdout), done.stdout)
    done = tool.lint("src/tabel.cpp", "src/table.cpp", status=1)
    check("there is no such file" in prose(done.stdout), done.stdout)
    tool.source("empty/x.txt", "", entry=False)
    check("empty: no file of build/compile_commands.json lies there" in tool.refused("empty"), "folder")


def case_database_is_found(tool):
    tool.source("src/a.cpp", SMALL)
    path = tool.database(folder="build/release")
    os.utime(path, (2e9, 2e9))
    tool.database("[]", folder="cmake-build-debug")
    check(tool.result(status=1)["database"] == "build/release/compile_commands.json", "the newest")
    result = tool.result(cwd=tool.folder / "src", status=1)
    check(result["database"] == "../build/release/compile_commands.json", result["database"])
    for given in (path, path.parent):
        check(places(tool.result("-p", str(given), status=1)) == [("a.cpp", 1, 96)], given)
    message = tool.refused("-p", "build")
    check("there is no compile_commands.json in build; did you mean build/release?" in message, message)


def case_no_database(tool):
    message = tool.refused()
    for word in ("there is no compile_commands.json", "CMAKE_EXPORT_COMPILE_COMMANDS=ON", "meson setup", "Bazel", "bear -- make"):
        check(word in message, message)
    check("there is no nowhere" in tool.refused("-p", "nowhere"), "--build")


def case_broken_databases(tool):
    tool.source("a.cpp", "")
    entry = tool.entries[0]
    for content, wanted in [("", "it is empty"), ("[]", "it lists no file"), ("{}", "wanted an array"),
                            ('[\n{"file": oops', "it is no JSON: line 2"), ("[3]", "entry 0: cannot use at() with number"),
                            (json.dumps([{k: v for k, v in entry.items() if k != "file"}]), "entry 0: key 'file' not found"),
                            (json.dumps([entry, entry | {"arguments": "x"}]), "entry 1: type must be array, but is string"),
                            (json.dumps([entry | {"arguments": []}]), "entry 0: its command is empty"),
                            (json.dumps([entry | {"file": "a.c"}]), "lists no C++ file"),
                            ("[" * 100000, "it is no JSON")]:
        tool.database(content)
        message = tool.refused()
        check(wanted in message and "build/compile_commands.json" in message, f"{wanted!r} is not in {message!r}")


def case_files_are_gone(tool):
    tool.source("gone.cpp", None)
    tool.source("here.cpp", "")
    tool.database()
    done = tool.lint(status=1)
    check("gone.cpp: there is no such file; build/compile_commands.json is older than the sources" in prose(done.stdout),
          done.stdout)
    check("1 file checked" in done.stdout, done.stdout)


def case_does_not_compile(tool):
    tool.source("bad.cpp", "int x;\n  y // ERROR unknown type name 'y'\n" + LARGE)
    tool.source("good.cpp", SMALL)
    tool.source("later.cpp", "")
    tool.database()
    done = tool.lint(status=1)
    text = prose(done.stdout)
    check("2 files checked by clang-tidy 19.1.7" in text and "1 file could not be checked wholly" in text, text)
    check(re.search(r"bad\.cpp: \S*bad\.cpp:2:1: unknown type name 'y'", text), text)
    result = tool.result("--no-fail", status=1)
    check([pathlib.Path(f["file"]).name for f in result["failed_files"]] == ["bad.cpp"], result)
    check(places(result) == [("bad.cpp", 3, 8388608), ("good.cpp", 1, 96)], "what was seen is told")
    check(result["findings"][0]["fix"]["state"] == "none", "no fix from a file with errors")


def case_crash(tool):
    tool.source("bad.cpp", "// CRASH\n")
    tool.source("odd.cpp", "// STATUS 3\n")
    tool.source("good.cpp", SMALL)
    tool.database()
    text = prose(tool.lint(status=1).stdout)
    check("bad.cpp: clang-tidy crashed with SIGSEGV" in text, text)
    check("odd.cpp: clang-tidy ended with status 3: error: something is wrong" in text, text)
    check("1 place writes 96 B" in text, text)


def case_entries_twice(tool):
    tool.source("a.cpp", LARGE, ["g++", "-c", "a.cpp", "-o", "1.o"])
    tool.source("a.cpp", LARGE, ["g++", "-c", "a.cpp", "-o", "2.o"])
    tool.source("a.cpp", LARGE, ["g++", "-DX", "-c", "a.cpp", "-o", "3.o"])
    tool.database()
    result = tool.result(status=1)
    check(len(tool.calls()) == 1 and result["findings"][0]["units"] == 1, "a file is read once")
    check(result["units"]["checked"] == 1 and result["units"]["compiled_again"] == 2, result["units"])
    check("left out: 2 compilations more of files that are compiled in several ways" in prose(tool.lint(status=1).stdout), "told")


def case_fix(tool):
    a = tool.source("a.cpp", "\xe9 = 1;\r\n".encode("latin-1") + LARGE.encode() + b"int z;")
    a.chmod(0o640)
    header = tool.source("h.hpp", LARGE, entry=False)
    for name in ("b.cpp", "c.cpp"):
        tool.source(name, '#include "h.hpp"\n' + SMALL)
    tool.database()
    done = tool.lint("--fix", status=1)  # SMALL is left
    wanted = LARGE.replace("shared<Line>()", "shared<Page>()", 1)
    check(a.read_bytes() == "\xe9 = 1;\r\n".encode("latin-1") + wanted.encode() + b"int z;", a.read_bytes())
    check(stat.S_IMODE(a.stat().st_mode) == 0o640, "permissions are kept")
    check(header.read_text() == wanted, "a header is changed once: " + header.read_text())
    check("2 places fixed" in prose(done.stdout), done.stdout)
    check(sorted(p.name for p in tool.folder.iterdir()) == [".git", "a.cpp", "b.cpp", "build", "c.cpp", "h.hpp"], "leftovers")
    check(list(tool.temporary.iterdir()) == [], "temporary files are left")


def case_fix_all_is_success(tool):
    tool.source("a.cpp", LARGE)
    tool.database()
    tool.lint("--fix")
    tool.source("b.cpp", "int a; // FILL 100 x note=int>long\n")
    tool.database()
    before = (tool.folder / "b.cpp").read_text()
    done = tool.lint("--fix", "b.cpp", status=1)
    check((tool.folder / "b.cpp").read_text() == before, "a fix in a note is not for --fix")
    check("--fix-notes changes 1 place," in prose(done.stdout), done.stdout)
    tool.lint("--fix-notes", "b.cpp")
    check((tool.folder / "b.cpp").read_text().startswith("long a;"), "--fix-notes")


def case_fix_unwritable(tool):
    if os.geteuid() == 0:
        skip("root may write anything")
    a = tool.source("locked/a.cpp", LARGE)
    b = tool.source("b.cpp", LARGE)
    tool.database()
    a.parent.chmod(0o555)
    done = tool.lint("--fix", status=1)
    a.parent.chmod(0o755)
    check(a.read_text() == LARGE and b.read_text() != LARGE, "one is written, one is not")
    check("not fixed: locked/a.cpp:1:1: cannot write" in prose(done.stdout), done.stdout)


def case_missing_clang_tidy(tool):
    tool.source("a.cpp", "")
    tool.database()
    plugin = ["--plugin", str(tool.plugin)]
    message = tool.refused(*plugin, "--clang-tidy", "/nonexistent/clang-tidy", fake=False)
    check("--clang-tidy: there is no program /nonexistent/clang-tidy" in message, message)
    message = tool.refused(FAKE_VERSION="23.1.0")
    for word in ("no clang-tidy here fits the plugin", "(23.1.0)", "(for clang-tidy 19)", "apt install clang-tidy-19", "dnf install",
                 "conda", "pip"):
        check(word in message, message)
    message = tool.refused("--clang-tidy", shutil.which("false"), *plugin, fake=False)
    check("does not say its version" in message, message)
    message = tool.refused("--clang-tidy", str(FAKE), "--plugin", "/nonexistent.so", fake=False)
    check("--plugin: there is no file /nonexistent.so" in message, message)


def case_plugin_does_not_load(tool):
    tool.source("a.cpp", "")
    tool.database()
    message = tool.refused(FAKE_LOAD_ERROR="error: x.so: undefined symbol: _ZN5clang4tidy")
    check("undefined symbol: _ZN5clang4tidy" in message and "cannot load" in message, message)


def case_plugin_of_another_version(tool):
    """Its sentences are not guessed at."""
    a = tool.source("a.cpp", SMALL)
    tool.database()
    message = tool.refused(FAKE_CONFIG="CheckOptions:\n  linn-zero-fill.MinBytes: 64\n")
    check("the checks linn-* are not there, or are those of an older linn" in message, message)
    for version in (0, 1, 2, 4):
        a.write_text(SMALL.replace("<Key>\n", f"<Key> facts={version}\n"))
        message = tool.refused()
        check("the plugin belongs to another version of linn" in message, message)


def case_interrupt(tool):
    tool.source("a.cpp", SMALL)
    tool.source("b.cpp", "// SLOW\n")
    tool.source("c.cpp", SMALL)
    tool.database()
    child = subprocess.Popen(tool.words(["-j", "1"]), cwd=tool.folder, env=os.environ | tool.environment, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for(lambda: tool.slow.exists() and tool.slow.read_text(), "the slow file")
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    check(child.returncode == 128 + signal.SIGINT, child.returncode)
    text = prose(out)
    check("1 place writes 96 B" in text and "stopped by SIGINT: 2 files not checked" in text, text)
    check(not runs(tool.slow.read_text()), "the child lives on")
    check(list(tool.temporary.iterdir()) == [], "temporary files are left")


def case_reports(tool):
    tool.source("src/a b.cpp", "\tauto x; // FILL 4096 make|shared<T> member=x:4096 fix=auto>long\n// FILL 100 each each=1\n")
    tool.source("bad.cpp", "// ERROR no\n")
    tool.database()
    out = tool.folder / "out"
    out.mkdir()
    options = [f"--{form}={out}/{form}" for form in ("json", "csv", "markdown")]
    tool.lint(*options, status=1)
    result = cases.result_of((out / "json").read_text(), lacks=())
    check(result["complete"] is True, result)
    check(result["units"] == {"chosen": 2, "checked": 1, "failed": 1, "not_run": 0, "excluded": 0, "not_cxx": 0, "compiled_again": 0},
          result["units"])
    check(result["findings"][0]["members"] == [{"name": "x", "bytes": 4096}], result["findings"][0])
    check([note["message"] for note in result["findings"][0]["notes"]] == ["a member"], "the facts are no note of a report")
    rows = rows_of((out / "csv").read_text())
    check([(r["bytes"], r["per_element"], r["fix"]) for r in rows] == [("4096", "false", "offered"), ("100", "true", "none")], rows)
    markdown = (out / "markdown").read_text()
    check(markdown.startswith("**1 place writes 4096 B of zeros for nothing, 1 more fills arrays") and "make\\|shared" in markdown
          and "a member" in markdown, markdown)


def case_width(tool):
    name = "a_file_with_a_rather_long_name_for_a_table.cpp"
    tool.source(f"src/{name}", f"// FILL 5000 std::make_shared<{'a_namespace::' * 5}type> member=data:5000\n" * 30)
    tool.database()
    for width in (80, 120, 200):
        done = tool.lint(status=1, COLUMNS=str(width))
        check(max(map(len, done.stdout.splitlines())) <= width, f"{width}: {done.stdout}")
        check("and 10 more places; --top shows more" in prose(done.stdout), done.stdout)
        check(done.stdout.count("a member") == 20, f"{width}: {done.stdout}")  # what the note below a place says
    check("\x1b" not in done.stdout, "colours in a pipe")
    check("hidden columns" not in tool.lint(status=1).stdout, "a column is lost in a pipe")
    check(tool.lint("--top", "0", status=1).stdout.count("a member") == 30, "--top 0")


def case_classes(tool):
    """Only removable places are in the first sentence and in the exit status; the others stand below, each with its reason."""
    tool.source("a.cpp", "int a; // FILL 4096 std::vector<int>(n) check=linn-overwritten-fill\n"
                "int b; // FILL 65536 std::vector<char>(n) class=relied_upon check=linn-overwritten-fill\n"
                "int c; // FILL 256 std::array<char,256> class=cold\n")
    tool.database()
    done = tool.lint(status=1)
    check(done.stdout.startswith("1 place writes 4096 B of zeros for nothing;"), done.stdout)
    rows = [line for line in done.stdout.splitlines() if "a.cpp" in line or line.endswith(":")]
    check(["4096 B" in rows[0], "maybe relied upon" in rows[1], "64.00 KiB" in rows[2], "cold: small" in rows[3], "256 B" in rows[4]]
          == [True] * 5, rows)
    result = tool.result(status=1)
    check([f["class"] for f in result["findings"]] == ["removable", "relied upon", "cold"], result["findings"])
    check([result[k] for k in ("places", "bytes", "places_relied_upon", "places_cold")] == [1, 4096, 1, 1], result)
    tool.source("a.cpp", "int b; // FILL 65536 x class=relied_upon\n", entry=False)
    done = tool.lint(status=0)
    check(done.stdout.startswith("No place writes zeros for nothing for certain, 1 may.\n"), done.stdout)


def case_page(tool):
    tool.source("a.cpp", LARGE + "int b; // FILL 65536 std::vector<char>(n) class=relied_upon\n")
    tool.database()
    text = tool.lint("--html", "-", status=1).stdout
    check(text.split("<h1>")[1].startswith("Where does ") and "<title>linn lint " in text, text[:300])
    check("<table" in text and "a.cpp:1:1" in text and "maybe relied upon" in text and "http" not in text.split("<body")[1].split("xmlns")[0],
          text[:300])


# With the real clang-tidy.

REAL = """#include <memory>
#include "line.hpp"
std::shared_ptr<Line> f() { auto p = std::make_shared<Line>(); return p; }
template <class T> void g() { auto p = std::make_unique<T>(); p->size = 1; }
void h() { g<Line>(); g<Page>(); }
void quiet() { auto p = std::make_unique<Line>(); p->size = 1; } // NOLINT(linn-zero-fill)
"""
LINE = "#pragma once\nstruct Line { char data[8 << 20]; int size = 0; };\nstruct Page { char data[4096]; int size = 0; };\n"


def real(tool, *arguments, **more):
    """With the clang-tidy and the plugin that linn finds by itself; skipped where there are none."""
    probe = tool.call(*arguments, "--json", "-", fake=False, **more)
    if probe.returncode == 2 and re.search(r"no plugin|no clang-tidy", probe.stderr):
        skip(probe.stderr.splitlines()[0])
    check(probe.stdout, probe.stderr)
    return json.loads(probe.stdout)


def case_real(tool):
    tool.source("line.hpp", LINE, entry=False)
    tool.source("src/a.cpp", REAL, ["g++", "-std=c++20", "-I.", "-c", "src/a.cpp"])
    tool.source("src/bad.cpp", "nonsense;\n")
    tool.database()
    result = real(tool)
    found = [(f["line"], f["bytes"]) for f in result["findings"]]
    check(found == [(3, 8388608), (4, 8388608)], result)
    check(result["findings"][0]["what"] == "std::make_shared<Line>", result["findings"][0]["what"])
    check(not any("linn_finding" in note["message"] for f in result["findings"] for note in f["notes"]), result["findings"])
    check(result["findings"][0]["members"] == [{"name": "data", "bytes": 8388608}], result["findings"][0])
    check(len(result["failed_files"]) == 1 and "bad.cpp:1:1" in result["failed_files"][0]["reason"], result["failed_files"])


FORCED = "#pragma once\n#include <vector>\n#define ROW std::vector<char>\n"
ROW = "int unused_static() { int odd; return 0; }\nvoid f(char* to) { ROW row(4096); for (char& c : row) { c = *to; } }\n"
GCC = ("g++ -Werror -fmax-errors=3 -fno-semantic-interposition -mfentry --param max-inline-insns-single=9 -fplugin=annobin "
       "-specs=some.specs -fmodule-mapper=x -Wl,-z,now -fprofile-use -mtune=intel -mfunction-return=thunk -mfpmath=387+sse "
       "-fcf-protection=check -fdiagnostics-format=json -Wp,-MD,gcc.dependencies")
FRONT_END = "-Xclang -include-pch -Xclang forced.hpp.pch -Xclang -include -Xclang forced.hpp"
COMMANDS = {"werror": "g++ -Werror -Wall -Werror=unused-variable -pedantic-errors -Wduplicated-cond -include forced.hpp",
            "quiet": "g++ -w -includeforced.hpp", "gcc": f"{GCC} -Winvalid-pch -include forced.hpp",
            "ccache": "/usr/bin/ccache g++ -Werror -include forced.hpp", "icecc": "icecc g++ -include forced.hpp",
            "env": "env CCACHE_DIR='x y' sccache c++ '-DX=\"y z\"' -include forced.hpp", "clang": f"clang++ -Winvalid-pch {FRONT_END}",
            "pch": "clang++ -include-pch forced.hpp.pch -include forced.hpp", "missing": "g++ -include missing.hpp"}


def case_real_commands(tool):
    """Commands as builds write them: -Werror with warnings, what only GCC knows, launchers, precompiled headers, -include."""
    tool.source("forced.hpp", FORCED, entry=False)
    for form in ("gch", "pch"):
        tool.source(f"forced.hpp.{form}", b"of another compiler\0", entry=False)
    for name, words in COMMANDS.items():
        tool.source(f"{name}.cpp", ROW, entry=False)
        tool.entries.append({"directory": str(tool.folder), "file": f"{name}.cpp",
                             "command": f"{words} -std=c++17 -MD -MF {name}.d -o {name}.o -c {name}.cpp"})
    tool.database()
    result = real(tool)
    check([pathlib.Path(f["file"]).name for f in result["failed_files"]] == ["missing.cpp"], result["failed_files"])
    check(not (tool.folder / "gcc.dependencies").exists(), "the build's file")
    found = sorted(f["path"] for f in result["findings"] if (f["line"], f["bytes"], f["class"]) == (2, 4096, "removable"))
    check(found == sorted(f"{name}.cpp" for name in COMMANDS if name != "missing"), found)


def case_real_fix(tool):
    """What --fix-notes writes compiles, and leaves nothing to find."""
    tool.source("line.hpp", LINE, entry=False)
    a = tool.source("a.cpp", REAL, ["g++", "-std=c++20", "-c", "a.cpp"])
    tool.database()
    result = real(tool, "--fix-notes", "--checks", "fill")
    states = [f["fix"]["state"] for f in result["findings"]]
    check(set(states) == {"applied"}, result["findings"])
    check("std::make_shared_for_overwrite<Line>()" in a.read_text(), a.read_text())
    check(real(tool, "--checks", "fill")["findings"] == [], "nothing is left")
