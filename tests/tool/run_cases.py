# SPDX-License-Identifier: Apache-2.0
"""Runs `linn run` as a user would and checks what it says and does."""
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import time

import cases
from cases import check, processes_with, prose, runs, wait_for

METRICS = ["wall_ns", "cpu_ns", "peak_rss_bytes", "minor_faults", "voluntary_switches"]


class Tool(cases.Tool):
    def __init__(self, given, folder):
        super().__init__(given, folder)
        self.mine = ["--allocator", "mine=" + self.libraries["malloc_only"], "--only", "mine"]

    def run(self, *arguments, **more):
        return self.call("run", *arguments, **more)

    def result(self, *arguments, status=0, lacks=None, **more):
        """The JSON of a run of two rounds with one allocator of ours."""
        done = self.run("--rounds", "2", "--warm-up", "0", *self.mine, "--json", "-", *arguments, status=status, **more)
        return cases.result_of(done.stdout, lacks)

    def with_library(self, kind, *arguments):
        """The same, and a library of another kind too."""
        return self.result("--allocator", f"{kind}={self.libraries[kind]}", "--only", kind, *arguments)


def rows(result):
    return {row["name"]: row for row in result["rows"]}


def refused(tool, status, wanted, *arguments, **more):
    done = tool.run("--rounds", "2", *tool.mine, *arguments, **more)
    check(done.returncode == status, f"{arguments}: exit status {done.returncode}, not {status}: {done.stderr}")
    check(done.stdout == "", f"{arguments}: wrote to standard output: {done.stdout}")
    for text in wanted:
        check(text in done.stderr, f"{arguments}: {text!r} is not in {done.stderr!r}")


def case_usage_errors(tool):
    tool.refuses(["run"], [
            ([], ["missing program"]),
            (["--round", "3", "ls"], ["unknown option '--round'", "did you mean '--rounds'"]),
            (["--rounds", "0", "ls"], ["--rounds must be a whole number from 1 to 100000, not '0'"]),
            (["--json", "--rounds", "3", "ls"], ["--json must be the name of a file, not '--rounds'"]),
            (["--pin", "x", "ls"], ["--pin must be CPUs such as"]),
            (["--pin", "1000", "ls"], ["may not use CPU 1000"]),
            (["--allocator", "default=/x.so", "ls"], ["cannot replace 'default'"]),
            (["--input", "nosuch.txt", "ls"], ["nosuch.txt: No such file"]),
            (["--input", "/", "ls"], ["is a directory"]),
            (["--ready", "true", "ls"], ["--ready needs --client"])])


def case_refusals(tool):
    """What is no program is a mistake on the command line; what no preload reaches, and what fails by itself, is told with the reason."""
    done = tool.run("--only", "glibc", "--", tool.programs["victim"])
    check(done.returncode == 1 and "glibc: the program runs on it anyway" in done.stderr, done.stderr)

    def file(name, content, mode=0o755):
        path = tool.folder / name
        path.write_bytes(content)
        path.chmod(mode)
        return path

    victim = tool.programs["victim"]
    elf = bytes.fromhex("7f454c46020101000000000000000000 0200f300 01000000").ljust(64, b"\0")
    rows = [(2, "no such program on PATH", "nosuchprogram"), (2, "no such program", "/nonexistent/program"),
            (2, "is a directory", tool.folder), (2, "chmod +x", file("plain", b"text", 0o644)),
            (2, "neither a program nor a script", file("text", b"text")), (2, "is an empty file", file("empty", b"")),
            (2, "/nonexistent/sh does not exist", file("no-interpreter", b"#!/nonexistent/sh -e\n")),
            (2, "ends as on Windows", file("windows", b"#!/bin/sh\r\nexit\r\n")),
            (2, "was built for another machine", file("foreign", elf)), (1, "own", tool.programs["own_malloc"]),
            (1, "env becomes another program", "env", "-i", victim, "exit", "0"),
            (1, ["fails (exit status 3)", "--ignore-exit-status", "--input FILE", "this is why"], "sh", "-c", "echo this is why >&2; exit 3"),
            (1, "killed by SIGSEGV", victim, "crash"), (1, "wrote more than", victim, "flood")]
    if "static" in tool.programs:
        rows.append((1, "is statically linked", "env", tool.programs["static"]))
        rows.append((1, "becomes another program", file("script", f"#!/bin/sh\nexec {tool.programs['static']}\n".encode())))
    for status, wanted, *words in rows:
        refused(tool, status, [wanted] if isinstance(wanted, str) else wanted, "--", *words)
    for size in range(1, len(elf), 7):  # cut short anywhere
        check(tool.run("--", file("short", elf[:size])).returncode in (1, 2), f"{size} bytes")
    tool.result("--", victim, "rename")  # only calls itself otherwise
    tool.result("--", "true")


