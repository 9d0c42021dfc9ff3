# SPDX-License-Identifier: Apache-2.0
"""The words of the command line: the help, what is said of wrong arguments, colours, and files that cannot be written."""
import os
import pty
import re
import subprocess

from cases import Tool, check  # noqa: F401 (conftest makes a Tool of this module's)

# What the parser says itself, in one of its versions; the manual of none of our options speaks like that.
PARSERS_WORDS = re.compile(r"required|Could not|[Aa]t [Mm]ost|[Aa]t [Ll]east|Exactly|not expected|excludes|requires|allowed value|"
                           r"too many inputs|Should be|INI |subcommand|disallowed|does not exist|Positionals|REQUIRED")


def case_version(tool):
    version = tool.call("--version", status=0).stdout
    check(re.fullmatch(r"linn \d+\.\d+\.\d+\n", version), version)
    check(tool.call("-V", status=0).stdout == version, "-V and --version differ")


def verbs_of(tool):
    """The commands that the help lists."""
    return re.findall(r"^  ([a-z]+) ", tool.call("--help", status=0).stdout.split("\nCommands:\n")[1].split("\n\n")[0], re.MULTILINE)


def options_of(tool, verb):
    """The options of a verb, each with what its help calls its value."""
    text = tool.call(verb, "--help", status=0, env={"COLUMNS": "60"}).stdout
    for names, value in re.findall(r"^  ((?:-\w, )?--[\w-]+(?:, --[\w-]+)*)( [^ \n]+)?", text, re.MULTILINE):
        for name in names.split(", "):
            if name not in ("-h", "--help", "--version", "-V"):
                yield name, value.strip()


# Values that are no names, files or commands: "(x" is none of them.
CHECKED = {"COUNT", "SECONDS", "PERCENT", "BYTES", "NUMBER", "N", "LIMIT", "PID", "HOW", "WHAT", "WHICH", "WHEN", "UNIT", "REGEX",
           "FOLDER"}


def case_unwritable_messages(tool):
    """A message that standard error cannot take is lost; the exit status stays the same."""
    for words in (["advise", "/nonexistent"], ["bench", "--nosuch"], ["try", "--", "/nonexistent"], ["nosuch"], []):
        for way in ('exec "$@" 2>&-', 'exec "$@" 2>/dev/full', 'exec "$@" <&- >&- 2>&-'):
            done = subprocess.run(["bash", "-c", way, "bash", tool.linn, *words], timeout=60)
            check(done.returncode == 2, f"{words} {way}: exit status {done.returncode}")


def case_wrong_calls(tool):
    """Whatever is wrong with the words, the message is one of ours, names the word, and the exit status is 2."""
    count = 0
    for verb in verbs_of(tool):
        calls = [["--nosuch"], ["-~"], ["--color", "red"], ["--color"], ["--json="] if verb == "bench" else ["--nosuch=3"]]
        for name, value in options_of(tool, verb):
            if value in CHECKED:
                tool.refuses([verb], [([name, "(x"], name if name != "--attach" else "--pid")])
            calls.append([name] if value else [name + ("=maybe" if name.startswith("--") else "maybe")])
        for words in calls:
            count += 1
            done = tool.call(verb, *words, status=2)
            check(done.stderr.startswith(f"linn {verb}: ") and done.stdout == "", f"{verb} {words}: {done.stderr}{done.stdout}")
            check(not PARSERS_WORDS.search(done.stderr), f"{verb} {words}: {done.stderr}")
            check(done.stderr.endswith("\n") and "\n\n" not in done.stderr, f"{verb} {words}: {done.stderr!r}")
    check(count > 150, f"only {count} calls")
    tool.refuses([], [(["--color", "never"], "linn: missing COMMAND"), (["nosuch"], "unknown command 'nosuch'"),
                      (["ru"], "did you mean 'run'?"), (["help", "bnech"], "unknown command 'bnech'"), ([], "bench"),
                      (["compare", "a", "b", "c"], "linn compare: unexpected 'c'"),
                      (["--josn", "trace", "a"], "did you mean '--json'?"), (["foo", "trace", "a"], "unexpected 'foo'"),
                      (["run", "--"], "missing program"), (["run", "--", ""], "the program's name is empty"),
                      (["try", "--", ""], "the program's name is empty"), (["try", "x", "y"], "missing program"),
                      (["try", "--nosuch"], "unknown option '--nosuch' Try 'linn try --help'."),
                      (["trace", "a", "--leaks", "--peak"], "--peak and --leaks cannot be combined"),
                      # What follows the value of an option is the verb's own word.
                      (["compare", "--metric", "wall_ns", "a"], "missing NEW"),
                      (["advise", "--debug-dir", "/", "nosuch.linn"], "nosuch.linn: no such file"),
                      (["compare", "a", "b", "--color", "never"], "cannot use a: No such file"),
                      (["lint", "--checks", "fill", "nosuch.cpp"], "no compile_commands.json"), (["lint", "--checks", "x"], "--checks"),
                      (["run", "--allocator", "mine=/nosuch.so", "--", "true"], "--allocator mine: /nosuch.so not found")])


