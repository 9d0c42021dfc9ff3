# SPDX-License-Identifier: Apache-2.0
"""Runs `linn allocators` as a user would and checks what it says and does."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

import archives
import cases
from cases import check, children_of, processes_with, rows_of, runs, skip_without, wait_for

NAMES = cases.names_in("allocators.md", "name")
FUNCTIONS = {"malloc", "free", "operator new", "operator delete", "sized operator delete"}


class Tool(cases.Tool):
    def __init__(self, given, folder):
        super().__init__(given, folder)
        self.libraries = {name: os.path.realpath(path) for name, path in self.libraries.items()}
        self.cache = pathlib.Path(os.environ["XDG_CACHE_HOME"]) / "linn" / "allocators"

    def run(self, *arguments, **more):
        return self.call("allocators", *arguments, **more)

    def entries(self, *arguments, status=0, **more):
        result = cases.result_of(self.run("--json", "-", *arguments, status=status, **more).stdout)
        return {entry["name"]: entry for entry in result["allocators"]}

    def entry(self, kind, *arguments, status=1):
        """The entry of one of the test libraries, which the user gives."""
        found = self.entries("mine", "--allocator", f"mine={self.libraries[kind]}", *arguments, status=status)
        check(list(found) == ["mine"], list(found))
        return found["mine"]

    def put_into_cache(self, name, version, kind):
        place = self.cache / name / version
        place.mkdir(parents=True)
        return pathlib.Path(shutil.copy(self.libraries[kind], place / f"lib{name}.so"))


def case_usage_errors(tool):
    tool.refuses(["allocators"], [
            (["nosuch"], ["nosuch", "jemalloc", "bmalloc"]),
            (["mimaloc"], ["did you mean 'mimalloc'"]),
            (["--allocator", "mine"], ["NAME=PATH"]),
            (["--allocator", "=x"], ["NAME=PATH"]),
            (["--allocator", "a="], ["NAME=PATH"]),
            (["--allocator", "glibc=/x.so"], ["glibc"]),
            (["--allocator", "a=/x.so", "--allocator", "a=/y.so"], ["two libraries 'a'"]),
            (["--allocator", "a,b=/x.so"], ["no commas"]),
            (["--allocator", "a b=/x.so"], ["no spaces"]),
            (["--install", "snmaloc"], ["did you mean 'snmalloc'"]),
            (["--install", "tbb"], ["tbb", "linn allocators tbb"])])
    check(not tool.cache.exists(), "a usage error left a folder")


def case_forms(tool):
    """Each form has a row of every allocator that linn knows, with what was proven of it or the command that gets it."""
    done = tool.run("--json", "all.json", "--csv", "all.csv", "--markdown", "all.md", status=0)
    lines = done.stdout.splitlines()
    for name in NAMES:
        check(any(line.startswith(name + " ") for line in lines), f"no row for {name}: {done.stdout}")
    # Nothing was installed into this cache, so what no distribution packages is missing.
    for name in ("snmalloc", "hoard", "rpmalloc", "tcmalloc-google"):
        check(f"linn allocators --install {name}" in done.stdout, f"no way to get {name}")
    check(done.stderr == "" and "\033" not in done.stdout, "a progress line or colour in a pipe")
    entries = {entry["name"]: entry for entry in cases.result_of((tool.folder / "all.json").read_text())["allocators"]}
    check(list(entries) == NAMES, f"{list(entries)}, and the guide has {NAMES}")
    for entry in entries.values():
        check(entry["state"] in ("usable", "known bad", "broken", "inert", "missing"), entry)
        check(entry["licence"] and entry["title"], entry)
        if entry["state"] == "missing":
            check(entry["library"] is None and entry["how_to_get"] and entry["proof"] is None, entry)
        else:
            check(set(entry["proof"]["providers"]) == FUNCTIONS, entry)
        if entry["state"] == "usable":
            check(entry["proven_by"].endswith(" checks") and entry["version"], entry)
        if entry["state"] == "usable" and entry["name"] != "glibc":
            check(entry["proof"]["preload_mapped"], entry)
            check(entry["proof"]["providers"]["malloc"] == entry["library"], entry)
    check(entries["glibc"]["state"] == "usable" and entries["glibc"]["library"] is None, entries["glibc"])
    check("libc" in entries["glibc"]["proof"]["providers"]["malloc"], entries["glibc"])
    rows = rows_of((tool.folder / "all.csv").read_text())
    check([row["name"] for row in rows] == NAMES, rows)
    check(rows[0]["state"] == "usable" and rows[0]["licence"].startswith("LGPL"), rows[0])
    lines = (tool.folder / "all.md").read_text().splitlines()
    check(sum(line.startswith("|") for line in lines) == len(NAMES) + 2, lines)


def case_width(tool):
    for width in (80, 100, 160):
        done = tool.fits([width], "allocators", apart=lambda line: "/" in line)
        check("checks" in done.stdout, f"how it was proven is lost at {width}: {done.stdout}")


def case_missing(tool):
    """What is missing fails the run only where somebody named it."""
    check(tool.entries("snmalloc", status=1)["snmalloc"]["state"] == "missing", "snmalloc")
    entries = tool.entries("ptmalloc")
    check(list(entries) == ["glibc"], list(entries))
    done = tool.run("mimalloc", "--json", "-")  # stands for two, of which either may be there
    names = [entry["name"] for entry in json.loads(done.stdout)["allocators"]]
    check(names == ["mimalloc2", "mimalloc3"], names)


def case_wrong_file(tool):
    """A path that leads to no library is a mistake on the command line: nothing is examined."""
    with tempfile.TemporaryDirectory() as folder:
        text = pathlib.Path(folder) / "text.so"
        text.write_text("no library\n")
        spaced = shutil.copy(tool.libraries["malloc_only"], pathlib.Path(folder) / "a b.so")
        for path, wanted in [(text, "not a shared library"), ("/nonexistent=1.so", "/nonexistent=1.so not found"), (folder, "not a file"),
                             (spaced, "LD_PRELOAD cannot carry")]:
            done = tool.run("--allocator", f"mine={path}", "--json", "-")
            check(done.returncode == 2 and done.stdout == "", f"exit status {done.returncode}: {done.stdout}")
            check("linn allocators: --allocator mine: " in done.stderr and wanted in done.stderr, done.stderr)


def case_user_library(tool):
    entry = tool.entry("malloc_only", status=0)
    check(entry["state"] == "usable" and entry["library"] == tool.libraries["malloc_only"], entry)
    check("which new calls" in entry["proven_by"] and entry["origin"] == "--allocator", entry)
    # Under a name of the catalogue it takes that one's place; under another name it is one more.
    entry = tool.entries("jemalloc", "--allocator", f"jemalloc={tool.libraries['malloc_only']}")["jemalloc"]
    check(entry["library"] == tool.libraries["malloc_only"] and entry["title"] == "jemalloc", entry)
    check(list(tool.entries("--allocator", f"mine={tool.libraries['malloc_only']}")) == NAMES + ["mine"], "order")
    # It takes one word; the next is a name.
    found = tool.entries("--allocator", f"mine={tool.libraries['malloc_only']}", "glibc")
    check(list(found) == ["glibc", "mine"], list(found))


def case_bad_libraries(tool):
    """What is wrong with a library is found and told; a weakness in rare calls is no reason against it."""
    for kind, state, remark, options, status in (
            ("inert", "inert", "malloc is provided by /", [], 1),
            ("crashing_at_once", "broken", "killed by SIGABRT while ", [], 1),
            ("ending_at_once", "broken", "exit status 0 while ", [], 1),
            ("hanging_at_once", "broken", "timed out after 2 s while ", ["--timeout", "2"], 1),
            ("unlinkable", "broken", "linn_test_function_of_nobody", [], 1),
            ("misaligning", "known bad", "misaligned memory: posix_memalign(64, 64)", [], 0),
            ("weak", "usable", "posix_memalign(2097152, 2097152) returns null", [], 0)):
        entry = tool.entry(kind, *options, status=status)
        check(entry["state"] == state and remark in entry["remark"], entry)


def case_bmalloc(tool):
    entry = tool.entries("glibc", "bmalloc", status=0 if has_webkit() else 1)["bmalloc"]
    if not has_webkit():
        check(entry["state"] == "missing" and "apt-get install libjavascriptcoregtk" in entry["how_to_get"], entry)
        return
    check(entry["state"] == "usable" and "WebKit" in entry["proven_by"], entry)
    check(entry["library"].endswith("/liblinn-bmalloc.so") and entry["version"], entry)
    # Every kind of program runs on it: C, threads, children.
    for command in (["/bin/ls", "/"], ["/bin/sh", "-c", "x=$(echo a | cat); echo $x"],
                    [sys.executable, "-c", "import threading as t; a = [t.Thread(target=lambda: [b'x' * n for n in "
                     "range(9999)]) for _ in range(4)]; [x.start() for x in a]; [x.join() for x in a]"]):
        done = subprocess.run(command, env=dict(os.environ, LD_PRELOAD=entry["library"]),
                              capture_output=True, text=True, timeout=60)
        check(done.returncode == 0, f"{command}: {done.returncode} {done.stderr}")


def has_webkit():
    return any(pathlib.Path("/usr/lib").glob("*/libjavascriptcoregtk-*.so.*"))


def case_cached(tool):
    """What --install built goes before the system's; a path of the user's goes before both."""
    path = tool.put_into_cache("jemalloc", "9.8.7", "malloc_only")
    entry = tool.entries("jemalloc")["jemalloc"]
    check(entry["library"] == str(path.resolve()) and entry["version"] == "9.8.7", entry)
    check(entry["origin"] == "built by linn allocators --install", entry)
    given = tool.libraries["malloc_only"]
    check(tool.entries("jemalloc", "--allocator", f"jemalloc={given}")["jemalloc"]["library"] == given, "given")
    # HOME serves where there is no XDG_CACHE_HOME, and a relative one does not count.
    home = tool.cache.parent.parent / "home"
    (home / ".cache").mkdir(parents=True)
    shutil.copytree(tool.cache.parent, home / ".cache" / "linn")
    entry = tool.entries("jemalloc", env={"XDG_CACHE_HOME": "relative", "HOME": str(home)})["jemalloc"]
    check(entry["library"].startswith(str(home.resolve())), entry)


def case_cached_versions(tool):
    for version in ("1.9", "1.10", "1.2"):
        tool.put_into_cache("snmalloc", version, "malloc_only")
    (tool.cache / "snmalloc" / "9.9").mkdir()  # no library in it
    check(tool.entries("snmalloc")["snmalloc"]["version"] == "1.10", "not the newest")


def needs_compiler():
    skip_without("gcc", "g++", "curl")


def remains(tool):
    """What is in the cache folder but for logs and whole archives."""
    kept = {tool.cache / "logs", tool.cache / "downloads"}
    return [str(p.relative_to(tool.cache)) for p in tool.cache.rglob("*")
            if p not in kept and p.suffix != ".log" and not (p.parent.name == "downloads" and p.suffix == ".tar")]


def case_install_errors(tool):
    with tempfile.TemporaryDirectory() as folder:
        for name in ("bash", "dirname", "nproc", "sort"):
            os.symlink(shutil.which(name), pathlib.Path(folder) / name)
        done = tool.run("--install", "snmalloc", env={"PATH": folder})
    check(done.returncode == 1, f"exit status {done.returncode}")
    check("apt-get install cmake curl g++ gcc make" in done.stderr, done.stderr)
    check(done.stdout == "" and not tool.cache.exists(), "it went on without compilers")

    needs_compiler()
    with tempfile.TemporaryDirectory() as folder:
        env = archives.from_file(folder, archives.WORKING)
        done = tool.run("--install", "rpmalloc", env={**env, "XDG_CACHE_HOME": "", "HOME": ""})
        check(done.returncode == 1 and "set HOME or XDG_CACHE_HOME" in done.stderr, done.stderr)
        file = pathlib.Path(folder) / "file"
        file.write_text("")
        done = tool.run("--install", "rpmalloc", env={**env, "XDG_CACHE_HOME": str(file)})
        check(done.returncode == 1 and "cannot write to" in done.stderr, done.stderr)


def case_install_failure(tool):
    needs_compiler()
    for source, env, wanted in [
            (archives.WORKING, {"LINN_MIRROR": "http://127.0.0.1:1"},
             ["downloading the sources failed", "http://127.0.0.1:1/", "curl: (7)"]),
            ("no C\n", {}, ["building failed", "rpmalloc.c:1"]),
            (archives.WORKING.replace("return", "if (n > 300) __builtin_trap(); return"), {},
             ["building failed", "broken", "SIGILL", "it was built, but cannot be used"]),
            ("int nothing;\n", {}, ["inert", "it was built, but cannot be used"])]:
        with tempfile.TemporaryDirectory() as folder:
            done = tool.run("--install", "rpmalloc", env={**archives.from_file(folder, source), **env})
        check(done.returncode == 1, f"exit status {done.returncode}: {done.stderr}")
        for text in wanted:
            check(text in done.stderr, f"{text!r} is not in {done.stderr!r}")
        check(remains(tool) == [], remains(tool))
        check((tool.cache / "logs" / "rpmalloc.log").stat().st_size > 0, "the log is gone")


def case_install(tool):
    needs_compiler()
    for _ in range(2):  # the second time it replaces
        with tempfile.TemporaryDirectory() as folder:
            done = tool.run("--install", "rpmalloc", "--json", "-", env=archives.from_file(folder, archives.WORKING))
        check(done.returncode == 0, f"exit status {done.returncode}: {done.stderr}")
        (entry,) = json.loads(done.stdout)["allocators"]
        check(entry["state"] == "usable" and entry["version"] == "1.2.3", entry)
        place = tool.cache / "rpmalloc" / "1.2.3"
        check(entry["library"] == str((place / "librpmalloc.so").resolve()), entry)
        check(sorted(os.listdir(place)) == ["LICENSE", "librpmalloc.so", "version"], os.listdir(place))
        check(sorted(os.listdir(tool.cache)) == ["downloads", "logs", "rpmalloc"], os.listdir(tool.cache))


def case_install_interrupt(tool):
    needs_compiler()
    with tempfile.TemporaryDirectory() as folder, archives.Server(b"x" * 9999) as server:
        env = archives.write_list(folder, [(server.address + "/stalled", b"x" * 9999)]) | {"LINN_DOWNLOAD_STALL": "999"}
        process = tool.start("allocators", "--install", "rpmalloc", env=env)
        try:
            wait_for(lambda: server.requests, "the download to start")
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
        finally:
            process.kill()
        check(process.returncode == 130, f"exit status {process.returncode}: {err}")
        check("no allocator is partly installed" in err and out == "", err + out)
        wait_for(lambda: not subprocess.run(["pgrep", "-f", server.address], capture_output=True, check=False).stdout,
                 "the download to end")
    check(remains(tool) == [], remains(tool))


def case_interrupt(tool):
    """Ctrl-C in a trial: what is known is printed, the child is gone."""
    library = tool.libraries["hanging_at_once"]
    process = tool.start("allocators", "glibc", "mine", "--timeout", "1000", "--json", "-", "--allocator", f"mine={library}")

    def hanging():  # as an argument of its own: before it is executed, a child shows its parent's
        return set(children_of(process.pid)) & set(map(str, processes_with(library)))

    try:
        (child,) = wait_for(hanging, "the trial of the library that hangs")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    check(process.returncode == 130, f"exit status {process.returncode}: {err}")
    check([e["name"] for e in json.loads(out)["allocators"]] == ["glibc"], out)
    check(not runs(child), "the child is still there")
