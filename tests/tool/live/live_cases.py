# SPDX-License-Identifier: Apache-2.0
"""Promise: `linn record --live` shows the types of a running program with their rates, live bytes and growth; keys work; the terminal
is as before however the program ends; and the trace is the one without it. Without these tests a view could leave a broken terminal
behind, or change what it looks at."""
import json
import os
import pathlib
import re
import shlex
import subprocess
import time

import cases
from cases import check, skip_without

NUMBER = r"(\d+(?:\.\d+)?(?: [kM])?)"
SCALE = {"": 1, "k": 1e3, "M": 1e6, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
LIMIT = 60  # seconds that anything may take on a busy machine


def figure(text):
    """12300 for "12.3 k", 2048 for "2.00 KiB"."""
    digits, _, unit = text.strip().partition(" ")
    return float(digits) * SCALE[unit]


class Terminal:
    """A terminal with a shell in it, and the screen as a person sees it."""

    def __init__(self, folder, columns, lines):
        self.socket = str(folder / "terminal")
        self.folder = folder
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", columns, "-y", lines,
                  "env -u COLUMNS -u LINES PS1='$ ' LC_ALL=C.UTF-8 bash --norc --noprofile")
        self.tmux("set-option", "-g", "status", "off")
        self.tmux("set-window-option", "-g", "aggressive-resize", "off")
        self.tmux("resize-window", "-x", columns, "-y", lines)
        self.wait(lambda s: "$" in s, "a prompt")

    def tmux(self, *words):
        done = subprocess.run(["tmux", "-S", self.socket, *map(str, words)], capture_output=True, text=True, timeout=LIMIT,
                              check=False, env={k: v for k, v in os.environ.items() if k != "TMUX"})
        check(done.returncode == 0, f"tmux {words}: {done.stderr}")
        return done.stdout

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True, check=False)

    def screen(self):
        return self.tmux("capture-pane", "-p")

    def history(self):
        return self.tmux("capture-pane", "-p", "-S", "-2000")

    def is_alternate(self):
        return self.tmux("display-message", "-p", "#{alternate_on}").strip() == "1"

    def cursor_is_shown(self):
        return self.tmux("display-message", "-p", "#{cursor_flag}").strip() == "1"

    def type(self, text):
        self.tmux("send-keys", "-l", text)
        self.tmux("send-keys", "Enter")

    def press(self, *keys):
        self.tmux("send-keys", *keys)

    def resize(self, columns, lines):
        self.tmux("resize-window", "-x", columns, "-y", lines)

    def wait(self, holds, what):
        """The screen once it is as wanted."""
        end = time.monotonic() + LIMIT
        while True:
            screen = self.screen()
            if holds(screen):
                return screen
            check(time.monotonic() < end, f"no {what} within {LIMIT} seconds:\n{screen}")
            time.sleep(0.1)


class Tool(cases.Tool):
    def terminal(self, columns=80, lines=24):
        skip_without("tmux", "bash")
        return Terminal(self.folder, columns, lines)

    def start(self, terminal, *more, options=()):
        command = [self.linn, "record", "--live", "--no-baseline", "--no-calibration", "-o", "live.linn", *options, "--",
                   self.programs["grows"], "stop", *more]
        terminal.type(f"cd {shlex.quote(str(self.folder))}; stty -a > before; {shlex.join(command)}; "
                      "echo status: $?; stty -a > after; cmp before after && echo settings: $((40 + 2))")
        return terminal.wait(lambda s: "leaked_node" in s and "particle" in s, "row of leaked_node")

    def stop_program(self):
        (self.folder / "stop").touch()

    def pid(self):
        """Of the recorded program: that of this folder, since other tests run too."""
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(process / "cwd") == str(self.folder) and os.readlink(process / "exe") == self.programs["grows"]:
                    return int(process.name)
            except OSError:  # it has ended, or is another user's
                continue
        cases.check(False, "the program does not run")

    def ended(self, terminal, status):
        """The terminal is as it was before."""
        screen = terminal.wait(lambda s: "settings: 42" in s, "end with the old settings")
        check(f"status: {status}" in screen, f"not status {status}:\n{screen}")
        check(not terminal.is_alternate() and terminal.cursor_is_shown(), "the screen or the cursor is not as before")
        history = terminal.history()
        check("program is ready" in history and "step 0" in history, f"the program's output is lost:\n{history}")
        check("type " not in history and "q end view" not in history, f"something of the view is left:\n{history}")
        return history