def case_narrow_help(tool):
    """Arguments and options fit into the terminal, footers into a hundred columns, and the words are the same at every width."""
    words = {}
    for verb in ("", *verbs_of(tool)):
        for width in (40, 60, 80, 200):
            text = tool.call(*([verb] if verb else []), "--help", status=0, env={"COLUMNS": str(width)}).stdout
            options, footer = re.split(r"\n\n(?=[^\n]*\n)(?!Arguments:|Options:|Commands:)", text, maxsplit=1)
            for line in options.splitlines():
                cannot_be_broken = " " not in line.strip().split("  ")[0]
                check(len(line) <= min(width, 100) or cannot_be_broken, f"{verb} at {width}: {line}")
            check(all(len(line) <= 100 for line in footer.splitlines()), f"{verb}: {footer}")
            check("Examples:" in footer, f"{verb}: {footer}")
            said = " ".join(text.split())
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


def case_output_files(tool):
    """A file that cannot be written is a wrong argument of every option that names one, found before all else."""
    found = []
    for verb in verbs_of(tool):
        options = set(re.findall(r"(--[a-z]+) FILE", tool.call(verb, "--help", status=0).stdout))
        for option in options - {"--input", "--plan" if verb == "pools" else "--input"}:  # those files are read
            found.append(option)
            for path, reason in (("/nonexistent/x", "/nonexistent: No such file or directory; make that folder or name another file"),
                                 ("/", "it is a folder; name a file in it")):
                done = tool.call(verb, option, path, status=2)
                check(done.stdout == "" and f"linn {verb}: {option}: cannot write {path}: {reason}\n" in done.stderr, done.stderr)
    check(len(set(found)) > 7, found)
    (tool.folder / "link").symlink_to("none/x")
    for path, wanted in (("none/x", "none: No such file or directory; make that folder"), ("link", "make that folder or name another file"),
                         ("/proc/self/exe/x", "exe: Not a directory; name another file")):
        done = tool.call("allocators", "--json", path, status=2)
        check(wanted in done.stderr, done.stderr)


def case_output_places(tool):
    """What a link names is replaced and the link stays, a pipe is written to, and permissions are kept. Nothing else appears."""
    def write(path, **more):
        return tool.call("allocators", "glibc", "--csv", path, status=0, **more).stdout

    elsewhere, file, link, dangling = (tool.folder / name for name in ("elsewhere", "elsewhere/file", "link", "dangling"))
    elsewhere.mkdir()
    link.symlink_to("elsewhere/file")
    dangling.symlink_to("new")
    file.write_text("older")
    file.chmod(0o604)
    write(link)
    write(dangling, preexec_fn=lambda: os.umask(0o027))
    for path, target, mode in ((link, file, 0o604), (dangling, tool.folder / "new", 0o640)):
        check(path.is_symlink() and target.read_text().startswith("name,"), target.read_text())
        check(target.stat().st_mode & 0o7777 == mode, oct(target.stat().st_mode))
    pipe = tool.folder / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write("pipe")
    check(os.read(reader, 65536) == file.read_bytes() and pipe.is_fifo(), "the pipe was not written to")
    os.close(reader)
    check(file.read_text() in write("/dev/stdout"), "a pipe without a name was not written to")  # the table is there too
    check(sorted(p.name for p in tool.folder.iterdir()) == ["dangling", "elsewhere", "link", "new", "pipe"], "something is left over")
    check(list(elsewhere.iterdir()) == [file], "something is left over")