def case_unreachable(tool):
    """A program that no preload reaches is refused by every command that needs one, with the reason; nothing is run or written."""
    plan = tool.folder / "plan.toml"
    plan.write_text("linn_plan = 1\n")
    rows = [(tool.programs[name], reason) for name, reason in (("static", "statically linked"), ("sanitized", "AddressSanitizer"))
            if name in tool.programs]
    if os.geteuid() == 0:
        for mode, name in ((0o4755, "setuid"), (0o2755, "setgid")):
            privileged = pathlib.Path(shutil.copy(tool.programs["victim"], tool.folder / name))
            os.chown(privileged, 65534, 65534)
            privileged.chmod(mode)
            rows.append((privileged, f"has privileges of its own ({name})"))
    for command in (["run"], ["record"], ["try"], ["pools", "--plan", plan]):
        for program, reason in rows:
            done = tool.call(*command, "--", program, status=1)
            check(reason in done.stderr and done.stdout == "", f"{command} {program}: {done.stderr}")
    check(not list(tool.folder.glob("*.linn")), "a trace was written")


def case_surroundings(tool):
    """What the tool has open, blocks or has for a terminal does not reach the program; the CPUs that were asked for do."""
    log = tool.folder / "log"
    cpu = str(min(os.sched_getaffinity(0)))

    def own(name):  # by cp, since a shell changes what it has got
        tool.result("--pin", cpu, "--", "cp", f"/proc/self/{name}", log)
        return log.read_text()

    tool.result("--", "sh", "-c", f"{tool.programs['victim']} descriptors > {log}", pass_fds=[os.open("/dev/null", os.O_RDONLY)])
    check(log.read_text() == "0 1 2 \n", log.read_text())
    status = own("status")
    for wanted in ("SigBlk:\t0000000000000000", "SigIgn:\t0000000000000000", f"Cpus_allowed_list:\t{cpu}\n"):
        check(wanted in status, status)
    pid, *_, session, terminal = own("stat").split()[:7]
    check(session != pid and terminal == "0", f"process {pid} of session {session}, terminal {terminal}")


def case_resources(tool):
    """Memory and page faults are those of the program and its children, not the tool's."""
    def least(*words):
        values = [sample["values"] for sample in rows(tool.result("--", tool.programs["victim"], *words))["default"]["samples"]]
        return {name: min(value[name] for value in values) for name in values[0]}

    small, large, many = least("exit", "0"), least("touch", "50"), least("fork", "200")
    check(0 < small["peak_rss_bytes"] < 8 << 20, small)
    check(50 << 20 < large["peak_rss_bytes"] < 60 << 20 and large["minor_faults"] > 50 * 256 * 0.9, large)
    check(many["minor_faults"] > 200 * 16, many)  # each of 200 children touches 16 pages of its own


def case_nothing_is_left(tool):
    """Three hundred runs leave no process and no file, and take no more descriptors than one."""
    temporary = tool.folder / "temporary"
    temporary.mkdir()
    done = tool.run("--rounds", "100", *tool.mine, "--", tool.programs["victim"], "exit", "0", env={"TMPDIR": str(temporary)},
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40)))
    check(done.returncode == 0 and not list(temporary.iterdir()), f"{done}, {list(temporary.iterdir())}")


