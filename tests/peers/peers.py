#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of other people's containers with Linn's allocators in the place of theirs.

usage: peers.py [--list] [--peer NAME]... [--test PATTERN] [--kind allocator|resource]... [--table FILE]
                [--jobs N] --work FOLDER -- COMPILER FLAGS...

The sources are source packages of Debian. They are taken from the folder LINN_PEERS_DIR when they are there as
*.orig.tar.*, else by `apt-get source` into FOLDER; nothing of them is kept elsewhere. In a copy, `std::allocator<`
becomes `linn_peer::allocator<`; Boost.Container's new_allocator is ours by the order of include folders. See
shim/linn_peer.hpp.

Each test is one program. It passes when it succeeds, has taken memory from Linn, and has given all of it back. One
that does not pass is built again as it came: when it fails then, too, it is not counted.

exit status: 0 all passed, 1 some did not, 77 no sources could be had
"""
import argparse
import concurrent.futures
import fnmatch
import glob
import os
import re
import shutil
import subprocess
import sys
import tarfile

HERE = os.path.dirname(os.path.abspath(__file__))
BOOST = "boost1.74"
BOOST_VERSION = "1_74"
BOOST_SHARED = ["libs/intrusive/test", "libs/move/test"]  # used by tests of others
UNIT_TEST = ["-DBOOST_TEST_MAIN=", "-include", "boost/test/included/unit_test.hpp"]

# Tests that name no allocator that could be replaced, that need what Boost builds as a library, or that look for
# members of std::allocator that C++20 has removed. Interprocess ones allocate in shared memory.
#
# name: (source package, tests below its root, those of them left out, header folders, flags)
PEERS = {
    "container": (BOOST, "libs/container/test/*_test.cpp",
                  "alloc_* *memory_resource* *pool_resource* pmr_* global_resource* pair_* polymorphic_* "
                  "allocator_traits* uses_allocator_* string_view_* static_vector* null_iterators* dummy*",
                  "container", []),
    "unordered": (BOOST, "libs/unordered/test/unordered/*_tests.cpp",
                  "detail_* noexcept_* deduction_*", "unordered", []),
    "heap": (BOOST, "libs/heap/test/*_test*.cpp", "mutable_heap_*", "heap", UNIT_TEST),
    "lockfree": (BOOST, "libs/lockfree/test/freelist_test.cpp", "", "lockfree",
                 ["-DBOOST_LOCKFREE_INCLUDE_TESTS"]),
    "circular_buffer": (BOOST, "libs/circular_buffer/test/*_test.cpp", "", "circular_buffer circular_buffer.hpp",
                        []),
    "multi_index": (BOOST, "libs/multi_index/test/test_*_main.cpp",
                    "test_all_main* test_serialization* test_mpl* test_key_main* test_safe*",
                    "multi_index multi_index_container.hpp multi_index_container_fwd.hpp", []),
    "plf_colony": ("plf-colony", "plf_colony_test_suite.cpp", "", "", ["-O2"]), # a quarter of an hour without
}

# What cannot pass, and why.
EXPECTED = {
    ("container", "node_handle_test.cpp", kind): "gives the allocator nodes that it made by new, which Linn reports"
    for kind in ("allocator", "resource")
}


def run(command, **options):
    return subprocess.run(command, text=True, errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, **options)


def apt_options(folder):
    """Options that make apt-get know the source packages of the system's own lists, without touching its state."""
    lists = []
    for path in ["/etc/apt/sources.list", *sorted(glob.glob("/etc/apt/sources.list.d/*"))]:
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if re.search(r"\bdebian\b", text) and re.search(r"\bmain\b", text):
                lists.append((os.path.basename(path), text))
    parts = os.path.join(folder, "sources.d")
    for name in [parts, os.path.join(folder, "lists", "partial"), os.path.join(folder, "cache", "archives", "partial")]:
        os.makedirs(name, exist_ok=True)
    for name, text in lists:
        text = re.sub(r"^Types:.*$", "Types: deb-src", text, flags=re.MULTILINE)
        text = re.sub(r"^deb ", "deb-src ", text, flags=re.MULTILINE)
        name += "" if name.endswith(".sources") or name.endswith(".list") else ".list"
        with open(os.path.join(parts, name), "w", encoding="utf-8") as file:
            file.write(text)
    return ["-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::Etc::sourceparts={parts}",
            "-o", f"Dir::State::lists={folder}/lists", "-o", f"Dir::Cache={folder}/cache"]