def row(screen, name, wide=True):
    """Rate, live bytes, blocks and growth of a row."""
    found = re.search(rf"^\S*{name}\S*\s+{NUMBER}\s+(\d\S* [KMG]?i?B)\s+{NUMBER}\s+(-|[+-]\d\S* [KMG]?i?B)" if wide else
                      rf"^\S*{name}\S*\s+{NUMBER}\s+(\d\S* [KMG]?i?B)()\s+(-|[+-]\d\S* [KMG]?i?B)", screen, re.MULTILINE)
    check(found, f"no row {name}:\n{screen}")
    rate, live, blocks, growth = found.groups()
    sign = -1 if growth.startswith("-") else 1
    return (figure(rate), figure(live), figure(blocks) if blocks else 0, 0 if growth == "-" else sign * figure(growth.lstrip("+-")))


def first_row(screen):
    lines = screen.splitlines()
    return lines[next(i for i, line in enumerate(lines) if line.startswith("type ")) + 1]


def case_types_and_rates(tool):
    with tool.terminal() as terminal:
        tool.start(terminal)
        screen = terminal.wait(lambda s: "leaked_node" in s and figure(re.search(rf"{NUMBER} in all", s)[1]) > 20000, "20000 allocations")
        particles, nodes = row(screen, "particle"), row(screen, "leaked_node")
        check(8 < particles[0] / nodes[0] < 12, f"forty particles for four nodes, not {particles[0]} for {nodes[0]}")
        check(particles[1] < 1000 and particles[2] < 10, f"particles live: {particles}")
        check(abs(nodes[1] / nodes[2] - 1008) < 12, f"nodes of {nodes[1] / nodes[2]} bytes")
        check(nodes[3] > 0 and abs(nodes[3] - nodes[1]) <= 0.02 * nodes[1], f"grown by {nodes[3]} of {nodes[1]}")
        check("0 events lost" in screen and "1 thread" in screen, screen)
        check("step" in screen.split("output of the program")[1], f"no output of the program:\n{screen}")
        check("[32m" not in screen, screen)
        later = terminal.wait(lambda s: row(s, "leaked_node")[2] > 1.5 * nodes[2], "growth")
        check(row(later, "particle")[2] < 10, later)
        tool.stop_program()
        tool.ended(terminal, 0)


def case_keys(tool):
    with tool.terminal() as terminal:
        screen = tool.start(terminal)
        check("sort: rate" in screen and "particle" in first_row(screen), screen)
        terminal.press("s")
        terminal.wait(lambda s: "sort: live" in s, "other order")
        terminal.press("s")
        terminal.wait(lambda s: "sort: growth" in s and "leaked_node" in first_row(s), "order by growth")
        terminal.press("r")
        terminal.wait(lambda s: "sort: rate" in s and "particle" in first_row(s), "order by rate")
        terminal.press("w")
        terminal.wait(lambda s: "window: 30 s" in s, "other window")
        terminal.press("Down")
        terminal.wait(lambda s: "window: 30 s" in s, "view after an arrow")
        terminal.press("p")
        paused = terminal.wait(lambda s: "PAUSED" in s, "pause")
        time.sleep(2.5)
        still = terminal.screen()
        check(row(still, "leaked_node") == row(paused, "leaked_node"), f"it went on:\n{paused}\n{still}")
        terminal.press("p")
        terminal.wait(lambda s: "PAUSED" not in s and row(s, "leaked_node")[2] > row(paused, "leaked_node")[2], "going on")
        terminal.press("q")
        screen = terminal.wait(lambda s: "the recording goes on" in s and "step" in s, "end of the view")
        check(not terminal.is_alternate(), "q left the view on the screen")
        before = len(re.findall(r"^step", terminal.history(), re.MULTILINE))
        terminal.wait(lambda _: len(re.findall(r"^step", terminal.history(), re.MULTILINE)) > before, "more output")
        tool.stop_program()
        history = tool.ended(terminal, 0)
        check("program is done" in history, history)
    trace = json.loads(tool.call("trace", "live.linn", "--json", "-", status=0).stdout)
    check(trace["damage"] == [], trace["damage"])