def case_json_schema(tool):
    result = tool.result("--seed", "7", "--", tool.programs["allocates"], "20000", lacks=())
    check(result["complete"] is True and result["complete_rounds"] == 2, "not complete")
    check(result["stopped"] == "rounds" and result["problem"] is None, result["stopped"])
    check(result["options"]["seed"] == 7 and result["options"]["rounds"] == 2, result["options"])
    check(result["program"]["command"][0] == tool.programs["allocates"], result["program"])
    check("libc" in result["program"]["own_provider"], result["program"])
    check([m["name"] for m in result["metrics"] if m["compared"]] == METRICS, result["metrics"])
    check(result["noise"] == {}, "a noise floor of two rounds")
    check(result["outputs_compared"] is True and result["left_behind"] == 0, "output")
    check(list(rows(result)) == ["default", "default-again", "mine"], list(rows(result)))
    for name, row in rows(result).items():
        check(set(row["estimates"]) == set(METRICS), row["estimates"])
        check([s["round"] for s in row["samples"]] == [0, 1], row["samples"])
        check(row["failure"] is None and row["output_difference"] is None, row)
        for sample in row["samples"]:
            check(set(METRICS) <= set(sample["values"]) and sample["same_output"], sample)
            check(sample["values"]["wall_ns"] > 0 and sample["values"]["peak_rss_bytes"] > 1 << 17, sample)
        for estimate in row["estimates"].values():
            check(estimate["low"] is None and estimate["high"] is None, "an interval of two rounds")
            check(("ratio" in estimate) == (name != "default"), estimate)
            check(("call" in estimate) == (name == "mine"), estimate)
    path = os.path.realpath(tool.libraries["malloc_only"])
    check(rows(result)["mine"]["providers"]["malloc"] == path, rows(result)["mine"])
    check(rows(result)["default"]["providers"]["malloc"] == result["program"]["own_provider"], "default's proof")
    check(result["verdict"].startswith("2 rounds are too few to compare 1 allocator (6 needed): use --rounds 6"),
          result["verdict"])
    check(result["judged_by"] == "wall_ns", result["judged_by"])


def case_arguments_belong_to_the_program(tool):
    for before in ([], ["--"]):
        result = tool.result(*before, tool.programs["victim"], "say", "--json", "--", "-h")
        check(result["program"]["arguments"][1:] == ["say", "--json", "--", "-h"], result["program"])


def case_wrong_library(tool):
    """What does not provide malloc is a mistake on the command line, also among others that do."""
    refused(tool, 2, ["--allocator wrong: ", "preload did not take effect", "a shared library that provides malloc"],
            "--allocator", f"wrong={tool.libraries['inert']}", "--only", "wrong", "--", tool.programs["allocates"])
    refused(tool, 2, ["--allocator other: ", "--only", "leaves out other"],
            "--allocator", f"other={tool.libraries['malloc_only']}", "--", tool.programs["allocates"])


def case_crashing_library(tool):
    result = tool.with_library("crashing", "--", tool.programs["allocates"], "20000")
    row = rows(result)["crashing"]
    check(row["failure"].startswith("killed by SIGABRT"), row["failure"])
    check("strings" in row["last_output"], row["last_output"])
    check(row["estimates"] == {}, "a failed contender was compared")
    check(all(len(rows(result)[name]["samples"]) == 2 for name in ("default", "mine")), "the others did not go on")
    check(any("crashing" in f and "SIGABRT" in f for f in result["findings"]), result["findings"])
    done = tool.run("--rounds", "2", "--allocator", f"crashing={tool.libraries['crashing']}", "--only", "crashing", "--json", "-",
                    "--", tool.programs["allocates"], status=1)  # nothing was compared
    check(list(rows(json.loads(done.stdout))) == ["default", "default-again", "crashing"], done.stdout)


def case_hanging_library(tool):
    result = tool.with_library("hanging", "--timeout", "1", "--", tool.programs["allocates"], "20000")
    row = rows(result)["hanging"]
    check(row["failure"].startswith("timed out after 1 s"), row["failure"])
    check(len(rows(result)["mine"]["samples"]) == 2, "the others did not go on")


def case_output_that_differs(tool):
    result = tool.result("--rounds", "3", "--", "date", "+%s%N")
    check(len([w for w in result["warnings"] if "differs from run to run" in w]) == 1, result["warnings"])
    check(result["outputs_compared"] is False, "still compared")
    check(all(row["output_difference"] is None for row in result["rows"]), "a difference was blamed on an allocator")
    result = tool.result("--no-compare-output", "--", "date", "+%s%N")
    check(not [w for w in result["warnings"] if "differs" in w], result["warnings"])
    # Under one allocator only: the program says what is preloaded besides the probe.
    script = 'case "$LD_PRELOAD" in *malloc_only*) echo other;; *) echo same;; esac'
    result = tool.result("--", "sh", "-c", script)
    check("'other', not 'same'" in (rows(result)["mine"]["output_difference"] or ""), rows(result)["mine"])
    check(result["outputs_compared"] is True, "not compared")


