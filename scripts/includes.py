# SPDX-License-Identifier: Apache-2.0
"""What a header of Linn includes, as the compiler sees it."""
import re
import subprocess

DIRECT = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<([^>]+)>", re.MULTILINE)

# A user of the map of a namespace: what compiling it costs is measured, and limited by a test.
MAP = """#include <{header}>
{name}::map<int, long> numbers;
long use(int key, long value) {{
    numbers[key] = value;
    numbers.erase(key + 1);
    return static_cast<long>(numbers.size());
}}
"""


def compile_text(command, text):
    return subprocess.run(command + ["-x", "c++", "-"], input=text, text=True, capture_output=True, check=False)


def files(command, header):
    """Paths of all files that the header pulls in, in order."""
    run = compile_text(command + ["-E", "-H", "-o", "/dev/null"], f"#include <{header}>\n")
    if run.returncode != 0:
        raise RuntimeError(run.stderr)
    return [line.split(" ", 1)[1] for line in run.stderr.splitlines() if re.match(r"^\.+ ", line)]


def is_ours(path):
    return "/linn/" in path and path.endswith(".hpp")


def outside(command, header):
    """Names, as written, of the headers of others that it and what it includes of Linn ask for."""
    found = files(command, header)
    names = []
    for path in filter(is_ours, found):
        with open(path, encoding="utf-8") as file:
            names += [name for name in DIRECT.findall(file.read()) if not name.startswith("linn/")]
    # What stands in an #if that this platform does not take was not pulled in.
    return sorted({name for name in names if any(path.endswith("/" + name) for path in found)})


def text_of(names):
    return "".join(f"#include <{name}>\n" for name in names)


def lines(command, header):
    """How many lines of Linn the compiler reads for the header: neither blank nor comments."""
    run = compile_text(command + ["-E"], f"#include <{header}>\n")
    count, ours = 0, False
    for line in run.stdout.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            ours = is_ours(marker[1])
        elif ours and line.strip():
            count += 1
    return count