def archive_of(package, work):
    """The path of the package's source archive, or None. Asks the archive of the system at most once a package."""
    def known():
        for folder in [os.environ.get("LINN_PEERS_DIR"), work]:
            for path in sorted(glob.glob(f"{folder}/{package}_*.orig.tar.*")) if folder else []:
                if not path.endswith((".asc", ".FAILED")):
                    return path
        return None

    path = known()
    if path is None and shutil.which("apt-get"):
        options = apt_options(os.path.join(work, "apt"))
        run(["apt-get", *options, "update"], timeout=300)
        run(["apt-get", *options, "-qq", "source", "--download-only", package], cwd=work, timeout=1200)
        path = known()
    return path


def unpacked(package, work):
    """The folder with those parts of the package that tests are taken from, or None."""
    folder = os.path.join(work, package)
    wanted = {peer[1].split("*")[0].rsplit("/", 1)[0].replace("test/unordered", "test")
              for peer in PEERS.values() if peer[0] == package and "/" in peer[1]}
    wanted |= set(BOOST_SHARED if package == BOOST else [])
    if not os.path.exists(os.path.join(folder, ".complete")):
        archive = archive_of(package, work)
        if archive is None:
            return None
        with tarfile.open(archive) as tar:
            for member in tar:
                # Some archives have a folder around all, some have not.
                name = member.name if not wanted else re.sub(r"^.*?(?=\blibs/)", "", member.name)
                name = os.path.normpath(name)
                inside = not wanted or any(name.startswith(w + "/") for w in wanted)
                if member.isfile() and inside and not name.startswith(("/", "..")):
                    target = os.path.join(folder, name)
                    os.makedirs(os.path.dirname(target), exist_ok=True)
                    with open(target, "wb") as out:
                        shutil.copyfileobj(tar.extractfile(member), out)
        with open(os.path.join(folder, ".complete"), "w", encoding="utf-8") as out:
            out.write(os.path.basename(archive) + "\n")
    return folder


def substitute(root):
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.splitext(name)[1] in (".hpp", ".cpp", ".h", ".ipp"):
                with open(path, encoding="latin-1") as file:
                    text = file.read()
                changed = re.sub(r"\bstd\s*::\s*allocator\s*<", "linn_peer::allocator<", text)
                if changed != text:
                    with open(path, "w", encoding="latin-1") as file:
                        file.write(changed)


def boost_headers():
    """The folder of Boost's headers of the version that the tests are of, or None."""
    for root in os.environ.get("BOOST_ROOT", ""), "/usr/include", "/usr/local/include":
        version = os.path.join(root, "boost", "version.hpp")
        if root and os.path.exists(version):
            with open(version, encoding="latin-1") as file:
                if f'BOOST_LIB_VERSION "{BOOST_VERSION}"' in file.read():
                    return os.path.join(root, "boost")
    return None


