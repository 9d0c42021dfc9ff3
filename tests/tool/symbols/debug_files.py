#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Debug information next to the program, missing, of another build, compressed, split; a stripped program; a damaged one."""
import argparse
import lzma
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "samples"))
import judge  # noqa: E402


class Case:
    def __init__(self, given, folder):
        self.given, self.folder = given, pathlib.Path(folder)
        self.program = self.folder / "shapes"
        shutil.copy(given.program, self.program)

    def judge(self, *debug_dirs):
        return judge.judge(self.program, self.given.linn, debug_dirs)

    def objcopy(self, *words):
        subprocess.run(["objcopy", *map(str, words)], check=True)

    def separate(self, where):
        """Moves the debug information into a file, and makes the program name that."""
        where.parent.mkdir(parents=True, exist_ok=True)
        self.objcopy("--only-keep-debug", self.program, where)
        self.objcopy("--strip-all", f"--add-gnu-debuglink={where}", self.program)


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def debug_link(case):
    case.separate(case.folder / "shapes.debug")
    verdict = case.judge()
    expect(verdict.share > 0.95, judge.describe(verdict))
    expect(verdict.problems == "", verdict.problems)


def debug_link_in_folder(case):
    case.separate(case.folder / ".debug" / "shapes.debug")
    expect(case.judge().share > 0.95, "not found in .debug")


def debug_dir(case):
    elsewhere = case.folder / "elsewhere" / "shapes.debug"
    case.separate(elsewhere)
    verdict = case.judge()
    expect(verdict.share < 0.9, "found without being told where")
    expect("shapes.debug" in verdict.problems and "--debug-dir" in verdict.problems, verdict.problems)
    expect(case.judge(elsewhere.parent).share > 0.95, "not found in --debug-dir")


def build_id_folder(case):
    notes = subprocess.run(["readelf", "-n", str(case.program)], capture_output=True, text=True, check=True).stdout
    if "Build ID: " not in notes:
        return  # this linker makes none
    build_id = notes.split("Build ID: ")[1].split()[0]
    where = case.folder / "store" / ".build-id" / build_id[:2] / (build_id[2:] + ".debug")
    where.parent.mkdir(parents=True)
    case.objcopy("--only-keep-debug", case.program, where)
    case.objcopy("--strip-all", case.program)
    expect(case.judge(case.folder / "store").share > 0.95, "not found by build id")


def foreign_debug_file(case):
    """A debug file of another program under the right name is not believed."""
    where = case.folder / "shapes.debug"
    case.separate(where)
    case.objcopy("--only-keep-debug", case.given.linn, where)
    verdict = case.judge()
    expect(verdict.share < 0.9, "believed")
    expect("another build" in verdict.problems, verdict.problems)


def compressed(case):
    case.objcopy("--compress-debug-sections=zlib", case.program)
    expect(case.judge().share > 0.95, "compressed sections not read")


def nameless(verdict):
    return {one["label"] for _, one in verdict.unexplained if one["named_by"] == "none"}


def stripped(case):
    """RTTI alone names what is polymorphic."""
    case.objcopy("--strip-all", case.program)
    verdict = case.judge()
    expect(verdict.rules["rtti"] >= 1500, judge.describe(verdict))
    # What has no name at all is the program's, not the C library's.
    expect(any("-byte blocks of shapes" in name for name in nameless(verdict)), nameless(verdict))


def mini_debug_info(case):
    """The symbols of .gnu_debugdata say as much as those of .symtab."""
    def names():
        return nameless(case.judge())

    case.objcopy("--strip-debug", case.program)
    symbols = case.folder / "symbols"
    case.objcopy("--only-keep-debug", case.program, symbols)
    with_symbols = names()
    case.objcopy("--strip-all", case.program)
    without = names()
    packed = case.folder / "packed.xz"
    packed.write_bytes(lzma.compress(symbols.read_bytes()))
    case.objcopy("--add-section", f".gnu_debugdata={packed}", case.program)
    expect(any("blocks of main" in name for name in with_symbols), with_symbols)
    expect(without != with_symbols == names(), (without, with_symbols, names()))


def no_servers(case):
    """Without --debuginfod no server is asked, whatever the environment names."""
    case.objcopy("--strip-all", case.program)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.5)
        os.environ["DEBUGINFOD_URLS"] = f"http://127.0.0.1:{server.getsockname()[1]}/"
        try:
            case.judge()
            server.accept()
        except socket.timeout:
            return
        finally:
            del os.environ["DEBUGINFOD_URLS"]
    raise AssertionError("asked")


def replaced(case, content, later):
    """The program runs, and is another when linn advise reads it."""
    case.program.write_bytes(content)
    judge.judge(case.program, case.given.linn, before_advice=lambda: case.program.write_bytes(later))


def damaged(case):
    """Bytes of the debug information overwritten: no crash, and no types that do not fit."""
    content = bytearray(case.program.read_bytes())
    sections = subprocess.run(["readelf", "-SW", str(case.program)], capture_output=True, text=True,
                              check=True).stdout
    for name in (".debug_info", ".debug_abbrev", ".debug_line", ".debug_str", ".debug_loclists"):
        for line in sections.splitlines():
            if f" {name} " not in line:
                continue
            fields = line[line.index(name):].split()
            offset, size = int(fields[3], 16), int(fields[4], 16)
            broken = bytearray(content)
            for at in range(offset + size // 3, offset + size // 3 + 200, 7):
                broken[at] ^= 0x5a
            replaced(case, content, broken)
    replaced(case, content, content[: len(content) // 2])


CASES = (debug_link, debug_link_in_folder, debug_dir, build_id_folder, foreign_debug_file, compressed, stripped,
         mini_debug_info, no_servers, damaged)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    for name in ("--linn", "--program"):
        options.add_argument(name, required=True)
    given = options.parse_args()
    if shutil.which("objcopy") is None:
        print("objcopy is missing")
        return 77
    failed = 0
    for run in CASES:
        with tempfile.TemporaryDirectory(prefix="linn-symbols-") as folder:
            try:
                run(Case(given, folder))
                print("ok", run.__name__)
            except (AssertionError, subprocess.SubprocessError) as error:
                failed += 1
                print("FAILED", run.__name__, error, getattr(error, "stderr", ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
