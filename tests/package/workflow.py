# SPDX-License-Identifier: Apache-2.0
"""GitHub's workflow runs what developers run: each command is a goal of the Makefile or a script of the repository with options that
it has."""
import re

import package

# What GitHub alone needs: to pack the recipes and to publish.
OTHERS = ("tar czf recipes.tar.gz ", "gh release create ")


def main():
    package.start()
    makefile = (package.ROOT / "Makefile").read_text(encoding="utf-8")
    goals = set(re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE).group(1).split())
    text = (package.ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    commands = re.findall(r"^ +- run: (.*)$", text, re.MULTILINE)
    if len(commands) < 4 or len(commands) != text.count("run:"):
        package.fail(f"found only {commands}")
    for command in commands:
        first, *words = command.split()
        if first == "make":
            if set(words) - goals:
                package.fail(f"the Makefile has no {words}")
        elif first.startswith("scripts/"):
            usage = package.run(package.ROOT / first, "--help")
            for option in re.findall(r"--[\w-]+", command):
                package.expect(re.escape(option), usage)
        elif not command.startswith(OTHERS):
            package.fail(f"the workflow has a command of its own: {command}")


main()
