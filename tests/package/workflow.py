# SPDX-License-Identifier: Apache-2.0
"""GitHub's workflow runs what developers run: each command is a goal of the Makefile, a script of the repository with options that
it has, or a step of a preset. Actions of others are those of one commit, whose version a comment names."""
import json
import re

import package

# What GitHub alone needs: to install, to pack the recipes and to publish.
OTHERS = ("vcpkg install doctest", "brew install doctest", "tar czf recipes.tar.gz ", "gh release create ")
# The kind of presets that a command names.
KINDS = {"cmake --preset": "configure", "cmake --build --preset": "build", "ctest --preset": "test"}


def main():
    package.start()
    makefile = (package.ROOT / "Makefile").read_text(encoding="utf-8")
    goals = set(re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE).group(1).split())
    text = (package.ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    commands = re.findall(r"^ +(?:- run|setup): (.*)$", text, re.MULTILINE)
    if len(commands) < 4 or len(commands) != text.count("run:") + text.count("setup:"):
        package.fail(f"found only {commands}")
    commands.remove("${{ matrix.setup }}")
    actions = re.findall(r"^.*\buses:.*$", text, re.MULTILINE)
    for action in actions:
        if not re.fullmatch(r" +- uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action):
            package.fail(f"not an action of one commit with its version: {action}")
    presets = json.loads((package.ROOT / "CMakePresets.json").read_text(encoding="utf-8"))
    for command in commands:
        first, *words = command.split()
        if first == "make":
            if set(words) - goals:
                package.fail(f"the Makefile has no {words}")
        elif first.startswith("scripts/"):
            usage = package.run(package.ROOT / first, "--help")
            for option in re.findall(r"--[\w-]+", command):
                package.expect(re.escape(option), usage)
        elif step := re.match(r"((?:cmake|ctest)(?: --build)? --preset) (\S+)", command):
            names = [p["name"] for p in presets[f"{KINDS[step.group(1)]}Presets"] if not p.get("hidden")]
            if step.group(2) not in names:
                package.fail(f"there is no such preset: {command}")
        elif not command.startswith(OTHERS):
            package.fail(f"the workflow has a command of its own: {command}")


main()
