# SPDX-License-Identifier: Apache-2.0
"""What `make bench` builds: it compiles from nothing, measures the headline, and says where the rest is."""
import json
import pathlib
import subprocess

from cases import Tool, check  # noqa: F401 (conftest makes a Tool of this module's)

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def case_build(tool):
    presets = json.loads((SOURCE / "CMakePresets.json").read_text())["configurePresets"]
    variables = next(p for p in presets if p["name"] == "bench")["cacheVariables"]
    variables |= {"LINN_BUILD_BENCH": "OFF", "LINN_BUILD_EXAMPLES": "OFF", "LINN_INSTALL": "OFF"}
    for words in (["-G", "Ninja", "-S", SOURCE, "-B", tool.folder, *(f"-D{key}={value}" for key, value in variables.items())],
                  ["--build", tool.folder, "--target", "linn_tool"]):
        done = subprocess.run(["cmake", *words], capture_output=True, text=True)
        check(done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:])
    tool.linn = tool.folder / "tool" / "linn"
    shown = tool.call("bench", "--only", "linn", "--rounds", "6", "--work", "1", status=0, env={"COLUMNS": "100"}).stdout
    check(len(shown.splitlines()) <= 30 and "new/delete 64 B, hot" in shown, shown)
    for words, status in ((("bench", "object"), 1), (("run", "--", "true"), 2)):
        said = tool.call(*words, status=status).stderr
        check("`make tool` builds everything" in said, f"{words}: {said}")
    tool.call("allocators", status=0)
    left = [p.name for p in (tool.folder / "tool").glob("lib*.so")]
    check(not left, f"built for nothing: {left}")
