# SPDX-License-Identifier: Apache-2.0
"""Completion in real shells and manual pages in the real man: both must know what --help says."""
import os
import pty
import re
import subprocess

from cases import Tool, check, prose, skip_without  # noqa: F401 (conftest makes a Tool of this module's)

VERBS = ("bench", "check", "compare", "run", "record", "trace", "advise", "try", "pools", "lint", "allocators", "completion",
         "man")
# What the parser says itself, in one of its versions; the manual of none of our options speaks like that.
PARSERS_WORDS = re.compile(r"required|Could not|[Aa]t [Mm]ost|[Aa]t [Ll]east|Exactly|not expected|excludes|requires|allowed value|"
                           r"too many inputs|Should be|INI |subcommand|disallowed|does not exist|Positionals|REQUIRED")


def script(tool, shell):
    path = tool.folder / f"linn.{shell}"
    path.write_text(tool.call("completion", shell, status=0).stdout)
    return path


def shell(*words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    check(done.returncode == 0 and done.stderr == "", f"{words}: {done.returncode} {done.stderr}{done.stdout}")
    return done.stdout.split()


def completed_by_bash(path, *words):
    array = " ".join(f"'{word}'" for word in words)
    return shell("bash", "-c", f"source {path}; cd {path.parent}; COMP_WORDS=(linn {array}); COMP_CWORD={len(words)}; "
                               "compopt() { :; }; _linn; printf '%s\\n' \"${COMPREPLY[@]}\"")


def completed_by_fish(path, *words):
    lines = subprocess.run(["fish", "--no-config", "-c", f"source {path}; complete -C 'linn {' '.join(words)}'"],
                           capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, cwd=path.parent)
    check(lines.returncode == 0, lines.stderr)
    return [line.split("\t")[0] for line in lines.stdout.splitlines()]


def completes(complete, path):
    """Verbs, options, values of options, and files, in any shell."""
    check(set(VERBS) | {"help"} == {word for word in complete(path, "") if not word.startswith("-")},
          f"{complete(path, '')}, and not the VERBS of this file")
    check(complete(path, "ben") == ["bench"], complete(path, "ben"))
    check({"--json", "--rounds", "--help"} <= set(complete(path, "bench", "--")), complete(path, "bench", "--"))
    check("--plan" not in complete(path, "bench", "--p"), complete(path, "bench", "--p"))
    check(sorted(complete(path, "bench", "--container", "")) == ["list", "map", "set", "unordered_set"],
          complete(path, "bench", "--container", ""))
    check({"object", "threads"} <= set(complete(path, "bench", "")), complete(path, "bench", ""))
    check("mimalloc2" in complete(path, "allocators", "--install", ""), complete(path, "allocators", "--install", ""))
    check("lint" in complete(path, "help", "l"), complete(path, "help", "l"))
    (path.parent / "result.json").touch()
    check("result.json" in complete(path, "bench", "--json", "res"), complete(path, "bench", "--json", "res"))


def case_bash(tool):
    path = script(tool, "bash")
    completes(completed_by_bash, path)
    check(completed_by_bash(path, "run", "--", "pytho") != [], "the program after -- is not completed")


def case_fish(tool):
    skip_without("fish")
    completes(completed_by_fish, script(tool, "fish"))


def case_zsh(tool):
    skip_without("zsh")
    path = script(tool, "zsh")
    shell("zsh", "-n", str(path))
    # Whether it defines what it should: completing itself needs a terminal.
    text = path.read_text()
    for verb in VERBS:
        check(re.search(rf"^ +{verb}\)$", text, re.MULTILINE) and f"'{verb}:" in text, f"{verb} is not in {text}")
    check("--container[" in text and ":(unordered_set map set list)'" in text, text)
    shell("zsh", "-f", "-c", f"autoload -U compinit; compinit -u -d {tool.folder}/dump; fpath=({tool.folder} $fpath); "
                             f"cp {path} {tool.folder}/_linn; autoload -U _linn; whence _linn >/dev/null")


def case_manual_pages(tool):
    skip_without("man", "groff")
    for verb in ("", *VERBS):
        source = tool.call("man", *([verb] if verb else []), status=0).stdout
        path = tool.folder / f"linn-{verb or 'all'}.1"
        path.write_text(source)
        done = subprocess.run(["man", "--warnings=w", "-E", "UTF-8", "-l", path], capture_output=True, text=True, timeout=60,
                              env={"MANWIDTH": "80", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}, check=False)
        check(done.returncode == 0 and done.stderr == "", done.stderr)
        page = done.stdout
        check("NAME" in page and "OPTIONS" in page and "EXIT STATUS" in page, page)
        words = tool.call(*([verb] if verb else []), "--help", status=0).stdout
        for option in re.findall(r"(?<![\w-])--[a-z-]+(?=[ ,\n])", words.split("Examples:")[0]):
            check(option in page, f"{option} is not in the page of '{verb}'")
        for line in words.split("Examples:")[1].splitlines() if "Examples:" in words else []:
            shown = prose(line.removesuffix(" \\"))  # the page breaks commands elsewhere
            check(shown in prose(page.replace(" \\\n", " ")), f"{shown!r} is not in the page of '{verb}': {page}")


def case_into_a_folder(tool):
    tool.call("man", "--into", "share", status=0)
    share = tool.folder / "share"
    check((share / "bash-completion/completions/linn").read_text() == script(tool, "bash").read_text(), "another script")
    for name in ("zsh/site-functions/_linn", "fish/vendor_completions.d/linn.fish", "man/man1/linn.1",
                 *(f"man/man1/linn-{verb}.1" for verb in VERBS)):
        check((share / name).stat().st_size > 0, f"{name} is empty")
    (tool.folder / "file").touch()
    refused = tool.call("man", "--into", "file", status=1)
    check("linn man: cannot write file" in refused.stderr, refused.stderr)


def case_refused(tool):
    tool.refuses([], [(["completion"], "missing SHELL"), (["completion", "csh"], "must be one of bash, zsh, fish"),
                      (["man", "bnech"], "unknown command 'bnech'; did you mean 'bench'?")])


def case_version(tool):
    check(tool.call("-V", status=0).stdout == tool.call("--version", status=0).stdout, "-V and --version differ")


def options_of(tool, verb):
    """The options of a verb and whether each takes a value, as its help says."""
    text = tool.call(verb, "--help", status=0, env={"COLUMNS": "60"}).stdout
    for names, value in re.findall(r"^  ((?:-\w, )?--[\w-]+(?:, --[\w-]+)*)( [^ \n]+)?", text, re.MULTILINE):
        for name in names.split(", "):
            if name not in ("-h", "--help", "--version", "-V"):
                yield name, bool(value)


def case_wrong_calls(tool):
    """Whatever is wrong with the words, the message is one of ours, names the word, and the exit status is 2."""
    count = 0
    for verb in VERBS:
        calls = [["--nosuch"], ["-~"], ["--color", "red"], ["--color"], ["--json="] if verb == "bench" else ["--nosuch=3"]]
        for name, takes_value in options_of(tool, verb):
            calls.append([name] if takes_value else [name + ("=maybe" if name.startswith("--") else "maybe")])
        for words in calls:
            count += 1
            done = tool.call(verb, *words, status=2)
            check(done.stderr.startswith(f"linn {verb}: ") and done.stdout == "", f"{verb} {words}: {done.stderr}{done.stdout}")
            check(not PARSERS_WORDS.search(done.stderr), f"{verb} {words}: {done.stderr}")
            check(done.stderr.endswith("\n") and "\n\n" not in done.stderr, f"{verb} {words}: {done.stderr!r}")
    check(count > 150, f"only {count} calls")
    tool.refuses([], [(["--color", "never"], "linn: missing COMMAND"), (["nosuch"], "unknown command 'nosuch'"),
                      (["ru"], "did you mean 'run'?"), (["compare", "a", "b", "c"], "linn compare: unexpected 'c'"),
                      (["run", "--"], "missing program"), (["run", "--", ""], "the program's name is empty"),
                      (["try", "--", ""], "the program's name is empty"), (["try", "x", "y"], "missing program"),
                      (["try", "--nosuch"], "unknown option '--nosuch' Try 'linn try --help'."),
                      (["man", "--into", "a", "bench"], "cannot be combined"),
                      (["man", "--into", "a", "--into", "b"], "--into is given too often"),
                      (["advise", "x", "--debug-dir", "nosuch"], "--debug-dir must be a folder"),
                      # What follows the value of an option is the verb's own word.
                      (["compare", "--metric", "wall_ns", "a"], "missing NEW"),
                      (["advise", "--debug-dir", "/", "nosuch.linn"], "nosuch.linn: no such file"),
                      (["lint", "--checks", "fill", "nosuch.cpp"], "no compile_commands.json"),
                      (["run", "--allocator", "mine=/nosuch.so", "--", "true"], "--allocator mine: /nosuch.so not found")])


def case_narrow_help(tool):
    """The help fits into the terminal, and says the same at every width."""
    words = {}
    for verb in ("", *VERBS):
        for width in (40, 60, 80, 200):
            text = tool.call(*([verb] if verb else []), "--help", status=0, env={"COLUMNS": str(width)}).stdout
            for line in text.splitlines():
                whole = len(line.strip().rstrip(" \\").split("  ")[0].split(" ")) == 1 or "'" in line  # cannot be broken
                check(len(line) <= min(width, 100) or whole, f"{verb} at {width}: {line}")
            said = " ".join(text.replace(" \\\n", " ").split())
            check(words.setdefault(verb, said) == said, f"{verb} at {width}: {said} instead of {words[verb]}")
            check(not re.search("Positionals|REQUIRED|SUBCOMMAND|Excludes|Needs|UINT|TEXT", text), f"{verb}: {text}")


def on_terminal(tool, *words, **environment):
    """What linn writes to a terminal."""
    ours, theirs = pty.openpty()
    env = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS")}
    with subprocess.Popen([tool.linn, *words], stdout=theirs, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          env=env | {"TERM": "xterm"} | environment):
        os.close(theirs)
        text = b""
        try:
            while part := os.read(ours, 4096):
                text += part
        except OSError:  # the terminal is gone with its last user
            pass
        os.close(ours)
    return text


def case_color(tool):
    """Bold on a terminal only; NO_COLOR and TERM=dumb say no, and --color says what it says."""
    words = ("allocators", "glibc")
    for environment, options, wanted in [({}, [], True), ({"NO_COLOR": "1"}, [], False), ({"NO_COLOR": ""}, [], True),
                                         ({"TERM": "dumb"}, [], False), ({}, ["--color", "never"], False),
                                         ({"NO_COLOR": "1"}, ["--color=always"], True), ({}, ["--color=auto"], True)]:
        text = on_terminal(tool, *words, *options, **environment)
        check((b"\033[1m" in text) == wanted and b"glibc" in text, f"{environment} {options}: {text}")
    for options, wanted in [([], False), (["--color", "always"], True), (["--color", "auto"], False)]:
        text = tool.call(*words, *options, status=0).stdout
        check(("\033[1m" in text) == wanted, f"in a pipe, {options}: {text!r}")
    # Before the command it says the same, and the last one counts.
    check("\033[1m" in tool.call("--color", "always", *words, status=0).stdout, "before the command")
    check("\033[1m" not in tool.call(*words, "--color", "always", "--color", "never", status=0).stdout, "the last one")


def case_man_on_a_terminal(tool):
    """man shows the page; without man linn prints its source."""
    skip_without("man", "groff")
    page = on_terminal(tool, "man", "bench", MANPAGER="cat", PATH="/usr/bin:/bin")
    check(b"LINN-BENCH(1)" in page and b".TH" not in page, page)
    check(b".TH LINN" in on_terminal(tool, "man", "bench", PATH=""), "the source")


OUTPUTS = ("--json", "--csv", "--markdown", "--html", "--sarif", "--output", "--compile", "--stats")


def case_output_files(tool):
    """A file that cannot be written is a wrong argument of every option that names one, found before all else."""
    found = []
    for verb in VERBS:
        options = re.findall(r"(--[a-z]+) FILE", tool.call(verb, "--help", status=0).stdout)
        for option in [one for one in options if one in OUTPUTS or (verb, one) == ("try", "--plan")]:
            found.append(option)
            for path, reason in (("/nonexistent/x", "/nonexistent: No such file or directory; make that folder or name another file"),
                                 ("/", "it is a folder; name a file in it")):
                done = tool.call(verb, option, path, status=2)
                check(done.stdout == "" and f"linn {verb}: {option}: cannot write {path}: {reason}\n" in done.stderr, done.stderr)
    check(set(found) == {*OUTPUTS, "--plan"}, found)
