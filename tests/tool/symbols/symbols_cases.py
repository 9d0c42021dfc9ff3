# SPDX-License-Identifier: Apache-2.0
"""Debug information next to the program, missing, of another build, compressed, split; a stripped program; a damaged one."""
import lzma
import pathlib
import shutil
import socket
import subprocess
import sys

import cases
import pytest
from cases import check

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "samples"))
import judge  # noqa: E402


class Tool(cases.Tool):
    def __init__(self, given, folder):
        super().__init__(given, folder)
        cases.skip_without("objcopy")
        self.program = self.folder / "objects"
        shutil.copy(self.programs["objects"], self.program)

    def judge(self, *debug_dirs):
        return judge.judge(self.program, self.linn, debug_dirs)

    def objcopy(self, *words):
        subprocess.run(["objcopy", *map(str, words)], check=True)

    def separate(self, where):
        """Moves the debug information into a file, and makes the program name that."""
        where.parent.mkdir(parents=True, exist_ok=True)
        self.objcopy("--only-keep-debug", self.program, where)
        self.objcopy("--strip-all", f"--add-gnu-debuglink={where}", self.program)


def case_debug_link(tool):
    tool.separate(tool.folder / "objects.debug")
    verdict = tool.judge()
    check(verdict.share > 0.95, judge.describe(verdict))
    check(verdict.problems == "", verdict.problems)


def case_debug_link_in_folder(tool):
    tool.separate(tool.folder / ".debug" / "objects.debug")
    check(tool.judge().share > 0.95, "not found in .debug")


def case_debug_dir(tool):
    elsewhere = tool.folder / "elsewhere" / "objects.debug"
    tool.separate(elsewhere)
    verdict = tool.judge()
    check(verdict.share < 0.9, "found without being told where")
    check("objects.debug" in verdict.problems and "--debug-dir" in verdict.problems, verdict.problems)
    check(tool.judge(elsewhere.parent).share > 0.95, "not found in --debug-dir")


def case_build_id_folder(tool):
    notes = subprocess.run(["readelf", "-n", str(tool.program)], capture_output=True, text=True, check=True).stdout
    if "Build ID: " not in notes:
        return  # this linker makes none
    build_id = notes.split("Build ID: ")[1].split()[0]
    where = tool.folder / "store" / ".build-id" / build_id[:2] / (build_id[2:] + ".debug")
    where.parent.mkdir(parents=True)
    tool.objcopy("--only-keep-debug", tool.program, where)
    tool.objcopy("--strip-all", tool.program)
    check(tool.judge(tool.folder / "store").share > 0.95, "not found by build id")


def case_foreign_debug_file(tool):
    """A debug file of another program under the right name is not believed."""
    where = tool.folder / "objects.debug"
    tool.separate(where)
    tool.objcopy("--only-keep-debug", tool.linn, where)
    verdict = tool.judge()
    check(verdict.share < 0.9, "believed")
    check("another build" in verdict.problems, verdict.problems)


def case_compressed(tool):
    tool.objcopy("--compress-debug-sections=zlib", tool.program)
    check(tool.judge().share > 0.95, "compressed sections not read")


def nameless(verdict):
    return {one["label"] for _, one in verdict.unexplained if one["named_by"] == "none"}


def case_stripped(tool):
    """RTTI alone names what is polymorphic."""
    tool.objcopy("--strip-all", tool.program)
    verdict = tool.judge()
    check(verdict.rules["rtti"] >= 1500, judge.describe(verdict))
    # What has no name at all is the program's, not the C library's.
    check(any("-byte blocks of objects" in name for name in nameless(verdict)), nameless(verdict))


def case_mini_debug_info(tool):
    """The symbols of .gnu_debugdata say as much as those of .symtab."""
    def names():
        return nameless(tool.judge())

    tool.objcopy("--strip-debug", tool.program)
    symbols = tool.folder / "symbols"
    tool.objcopy("--only-keep-debug", tool.program, symbols)
    with_symbols = names()
    tool.objcopy("--strip-all", tool.program)
    without = names()
    packed = tool.folder / "packed.xz"
    packed.write_bytes(lzma.compress(symbols.read_bytes()))
    tool.objcopy("--add-section", f".gnu_debugdata={packed}", tool.program)
    check(any("blocks of main" in name for name in with_symbols), with_symbols)
    check(without != with_symbols == names(), (without, with_symbols, names()))


def case_no_servers(tool, monkeypatch):
    """Without --debuginfod no server is asked, even where the environment names one."""
    tool.objcopy("--strip-all", tool.program)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.5)
        monkeypatch.setenv("DEBUGINFOD_URLS", f"http://127.0.0.1:{server.getsockname()[1]}/")
        tool.judge()
        with pytest.raises(socket.timeout):
            server.accept()


def replaced(tool, content, later):
    """The program runs, and is another when linn advise reads it."""
    tool.program.write_bytes(content)
    judge.judge(tool.program, tool.linn, before_advice=lambda: tool.program.write_bytes(later))


def case_damaged(tool):
    """Bytes of the debug information overwritten: no crash, and no types that do not fit."""
    content = bytearray(tool.program.read_bytes())
    sections = subprocess.run(["readelf", "-SW", str(tool.program)], capture_output=True, text=True,
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
            replaced(tool, content, broken)
    replaced(tool, content, content[: len(content) // 2])
