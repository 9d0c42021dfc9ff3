#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stands in for clang-tidy: what it finds stands in comments of the source, which it reads with its headers.

  // FILL N NAME [KEY=VALUE ...]    NAME fills N bytes; fix=OLD>NEW, note=OLD>NEW (in a note), each=1,
                                    member=NAME:N, back=1 (OLD stands above), facts=VERSION (0: none),
                                    class=CLASS (removable, relied_upon, cold), check=NAME
  // ERROR TEXT    a compile error        // CRASH    ends by a signal        // SLOW    waits to be killed
  // STATUS N      ends with that status and no report
"""
import json
import os
import pathlib
import re
import signal
import sys
import time

arguments = sys.argv[1:]
options = dict(word[2:].split("=", 1) for word in arguments if word.startswith("--") and "=" in word)
if "--version" in arguments:
    print("Fake LLVM version %s" % os.environ.get("FAKE_VERSION", "19.1.7"))
    sys.exit()
if os.environ.get("FAKE_LOAD_ERROR"):
    print(os.environ["FAKE_LOAD_ERROR"], file=sys.stderr)
    sys.exit(1)
if "--dump-config" in arguments:
    print(os.environ.get("FAKE_CONFIG", "CheckOptions:\n  linn-zero-fill.Facts: 0\n"))
    sys.exit()

entries = json.loads((pathlib.Path(arguments[arguments.index("-p") + 1]) / "compile_commands.json").read_text())
entry = entries[0]
if os.environ.get("FAKE_LOG"):
    with open(os.environ["FAKE_LOG"], "a", encoding="utf-8") as log:
        log.write(json.dumps({"arguments": arguments, "entries": entries}) + "\n")

diagnostics = []


def message(text, path, offset, replacements=()):
    return {"Message": text, "FilePath": str(path), "FileOffset": offset, "Replacements": list(replacements)}


def replacement(path, data, start, change):
    old, new = change.split(">", 1)
    begin = data.index(old.encode(), start)
    return {"FilePath": str(path), "Offset": begin, "Length": len(old.encode()), "ReplacementText": new}


def read(path):
    data = path.read_bytes()
    start = 0
    for line in data.splitlines(keepends=True):
        text = line.decode("utf-8", "replace")
        if include := re.match(r'#include "(.*)"', text):
            read(path.parent / include[1])
        if fill := re.search(r"// FILL (\d+) (\S+)(.*)", text):
            keys = dict(word.split("=", 1) for word in fill[3].split())
            # No program parses the sentences: the facts say it all.
            facts = {"linn_finding": int(keys.get("facts", 3)), "what": fill[2], "bytes": int(fill[1]), "reason": "",
                     "per_element": "each" in keys, "members": [],
                     "class": keys.get("class", "removable").replace("_", " ")}
            notes = []
            if "member" in keys:
                name, size = keys["member"].split(":")
                facts["members"].append({"name": name, "bytes": int(size)})
                notes.append(message("a member", path, start))
            if "note" in keys:
                facts["reason"] = "others may need the zeros"
                notes.append(message("a choice", path, start, [replacement(path, data, start, keys["note"])]))
            if facts["linn_finding"] != 0:
                notes.append(message(json.dumps(facts), path, start))
            begin = 0 if "back" in keys else start
            fixes = [replacement(path, data, begin, keys["fix"])] if "fix" in keys else []
            check = keys.get("check", "linn-zero-fill")
            diagnostics.append({"DiagnosticName": check,
                                "DiagnosticMessage": message(f"zeros of {fill[2]}", path, start, fixes),
                                "Notes": notes, "Level": "Warning", "BuildDirectory": entry["directory"]})
        if error := re.search(r"// ERROR (.*)", text):
            diagnostics.append({"DiagnosticName": "clang-diagnostic-error",
                                "DiagnosticMessage": message(error[1], path, start), "Level": "Error",
                                "BuildDirectory": entry["directory"]})
        if "// CRASH" in text:
            os.kill(os.getpid(), signal.SIGSEGV)
        if "// SLOW" in text:
            pathlib.Path(os.environ["FAKE_SLOW"]).write_text(str(os.getpid()))
            time.sleep(600)
        if status := re.search(r"// STATUS (\d+)", text):
            print("error: something is wrong", file=sys.stderr)
            sys.exit(int(status[1]))
        start += len(line)


read(pathlib.Path(entry["file"]))
if diagnostics:
    pathlib.Path(options["export-fixes"]).write_text(
        json.dumps({"MainSourceFile": entry["file"], "Diagnostics": diagnostics}))  # JSON is YAML
sys.exit(any(d["Level"] == "Error" for d in diagnostics))
