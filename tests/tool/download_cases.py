# SPDX-License-Identifier: Apache-2.0
"""scripts/rivals downloads and builds allocators: every archive is checked, and a failure is reported and leaves nothing half
installed."""
import os
import pathlib
import shutil
import signal
import subprocess
import time

import archives
import cases
from cases import check, prose, skip, skip_without, wait_for

SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts/rivals"
BUILD = SCRIPT.parent.parent / "tool/allocators/install/build.sh"
CONTENT = archives.archive(archives.WORKING, padding=200_000)


class Tool(cases.Tool):
    def __init__(self, given, folder):
        super().__init__(given, folder)
        skip_without("curl", "gcc", "g++", "setsid")
        self.cache = pathlib.Path(os.environ["XDG_CACHE_HOME"]) / "linn" / "allocators"
        self.library = self.cache / "rpmalloc/1.2.3/librpmalloc.so"

    def places(self, *addresses):
        return archives.write_list(self.folder, [(address, CONTENT) for address in addresses])

    def rivals(self, env, prefix=()):
        done = subprocess.run([*prefix, "bash", BUILD, "rivals", "rpmalloc"], env={**os.environ, **env}, capture_output=True,
                              text=True, timeout=100)
        check(not list(self.cache.glob(".building-*")), "the work folder is still there")
        return done

    def gets(self, env, **more):
        done = self.rivals(env, **more)
        check(done.returncode == 0 and "linn: built rpmalloc 1.2.3 in " in done.stdout, done.stdout + done.stderr)
        check(sorted(path.name for path in self.library.parent.iterdir()) == ["LICENSE", "librpmalloc.so", "version"], "files")
        return done

    def misses(self, env, *wanted, **more):
        """A rival that cannot be had is no failure; why is said in the message or in its log."""
        done = self.rivals(env, **more)
        check(done.returncode == 0 and "going on without rpmalloc" in done.stderr, f"{done.returncode}: {done.stderr}")
        said = prose(done.stderr + (self.cache / "logs/rpmalloc.log").read_text())
        for text in wanted:
            check(text in said, f"{text!r} is not in {said}")
        check(not (self.cache / "rpmalloc").exists(), "something is half installed")
        return done


def case_whole(tool):
    with archives.Server(CONTENT) as server:
        tool.gets(tool.places(server.address + "/whole"))
        check(server.requests == ["/whole"], server.requests)
        # The second time nothing is done; without the library, but with the archive, nothing is downloaded.
        done = tool.rivals(tool.places(server.address + "/whole"))
        check(done.returncode == 0 and done.stdout + done.stderr == "", done.stdout + done.stderr)
        shutil.rmtree(tool.library.parent.parent)
        tool.gets(tool.places(server.address + "/whole"))
        check(len(server.requests) == 1, server.requests)


def case_next_place(tool):
    """What has another sum is thrown away, and where there is nothing or something else, the next place is asked."""
    with archives.Server(CONTENT) as server:
        for kind, *wanted in (("/other", "its SHA-256 is ", "thrown away"), ("/missing", "/missing", "error: 404")):
            tool.misses(tool.places(server.address + kind), *wanted)
            check(list((tool.cache / "downloads").iterdir()) == [], "it is kept")
            tool.gets(tool.places(server.address + kind, server.address + "/whole"))
            shutil.rmtree(tool.cache)


def case_stall(tool):
    """What does not move is given up in time."""
    with archives.Server(CONTENT) as server:
        env = tool.places(server.address + "/stalled")
        start = time.monotonic()
        tool.misses(env, "Operation too slow")
        check(time.monotonic() - start < 40, "it waited for too long")
        # The limit for all of it ends what the limit for silence has not ended yet.
        tool.misses({**env, "LINN_DOWNLOAD_STALL": "30", "LINN_DOWNLOAD_LIMIT": "1"}, "timed out after 1")
        done = tool.rivals({**env, "LINN_DOWNLOAD_LIMIT": "soon"})
        check(done.returncode == 2 and "LINN_DOWNLOAD_LIMIT must be whole seconds, not 'soon'" in done.stderr, done.stderr)