def case_sizes(tool):
    with tool.terminal(60, 15) as terminal:
        screen = tool.start(terminal)
        check("blocks " not in re.search("^type.*", screen, re.MULTILINE)[0], screen)
        row(screen, "leaked_node", wide=False)
        terminal.resize(100, 30)
        screen = terminal.wait(lambda s: "place" in s and "leaked_node" in s and len(s.splitlines()) == 30, "wide screen")
        check("grows.cpp:" in screen, f"no place:\n{screen}")
        terminal.resize(30, 6)
        terminal.wait(lambda s: len(s.splitlines()) == 6 and "s sort" in s.splitlines()[-1], "small screen")
        terminal.resize(60, 15)
        terminal.wait(lambda s: "leaked_node" in s and "s sort" in s.splitlines()[-1], "screen as before")
        tool.stop_program()
        tool.ended(terminal, 0)


def case_interrupt(tool):
    with tool.terminal() as terminal:
        tool.start(terminal)
        terminal.press("C-c")
        # Ctrl-C ends the shell's list of commands too, as it does without linn.
        terminal.wait(lambda s: s.rstrip().endswith("$"), "prompt")
        terminal.type("echo status: $?; stty -a > after; cmp before after && echo settings: $((40 + 2))")
        tool.ended(terminal, 130)


def case_crash(tool):
    with tool.terminal() as terminal:
        tool.start(terminal, "crash")
        tool.stop_program()
        tool.ended(terminal, 132)


def case_killed(tool):
    with tool.terminal() as terminal:
        tool.start(terminal)
        os.kill(tool.pid(), 9)
        tool.ended(terminal, 137)


def case_stopped(tool):
    """Ctrl-Z gives the shell its screen; fg brings the view back."""
    with tool.terminal() as terminal:
        tool.start(terminal)
        terminal.press("C-z")
        terminal.wait(lambda s: "Stopped" in s and s.rstrip().endswith("$"), "stop")
        check(not terminal.is_alternate(), f"Ctrl-Z left the view on the screen:\n{terminal.screen()}")
        terminal.type("fg")
        terminal.wait(lambda s: "q end view" in s and "leaked_node" in s, "view after fg")
        tool.stop_program()
        terminal.wait(lambda s: "program is done" in s, "end")
        check(not terminal.is_alternate(), "the view is left")


def events_of(tool, file):
    trace = json.loads(tool.call("trace", file, "--json", "-", status=0).stdout)
    advice = json.loads(tool.call("advise", file, "--json", "-", status=0).stdout)
    types = {(t["label"], t["statistics"]["allocations"], t["statistics"]["bytes"], t["statistics"]["not_freed"]["blocks"]
              if isinstance(t["statistics"].get("not_freed"), dict) else None) for t in advice["types"]}
    return trace["events"], types


def case_same_trace(tool):
    words = ["--no-baseline", "--no-calibration", "-q"]
    tool.call("record", *words, "-o", "without.linn", "--", tool.programs["grows"], 500, status=0)
    done = tool.call("record", *words, "--live", "-o", "with.linn", "--", tool.programs["grows"], 500, status=0)
    check(done.stdout.splitlines() == ["program is ready", "program is done"], done.stdout)
    check(events_of(tool, "without.linn") == events_of(tool, "with.linn"), "another trace")