class Peer:
    """One library: its tests as they came, and a copy with the allocators replaced."""

    def __init__(self, name, work):
        self.name = name
        self.package, self.pattern, self.without, self.headers, self.flags = PEERS[name]
        self.source = unpacked(self.package, work)
        self.boost = boost_headers() if self.package == BOOST else None
        self.usable = self.source is not None and (self.boost is not None or self.package != BOOST)
        self.copy = os.path.join(work, "changed", name)
        self.work = work
        if self.usable:
            self.make_copy()

    def make_copy(self):
        shutil.rmtree(self.copy, ignore_errors=True)
        part = self.pattern.rsplit("/", 1)[0] if "/" in self.pattern else ""
        part = part.replace("test/unordered", "test")
        for folder in [part, *(BOOST_SHARED if self.boost else [])]:
            shutil.copytree(os.path.join(self.source, folder), os.path.join(self.copy, folder))
        for item in self.headers.split():
            if os.path.isdir(os.path.join(self.boost, item)):
                shutil.copytree(os.path.join(self.boost, item), os.path.join(self.copy, "boost", item))
            else:
                os.makedirs(os.path.join(self.copy, "boost"), exist_ok=True)
                shutil.copy(os.path.join(self.boost, item), os.path.join(self.copy, "boost", item))
        replaced = os.path.join(self.copy, "boost", "container", "new_allocator.hpp")
        if os.path.exists(replaced):
            os.remove(replaced)
        substitute(self.copy)

    def tests(self):
        found = glob.glob(os.path.join(self.source, self.pattern))
        names = (os.path.relpath(path, self.source) for path in found)
        return sorted(n for n in names
                      if not any(fnmatch.fnmatch(os.path.basename(n), w) for w in self.without.split()))

    def build_and_run(self, compiler, test, kind):
        """Returns (what went wrong, or None; output). `kind` None: as it came."""
        root = self.source if kind is None else self.copy
        sources = [os.path.join(root, test)]
        if test.endswith("_main.cpp"):
            sources.append(sources[0].replace("_main.cpp", ".cpp"))
        program = os.path.join(self.work, "bin", f"{self.name}.{kind}.{os.path.basename(test)}.exe")
        os.makedirs(os.path.dirname(program), exist_ok=True)
        flags = ["-std=c++20", "-O0", "-w", "-pthread", *self.flags]
        if kind is not None:
            flags += ["-I", os.path.join(HERE, "shim"), "-I", self.copy, "-include", "linn_peer.hpp"]
            flags += ["-I", os.path.join(HERE, "..", "..", "include")]
            flags += ["-DLINN_PEER_RESOURCE"] if kind == "resource" else []
        try:
            built = run([*compiler, *flags, *sources, "-o", program], timeout=900)
            if built.returncode != 0 and "-lboost_container" not in flags and "undefined reference" in built.stdout:
                built = run([*compiler, *flags, *sources, "-o", program, "-lboost_container"], timeout=900)
            if built.returncode != 0:
                return "does not compile", built.stdout
            done = run([program], timeout=600, cwd=self.work)
        except subprocess.TimeoutExpired:
            return "takes too long", ""
        finally:
            if os.path.exists(program):
                os.remove(program)
        if done.returncode != 0:
            return f"exits with {done.returncode}", done.stdout
        if kind is not None:
            words = re.search(r"^linn-peer: used (\d) live (\d+)$", done.stdout, re.MULTILINE)
            if words is None:
                return "does not end", done.stdout
            if words.group(1) == "0":
                return "asks Linn for nothing", ""
            if words.group(2) != "0":
                return f"loses {words.group(2)} blocks", done.stdout
        return None, ""

    def judge(self, compiler, test, kind):
        """Returns (verdict, why, output); verdict is passed, failed or not counted."""
        wrong, output = self.build_and_run(compiler, test, kind)
        if wrong is None:
            return "passed", "", ""
        if wrong == "asks Linn for nothing":
            return "not counted", wrong, ""
        reason = EXPECTED.get((self.name, os.path.basename(test), kind))
        if reason is not None:
            return "not counted", f"{wrong}: {reason}", ""
        before, _ = self.build_and_run(compiler, test, None)
        if before is not None:
            return "not counted", f"{wrong}; {before} without Linn, too", ""
        return "failed", wrong, output


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", required=True)
    parser.add_argument("--peer", action="append", choices=sorted(PEERS))
    parser.add_argument("--kind", action="append", choices=["allocator", "resource"])
    parser.add_argument("--test", default="*", help="run only files of this pattern")
    parser.add_argument("--table", help="write the table of results here, as Markdown")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser.parse_args(sys.argv[1:split])
    compiler = sys.argv[split + 1:] or ["c++"]
    work = os.path.abspath(options.work)
    os.makedirs(work, exist_ok=True)

    peers = [Peer(name, work) for name in options.peer or PEERS]
    for peer in peers:
        if not peer.usable:
            print(f"{peer.name}: skipped: the sources of {peer.package} or headers of that version cannot be had")
    tasks = [(peer, test, kind) for peer in peers if peer.usable for test in peer.tests()
             if fnmatch.fnmatch(os.path.basename(test), options.test) for kind in options.kind or ["allocator", "resource"]]
    if options.list:
        for peer, test, kind in tasks:
            print(peer.name, test, kind)
        return 0
    if not tasks:
        return 77

    rows = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = [(task, pool.submit(task[0].judge, compiler, task[1], task[2])) for task in tasks]
        for (peer, test, kind), future in running:
            verdict, why, output = future.result()
            rows.append((peer.name, os.path.basename(test), kind, verdict, why))
            print(f"{peer.name:16} {os.path.basename(test):40} {kind:10} {verdict:12} {why}", flush=True)
            if verdict == "failed":
                print("    " + "\n    ".join(output.strip().splitlines()[:25]), flush=True)
    if options.table:
        with open(options.table, "w", encoding="utf-8") as file:
            file.write("| peer | test | with | result | why |\n|---|---|---|---|---|\n")
            for row in rows:
                file.write("| " + " | ".join(row) + " |\n")
    failed = sum(row[3] == "failed" for row in rows)
    passed = sum(row[3] == "passed" for row in rows)
    print(f"{passed} passed, {failed} failed, {len(rows) - passed - failed} not counted")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