def case_input(tool):
    file = tool.folder / "input"
    file.write_text("".join(f"line {i}\n" for i in range(1000)))
    cat = [tool.programs["victim"], "cat"]
    sizes = [tool.result("--input", "input", "--", *cat)]
    with file.open() as stream:
        stream.read(100)
        sizes.append(tool.result("--", *cat, stdin=stream))
    for result in sizes:
        check(result["outputs_compared"] is True, result["warnings"])
        check(result["options"]["input"] is not None, result["options"])
    script = f'test "$(wc -c)" = {file.stat().st_size}'
    tool.result("--input", "input", "--", "sh", "-c", script)
    with file.open() as stream:
        tool.result("--", "sh", "-c", script, stdin=stream)
    reader, writer = os.pipe()
    os.write(writer, b"x\n" * 10)  # before the tool looks
    os.close(writer)
    done = tool.run("--rounds", "1", *tool.mine, "--", *cat, stdin=reader)
    os.close(reader)
    check(done.returncode == 0 and "standard input is a pipe" in done.stderr, done.stderr)


def case_prepare(tool):
    log = tool.folder / "log"
    result = tool.result("--prepare", f"echo p >> {log}", "--", "sh", "-c", f"echo r >> {log}")
    check(len(result["rows"]) == 3, "rows")
    runs = log.read_text().split()
    # The discovery run goes without; then each of three contenders twice, repetitions included.
    repeated = sum(row["repeated"] for row in result["rows"])
    check(runs.count("p") == 6 + repeated, runs)
    check(runs[-2 * runs.count("p"):] == ["p", "r"] * runs.count("p"), runs)
    refused(tool, 1, ["--prepare 'exit 3'", "exit status 3"], "--prepare", "exit 3", "--", tool.programs["victim"])


def is_running(file):
    """Whether the process whose number a program wrote to the file still runs."""
    return runs(file.read_text().strip())


def case_left_children(tool):
    """What the program leaves behind is counted and ended, also in a session of its own; at the time limit all of it."""
    for how in ("child", "session", "daemon"):
        result = tool.result("--", tool.programs["victim"], how, how)
        check(result["left_behind"] >= 6, result["left_behind"])
        check(len([w for w in result["warnings"] if "left processes running" in w]) == 1, result["warnings"])
        check(not is_running(tool.folder / how), f"the {how} goes on")
    refused(tool, 1, ["timed out after 1 s", "--timeout"], "--timeout", "1", "--", tool.programs["victim"], "stubborn_family", "pid")
    pid = tool.folder / "pid"
    check(not pid.exists() or not is_running(pid), "what ignores SIGTERM goes on")  # or the machine was too slow for it to start


def case_killed(tool):
    """When the tool is killed or interrupted, the program goes too."""
    for number in (signal.SIGKILL, signal.SIGINT):
        file = tool.folder / str(int(number))
        linn = tool.start("run", *tool.mine, "--", tool.programs["victim"], "stubborn_family", file)
        wait_for(lambda: file.exists() or linn.poll() is not None, "the program")
        check(linn.poll() is None, "it ended before the program was there")
        linn.send_signal(number)
        check(linn.wait(timeout=20) == (128 + number if number == signal.SIGINT else -number), f"{linn.returncode}")
        wait_for(lambda: not is_running(file), "the program's end", 10)


def case_budget(tool):
    """A budget that is too small for anything says so at once; another is kept."""
    begun = time.monotonic()
    done = tool.run("--budget", "1", "--warm-up", "0", *tool.mine, "--json", "-", "--", "sleep", "0.5", status=1)
    check(done.stdout == "" and re.search(r"the budget of 1 s is too small: to compare one allocator takes 18 runs of about 0\.\d s "
                                          r"each, [\d.]+ s in all", prose(done.stderr)), f"{done}")
    check(time.monotonic() - begun < 5, "it measured first")
    begun = time.monotonic()
    tool.run("--budget", 5, "--only", "glibc-no-trim,glibc-huge-pages", "--", "sleep", 0.1)
    check(time.monotonic() - begun < 6, "the budget was not kept")