def case_lines_without_terminal(tool):
    """In a log: a line a second on standard error, of plain text; names come as they are found."""
    words = [tool.linn, "record", "--live", "--no-baseline", "--no-calibration", "-o", "a.linn", "--", tool.programs["grows"], "stop"]
    with subprocess.Popen(words, cwd=tool.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        lines = []
        for line in process.stderr:
            lines.append(line)
            if ("grows leaked_node" in line and "particle" in line) or len(lines) > LIMIT:
                break
        tool.stop_program()
        rest, errors = process.communicate(timeout=LIMIT)
    check(process.returncode == 0 and rest.endswith("program is done\n"), errors)
    check("grows leaked_node (+" in lines[-1] and "most often" in lines[-1] and "particle" in lines[-1], lines)
    for line in lines:
        check(re.match(r"linn record: \d+ s: .* allocations/s, live .* in .* blocks, \+", line), line)
        check("\033" not in line and "\r" not in line, line)


def case_many_events(tool):
    """More than are counted one by one: the view says that it estimates, and nothing of it is in the trace."""
    words = [tool.linn, "record", "--live", "--no-baseline", "--no-calibration", "-o", "a.linn", "--", tool.programs["grows"], "stop", "busy"]
    rates = []
    with subprocess.Popen(words, cwd=tool.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True) as process:
        for line in process.stderr:
            found = re.search(rf": (about )?{NUMBER} allocations/s.* most often (\S+) \({NUMBER}/s\)", line)
            if found:
                rates.append((bool(found[1]), figure(found[2]), "particle" in found[3], figure(found[4])))
            if len(rates) > 3:
                break
        tool.stop_program()
        process.communicate(timeout=LIMIT)
    check(process.returncode == 0, f"exit status {process.returncode}")
    for is_estimate, rate, is_particle, particles in rates:
        check(is_particle and 0.95 * rate <= particles <= 1.05 * rate, rates)
        check(is_estimate or rate < 5e6, rates)
    trace = json.loads(tool.call("trace", "a.linn", "--json", "-", status=0).stdout)
    check(trace["damage"] == [] and trace["dropped"] == 0, trace["damage"])
    if not any(is_estimate for is_estimate, *_ in rates):
        cases.skip(f"this machine is too slow for estimates: {rates}")


def case_dumb_terminal(tool):
    with tool.terminal() as terminal:
        terminal.type("export TERM=dumb")
        terminal.type(f"cd {shlex.quote(str(tool.folder))}; {tool.linn} record --live --no-baseline -o a.linn -- "
                      f"{tool.programs['grows']} stop")
        terminal.wait(lambda s: "allocations/s" in s and "step" in s, "lines")
        check(not terminal.is_alternate(), "a screen on a terminal that has none")
        tool.stop_program()
        terminal.wait(lambda s: "next: linn advise" in s, "end")


def case_sampled(tool):
    """--live of a sample weighs its blocks."""
    words = [tool.linn, "record", "--live", "--sample", "4096", "-o", "a.linn", "--", tool.programs["grows"], "stop"]
    with subprocess.Popen(words, cwd=tool.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True) as process:
        ratio = 0
        for count, line in enumerate(process.stderr):
            found = re.search(rf"live (\d\S* [KMG]?i?B) in {NUMBER} blocks", line)
            if found and figure(found[1]) > 10 << 20:
                ratio = (figure(found[1]) - (1 << 20)) / figure(found[2])
            if ratio or count > LIMIT:
                break
        tool.stop_program()
        process.communicate(timeout=LIMIT)
    check(700 < ratio < 1300, f"blocks of {ratio} bytes, not about 1008")


def case_attached(tool):
    """The view of a program that runs already; the program keeps its terminal, and goes on after it."""
    with subprocess.Popen([tool.programs["grows"], "stop"], cwd=tool.folder, stdout=subprocess.PIPE, text=True) as program:
        with tool.terminal() as terminal:
            terminal.type(f"cd {shlex.quote(str(tool.folder))}; {tool.linn} record --live --pid {program.pid} -o a.linn")
            end = time.monotonic() + LIMIT
            while "leaked_node" not in (screen := terminal.screen()):
                if "ptrace" in screen or "not permitted" in screen:
                    cases.skip("this machine lets nobody attach")
                check(time.monotonic() < end, f"no view:\n{screen}")
                time.sleep(0.1)
            terminal.wait(lambda s: row(s, "leaked_node")[0] > 0, "rate")
            terminal.press("C-c")
            terminal.wait(lambda s: "next: linn advise a.linn" in s, "end of the recording")
            check(not terminal.is_alternate(), "the view is left")
        check(program.poll() is None, "the program has ended with the recording")
        tool.stop_program()
        check(program.communicate(timeout=LIMIT)[0].endswith("program is done\n") and program.returncode == 0, "the program came to harm")


def case_refused(tool):
    tool.refuses(["record"], [(["--live", "--fills", "--", "true"], "--fills and --live cannot be combined")])
    done = tool.call("record", "--live", "--", tool.folder / "nothing", status=2)
    check("allocations/s" not in done.stderr, done.stderr)