def case_offline(tool):
    done = tool.misses(tool.places("http://127.0.0.1:1/a.tar"), "curl: (7)")
    check("offline, so going on without rpmalloc; later: linn allocators --install rpmalloc" in done.stderr, done.stderr)
    # One place that answers, if only with an error, means that the machine is not offline.
    with archives.Server(CONTENT) as server:
        done = tool.misses(tool.places("http://127.0.0.1:1/a.tar", server.address + "/missing"), "curl: (7)", "404")
        check("offline" not in done.stderr, done.stderr)


def case_mirror(tool):
    """A mirror is asked for HOST/PATH, and nothing else is."""
    with archives.Server(CONTENT) as server:
        env = tool.places("https://linn.invalid/a/whole")
        tool.gets({**env, "LINN_MIRROR": server.address + "/mirror/"})
        check(server.requests == ["/mirror/linn.invalid/a/whole"], server.requests)


def case_no_space(tool):
    if subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False).returncode:
        skip("this user may not mount")
    mounts = 'mkdir -p "$0" && mount -t tmpfs -o size=$1k none "$0" && shift && "$@"; s=$?; cat "$0"/logs/*; ls -A "$0"; exit $s'
    with archives.Server(CONTENT) as server:
        for kibibytes in 100, 300:  # too little for the archive; enough for it, but not for what is in it
            done = tool.rivals(tool.places(server.address + "/whole"),
                               ["unshare", "-rm", "bash", "-c", mounts, tool.cache, str(kibibytes)])
            check(done.returncode == 0 and "going on without rpmalloc" in done.stderr, done.stderr)
            said = prose(done.stdout + done.stderr)
            check("no space" in said and "XDG_CACHE_HOME" in said, f"{kibibytes} KiB: {said}")
            check(done.stdout.split("\n")[-3:] == ["downloads", "logs", ""], done.stdout)


def case_settings(tool):
    done = tool.rivals({"LINN_SOURCES": "/nonexistent"})
    check(done.returncode == 2 and "the list is /nonexistent" in done.stderr, f"{done.returncode} {done.stderr}")
    check(not tool.cache.exists(), "a wrong setting left a folder")


def case_command(tool):
    """The command runs meanwhile; its exit status counts, and what is missing does not."""
    env = {**os.environ, **tool.places("http://127.0.0.1:1/a.tar")}

    def run(*words):
        return subprocess.run([SCRIPT, *words], env=env, capture_output=True, text=True, timeout=100)

    done = run("echo", "built the tool")
    check(done.returncode == 0 and done.stdout.startswith("built the tool\n"), done.stdout + done.stderr)
    check("unknown allocator" in done.stdout, done.stdout)  # that list has rpmalloc alone
    check(run("sh", "-c", "exit 7").returncode == 7, "the command's exit status is lost")


def case_stopped(tool):
    """Ctrl-C ends what runs in the background."""
    with archives.Server(CONTENT) as server:
        names = [line.split()[0] for line in (BUILD.parent / "sources.txt").read_text().splitlines() if line and line[0] != "#"]
        env = tool.places(server.address + "/stalled")
        line = pathlib.Path(env["LINN_SOURCES"]).read_text().splitlines()[1]
        pathlib.Path(env["LINN_SOURCES"]).write_text("".join(line.replace("rpmalloc", name, 1) + "\n" for name in set(names)))
        process = subprocess.Popen([SCRIPT, "sleep", "60"], env={**os.environ, **env, "LINN_DOWNLOAD_STALL": "60"},
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            wait_for(lambda: server.requests, "a download")
            os.killpg(process.pid, signal.SIGINT)
            process.wait(30)
        finally:
            process.kill()
    wait_for(lambda: not list(tool.cache.glob(".building-*")), "the work folder to go")
    check(not subprocess.run(["pgrep", "-f", str(tool.cache)], capture_output=True, check=False).stdout, "a process is left")