def case_interrupt(tool):
    """What was measured until then is kept, and called partial."""
    for number in (signal.SIGINT, signal.SIGTERM):
        mark = f"{os.getpid() % 1000 / 1e6 + 0.02:.6f}"  # one duration that only our own runs sleep
        for seconds in (3, 12, 40):  # on a busy machine it has measured nothing yet, and rightly says nothing
            process = tool.start("run", "--rounds", "100000", *tool.mine, "--json", "partial.json", "--", "sleep", mark,
                                 start_new_session=True)
            try:
                time.sleep(seconds)
                check(process.poll() is None, "it ended by itself")
                os.killpg(process.pid, number)  # as a terminal does
                out, err = process.communicate(timeout=20)
            finally:
                process.kill()
            check(process.returncode == 128 + number, f"exit status {process.returncode}: {err}")
            if out:
                break
        check(f"partial: stopped by {signal.Signals(number).name}" in out, out)
        result = json.loads((tool.folder / "partial.json").read_text())
        check(result["complete"] is False and result["stopped"] == "interrupted", "not marked partial")
        check(all(row["samples"] for row in result["rows"]), "nothing was kept; is the machine very slow?")
        check(processes_with(mark) == [], "the program goes on")


def case_server(tool):
    """The time is the client's, the resources are the server's, and what goes wrong with either is told."""
    victim, ready = tool.programs["victim"], tool.folder / "ready"
    prepare = "--prepare", f"rm -f {ready}", "--ready", f"test -e {ready}", "--client"
    result = tool.result(*prepare, f'test -z "$LD_PRELOAD$LINN_PROBE" && {victim} touch 40', "--", victim, "serve", ready)
    for row in result["rows"]:
        check(len(row["samples"]) == 2 and all(s["values"]["peak_rss_bytes"] < 20 << 20 for s in row["samples"]), row)
    check(result["outputs_compared"] is False, "a server's log was compared")
    tool.result(*prepare, "true", "--", victim, "hang", ready)  # dies of SIGTERM
    loop = f"trap 'exit 0' TERM; echo $$ > {ready}; while :; do sleep 0.01; done"
    tool.result(*prepare[:3], f"test -s {ready}", "--client", f"kill $(cat {ready}); sleep 0.1", "--", "sh", "-c", loop)
    hangs = f"{victim} hang {tool.folder}/client"
    for wanted, options, words in (
            (["its client failed with exit status 3: no answer"], [*prepare, "echo no answer; exit 3"], ["serve", ready]),
            (["was not ready in 1 s: not yet"], ["--timeout", "1", "--ready", "echo not yet; false", "--client", "true"], ["serve", ready]),
            (["timed out after 1 s"], ["--timeout", "1", *prepare, f"exec {hangs}"], ["serve", ready]),
            (["ended with exit status 0 before its client had finished"], ["--ready", "false", "--client", "true"], ["exit", "0"]),
            (["exit status 7"], ["--ready", "false", "--client", "true"], ["exit", "7"]),
            (["killed by SIGSEGV"], ["--client", f"exec {hangs}"], ["crash"])):
        refused(tool, 1, wanted, *options, "--", victim, *words)
        check(not (tool.folder / "client").exists() or not is_running(tool.folder / "client"), f"{wanted}: the client goes on")


def case_wrapper(tool):
    """Wrappers are left out, with what they set kept; children are named, and are no wrappers."""
    script = tool.folder / "wrapper"
    script.write_text('#!/bin/sh\ncd /\nexport WRAPPED=1\nexec env FROM_ENV=1 nice -n 0 "$@"\n')
    script.chmod(0o755)
    alias = tool.folder / "alias"
    alias.symlink_to(tool.programs["allocates"])
    program = tool.result("--", script, alias, "5000")["program"]
    check((program["path"], program["arguments"]) == (str(alias), [str(alias), "5000"]), program)  # by the name it was called
    check(len(program["wrappers"]) == 3 and program["also_ran"] == [], program)
    looks = 'test "$PWD $WRAPPED $FROM_ENV" = "/ 1 1" && case "$LD_PRELOAD" in *probe*probe*) exit 1; esac'
    tool.result("--", script, "sh", "-c", looks)
    program = tool.result("--wrapper", "--", script, alias, "5000")["program"]
    check(program["path"] == str(script) and len(program["wrappers"]) == 3, program)
    program = tool.result("--", "sh", "-c", f"{alias} 100; exit 0")["program"]
    check((program["wrappers"], program["also_ran"]) == ([], [os.path.realpath(alias)]), program)
