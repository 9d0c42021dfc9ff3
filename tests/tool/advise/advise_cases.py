# SPDX-License-Identifier: Apache-2.0
"""Records programs whose advice is known and asks `linn advise`."""
import json
import os
import pathlib
import re
import shutil
import subprocess

import cases
from cases import check, prose, skip


class Tool(cases.Tool):
    def record(self, *arguments, program=None, options=()):
        trace = self.folder / "trace.linn"
        self.call("record", "-o", trace, *options, "--", program or self.programs["advised"], *arguments, status=0)
        return trace

    def advise(self, trace, *arguments, status=0):
        return self.call("advise", trace, *arguments, status=status)

    def result(self, trace, *arguments, status=0):
        return json.loads(self.advise(trace, "--json", "-", *arguments, status=status).stdout)

    def of(self, *program):
        return self.result(self.record(*program))


def type_of(result, label):
    found = [t for t in result["types"] if t["label"] == label]
    check(found, f"no {label} among {[t['label'] for t in result['types']]}")
    return found[0]


def measured(result):
    """The result, if this machine can time calls."""
    if result["time_unknown"] in ("no-counter", "counter-jumps"):
        skip(f"the time in the allocator is not known here: {result['time_unknown']}")
    return result


def no_pool_needed(result):
    measured(result)
    check("No pool needed: that is below 2.0 %." in result["verdict"], result["verdict"])
    check(result["pool_needed"] is False and result["answer"] == "no" and result["to_know"] is None, result["verdict"])
    check(result["allocation_time"]["high"] < result["threshold"], result["allocation_time"])
    check(not any(t["use"] and "linn::" in t["use"] for t in result["types"]), "a pool is advised")
    return result


def case_few(tool):
    result = no_pool_needed(tool.of("few"))
    check(type_of(result, "std::map<int, std::string>")["rule"] == "rare", result["types"])


def case_churn(tool):
    trace = tool.record("churn")
    done = tool.advise(trace)
    text = prose(done.stdout)
    measured(tool.result(trace))
    check(re.match(r"Allocation takes [\d.]+ to [\d.]+ % of this program's CPU time: [\d.]+ % in calls, (less than )?[\d.]+ % in page faults\. "
                   r"std::list<particle> \([\d.]+ %\) leads\.", text), text)
    check("- std::list<particle> particles; // the one to change" in text, text)
    check("+ linn::list<particle> particles; // the one to change" in text, text)
    check("+ #include <linn/containers.hpp>" in text, text)
    check(all(len(line) <= 100 for line in done.stdout.splitlines()), done.stdout)
    result = tool.result(trace)
    nodes = type_of(result, "std::list<particle>")
    check(nodes["statistics"]["allocations"] == nodes["statistics"]["releases"] == 300000, nodes["statistics"])
    check(nodes["statistics"]["peak_live"] == 101 and nodes["use"] == "linn::list<particle>", nodes)
    check(nodes["places"][0]["file"].endswith("advised.cpp"), nodes["places"])


def case_runtime_blocks(tool):
    """stdout's buffer and the pool for exceptions are no leaks of the program's."""
    result = tool.of("chatty")
    leaks = [f["text"] for f in result["findings"] if f["kind"] == "leak"]
    check(len(leaks) == 1 and "all 7 blocks of " in leaks[0] and "forgotten" in leaks[0], leaks)
    notes = [f for f in result["findings"] if f["kind"] == "runtime"]
    rules = [kept["rule"] for kept in result["kept_by_runtime"]]
    check("stdio-buffer" in rules and len(notes) == 1 and "kept on purpose" in notes[0]["text"], (rules, notes))
    check(sum(kept["count"] for kept in result["kept_by_runtime"]) == notes[0]["count"], (result["kept_by_runtime"], notes))
    check("1 stdio-buffer (buffers of the standard streams)" in notes[0]["text"], notes)


def case_no_debug_information(tool):
    stripped = tool.folder / "stripped"
    if shutil.which("strip") is None:
        skip("there is no strip")
    subprocess.run(["strip", "-o", stripped, tool.programs["advised"]], check=True)
    result = tool.result(tool.record("churn", 50000, program=stripped))
    check(sum(t["statistics"]["allocations"] for t in result["types"]) == result["all"]["allocations"] >= 50000, result["all"])
    symbols = [f["text"] for f in result["findings"] if f["kind"] == "symbols"]
    check(symbols and str(stripped) in symbols[0], result["findings"])
    check(not any("or its header" in t["why"] for t in result["types"]), result["types"])


def case_replaced_program(tool):
    program = tool.folder / "program"
    shutil.copy(tool.programs["advised"], program)
    trace = tool.record("churn", 50000, program=program)
    program.unlink()
    shutil.copy(tool.programs["other"], program)
    result = tool.result(trace)
    check(not any(t["label"] == "std::list<particle>" for t in result["types"]), "named by a program that is another")
    symbols = [f["text"] for f in result["findings"] if f["kind"] == "symbols"]
    check(symbols and str(program) in symbols[0], result["findings"])


def case_thresholds(tool):
    """Answer and exit status follow from the same shares, whatever the threshold."""
    trace = tool.record("churn")
    result = measured(tool.result(trace))
    low, high = result["pools"]["low"], result["allocation_time"]["high"]
    check(result["allocation_time"]["low"] <= result["allocation_time"]["share"] <= high, result["allocation_time"])
    check(abs(sum(t["time_share"] for t in result["types"]) - result["allocation_time"]["share"]) < 0.001, result["allocation_time"])
    tool.advise(trace, "--fail-over", 100)
    if low > 0:
        tool.advise(trace, "--fail-over", low * 99, status=1)
    tool.advise(trace, "--fail-over", min(100, low * 101 + 0.01))
    answers = {percent: tool.result(trace, "--threshold", percent)["answer"] for percent in (low * 99, high * 99, high * 101)}
    check(list(answers.values()) == ["yes" if low > 0 else "not-known", "not-known", "no"], answers)


def case_reports(tool):
    trace = tool.record("churn", 50000)
    files = {form: tool.folder / f"advice.{form}" for form in ("json", "csv", "markdown", "html")}
    done = tool.advise(trace, *(w for form, path in files.items() for w in (f"--{form}", path)))
    check("std::list<particle>" in done.stdout and done.stderr == "", done.stderr)
    cases.result_of(files["json"].read_text(), lacks=())
    rows = {row["label"]: row for row in cases.csv_of(files["csv"], "advise")}
    result = json.loads(files["json"].read_text())
    check(list(rows) == [t["label"] for t in result["types"]], rows)
    first = rows["std::list<particle>"]
    check([first[c] for c in ("allocations", "remedy", "use", "function")] == ["50000", "pooled-container", "linn::list<particle>", "churn"], first)
    check(first["file"].endswith("advised.cpp") and first["answer"] == result["answer"], first)
    check("linn::list" in files["markdown"].read_text(), "markdown")
    page = files["html"].read_text()
    check(page.startswith("<!") and "std::list&lt;particle&gt;" in page, page[:200])
    check("1 more type " in tool.advise(trace, "--top", 1).stdout, "--top")
    one = tool.advise(trace, "--type", "particle").stdout
    check("std::list<particle>" in one and "call_init" not in one, one)
    check("no type has 'nosuch' in its name" in prose(tool.advise(trace, "--type", "nosuch").stdout), "--type")
    done = tool.call("advise", trace, "--json", tool.folder / "no" / "folder.json")
    check(done.returncode == 2, done.stderr)


def case_relative_paths(tool):
    """Compiled as Makefiles do, by a relative name; the change must still show the user's own line."""
    source = tool.folder / "src" / "small.cpp"
    source.parent.mkdir()
    source.write_text("#include <list>\nint main() {\n    std::list<long> numbers; // mine\n"
                      "    for (int i = 0; i != 300000; ++i) {\n        numbers.push_back(i);\n"
                      "        if (numbers.size() > 9)\n            numbers.pop_front();\n    }\n}\n")
    subprocess.run([tool.programs["compiler"], "-O1", "-g", "-o", "small", "src/small.cpp"], cwd=tool.folder, check=True)
    result = tool.result(tool.record(program=tool.folder / "small"))
    numbers = type_of(result, "std::list<long>")
    check(numbers["places"][0]["file"] == str(source.resolve()), numbers["places"][0])
    check("+ linn::list<long> numbers; // mine" in numbers["change"], numbers["change"])


KINDS = """#include <cstdlib>
#include <vector>
enum class colour { red };
union number { int i; double d; };
struct own {
    int v[7];
    static void* operator new(std::size_t n) { return ::operator new(n); }
    static void operator delete(void* p) { ::operator delete(p); }
};
struct plain { int v[9]; };
template <class Make> [[gnu::noinline]] void churn(Make make) {
    std::vector<decltype(make())> all;
    for (int i = 0; i != 9000; ++i) all.push_back(make());
    for (auto* one : all) delete one;
}
int main() {
    churn([] { return new colour{}; });
    churn([] { return new number{}; });
    churn([] { return new own{}; });
    churn([] { return new plain{}; });
    churn([] { return new long(1); });
    churn([] { return new int*(nullptr); });
    churn([] { int x = 4; auto f = [x, y = 2.0] { return x + y; }; return new decltype(f)(f); });
}
"""


def case_kinds_of_types(tool):
    """A base is advised to a class that can have one, and to no other kind of type."""
    (tool.folder / "kinds.cpp").write_text(KINDS)
    subprocess.run([tool.programs["compiler"], "-std=c++20", "-O1", "-g", "-o", "kinds", "kinds.cpp"], cwd=tool.folder, check=True)
    types = measured(tool.result(tool.record(program=tool.folder / "kinds")))["types"]
    pooled = [t["label"] for t in types if "linn::pooled" in (t["use"] or "") + (t["change"] or "")]
    check(pooled == ["plain"], pooled)
    named = {t["label"] for t in types if t["statistics"]["allocations"] == 9000}
    check({"colour", "number", "own", "plain", "long"} <= named and "decltype" not in named, named)
    check(not any("::int" in name for name in named), named)


def case_own_heap(tool):
    """Where a program has an allocator of its own and nothing was recorded, no command says that it is fine."""
    result = tool.result(tool.record("again", program=tool.programs["own_malloc"]))
    check(result["answer"] == "not-known" and not result["complete"], result["verdict"])
    check(sum("compiled in" in d for d in result["trace"]["damage"]) == 1, result["trace"])
    budgets = tool.folder / "budgets.toml"
    budgets.write_text("linn_budgets = 1\n[[budget]]\nallocations = 0\n")
    tool.call("check", budgets, tool.folder / "trace.linn", status=1)
    tried = json.loads(tool.call("try", "--json", "-", "--", tool.programs["own_malloc"], status=0).stdout)
    check(tried["answer"] == "not-known", tried)


def case_json_library(tool):
    """The strings of a document are filed under std::string, and the library's allocator parameter is the advice."""
    result = tool.result(tool.record(program=tool.programs["documents"]))
    strings = [t for t in result["types"] if t["type"] in ("std::string", "char")]
    # A person has a name and two addresses; the copy has them again.
    objects = type_of(result, "std::string object")
    check(objects["statistics"]["allocations"] >= 50 * 2 * 300 and objects["container"] is None, objects)
    check(sum(t["statistics"]["allocations"] for t in strings if t["container"] not in (None, "std::string", "std::vector<char>")) == 0,
          [(t["label"], t["container"]) for t in strings])
    for t in result["types"]:
        if t["container"] is not None and t["container"].startswith("std::vector<nlohmann"):
            check(t["type"].startswith("nlohmann::json"), t)
    for t in (objects, type_of(result, "std::map<std::string, nlohmann::json, std::less<void>>")):
        check(t["places"][0]["file"].endswith("documents.cpp") and t["places"][0]["function"].endswith("parse_people"), t["places"][0])
        check(t["remedy"] in ("pool-allocator", "nothing"), t["remedy"])
        check(t["takes_allocator"].startswith("nlohmann::basic_json<std::map, std::vector, std::string, "), t["takes_allocator"])
    advised = [t for t in result["types"] if t["rule"] == "allocator-parameter"]
    check(advised and advised[0]["use"] == "linn::allocator as argument of nlohmann::basic_json", advised)
    # One alias serves them.
    check(len(advised) >= 3 and len({t["change"] for t in advised}) == 1, [t["change"] for t in advised])
    lines = [line[2:] for line in advised[0]["change"].splitlines() if line.startswith("+ ")]
    check(any("double, linn::allocator, " in line for line in lines), lines)
    source = tool.folder / "alias.cpp"
    source.write_text("\n".join(["#include <nlohmann/json.hpp>", *lines,
                                 'int main() { return pooled_basic_json::parse("[1, \\"two\\"]").size() == 2 ? 0 : 1; }', ""]))
    done = subprocess.run([tool.programs["compiler"], "-std=c++20", f"-I{tool.programs['include']}", "-o", tool.folder / "alias",
                           source, "-pthread"], capture_output=True, text=True)
    check(done.returncode == 0, done.stderr[:2000])
    check(subprocess.run([tool.folder / "alias"]).returncode == 0, "the suggested alias does not work")


def applied(source, change):
    """The lines of a source with a change that names one of them."""
    head, *rest = change.splitlines()
    number = int(re.fullmatch(r"@@ .*:(\d+)", head)[1])
    (before,) = [line[2:] for line in rest if line.startswith("- ")]
    check(source[number - 1].strip() == before, (number, source[number - 1], before))
    added = [line[2:] for line in rest if line.startswith("+ ")]
    headers = [line for line in added if line.startswith("#include")]
    return headers + source[:number - 1] + [line for line in added if line not in headers] + source[number:]


def case_changes_compile(tool):
    """Every change that is shown compiles, alone and with all others: of aggregates, of derived classes, of what a function
    returns as a pointer to a base."""
    source = tool.folder / "changes.cpp"
    shutil.copy(pathlib.Path(__file__).parent / "programs" / "changes.cpp", source)
    compiler = [tool.programs["compiler"], "-std=c++20", "-pthread", f"-I{tool.programs['include']}"]
    subprocess.run([*compiler, "-O1", "-g", "-o", "changes", source], cwd=tool.folder, check=True)
    result = tool.result(tool.record(program=tool.folder / "changes"))
    changes = {t["label"]: t["change"] for t in result["types"] if t["change"] and t["change"].startswith("@@")}
    wanted = {"quote", "sum", "constant", "outer::inner", "cell<long, 6>", "packet"}
    named = {name for name in wanted if any(name in label for label in changes)}
    check(named == wanted, (wanted - named, changes.keys(), [(t["label"], t["rule"]) for t in result["types"]]))
    check("make_unique" not in "".join(changes.values()), changes)
    check(any("blocks of walk" in t["label"] for t in result["types"]), [t["label"] for t in result["types"]])

    def compiles(lines, name):
        file = tool.folder / f"changed-{name}.cpp"
        file.write_text("\n".join(lines) + "\n")
        done = subprocess.run([*compiler, "-Wall", "-Wextra", "-Werror", "-o", tool.folder / name, file], capture_output=True, text=True)
        check(done.returncode == 0, (name, done.stderr[:3000]))
        check(subprocess.run([tool.folder / name]).returncode == 0, name)

    original = source.read_text().splitlines()
    together = original
    by_line = sorted(set(changes.values()), key=lambda change: -int(re.match(r"@@ .*:(\d+)", change)[1]))
    for i, change in enumerate(by_line):
        compiles(applied(original, change), str(i))
    for change in by_line: # from the end, so that the numbers of lines stay
        together = [line for line in applied(together, change) if not line.startswith("#include <linn/")]
    compiles(["#include <linn/linn.hpp>", *together], "together")


def case_instantiations(tool):
    """The 53 instantiations of a class template are one line, and one change serves each."""
    result = tool.result(tool.record("lazy"))
    lazy = type_of(result, "lazy_kernel::Lazy_rep_n<...> (53 types)")
    check(lazy["statistics"]["allocations"] == 53 * 2000 and lazy["instantiations"] == 53, lazy)
    check(lazy["rule"] == "class", (lazy["rule"], lazy["why"]))
    check("linn::pooled<Lazy_rep_n>::operator new" in lazy["change"], lazy["change"])
    for width in ("80", "120"):
        done = subprocess.run([tool.linn, "advise", tool.folder / "trace.linn"], capture_output=True,
                              text=True, env={**os.environ, "COLUMNS": width})
        check("Lazy_rep_n<...>" in done.stdout, done.stdout)


def case_c_program(tool):
    """What C allocates takes no pool, and no change is shown of it."""
    result = tool.result(tool.record(program=tool.programs["in_c"]))
    nodes = type_of(result, "node")
    check(nodes["statistics"]["allocations"] == 1000, nodes["statistics"])
    check(nodes["remedy"] in ("linn-pools", "nothing") and nodes["rule"] in ("foreign", "foreign-planned", "rare"), nodes)
    for t in result["types"]:
        check(t["change"] is None and "linn::" not in (t["use"] or ""), t)


def case_foreign_library(tool):
    """A library without symbols is the place; its caller is not."""
    result = tool.result(tool.record("library"))
    blocks = [t for t in result["types"] if t["statistics"]["allocations"] == 100000]
    check(len(blocks) == 1, [(t["label"], t["statistics"]["allocations"]) for t in result["types"]])
    place = blocks[0]["places"][0]
    check(place["library"] == "liblinn_advise_opaque.so" and place["file"] is None, place)
    check(blocks[0]["remedy"] in ("linn-pools", "nothing"), blocks[0])
    text = tool.advise(tool.folder / "trace.linn", "--type", blocks[0]["label"]).stdout
    check("liblinn_advise_opaque.so" in text, text)


def case_growing_strings(tool):
    """reserve() helps a string that grows, and not one that is built once."""
    once = type_of(tool.result(tool.record("once")), "std::string")
    check(once["statistics"]["outgrown"] < 100 and once["rule"] != "growth" and once["use"] != "reserve()", once)
    slowly = type_of(tool.result(tool.record("slowly")), "std::string")
    check(slowly["statistics"]["allocations"] == 80000 and slowly["statistics"]["outgrown"] == 60000, slowly["statistics"])
    check(slowly["rule"] == "growth" and slowly["use"] == "reserve()", slowly["rule"])


def case_built_on_own_operators(tool):
    """What the standard builds on the program's operator new: the program's code is the place, and not the recorder's. The recorder
    and the advice say that only what goes on to malloc is seen."""
    trace = tool.folder / "own.linn"
    said = tool.call("record", "-o", trace, "--", tool.programs["own_operators"], status=0).stderr
    check("has operator new compiled in: what that does not take from malloc is not seen" in said, said)
    result = tool.result(trace)
    check(any("has operator new compiled in" in w for w in result["warnings"]), result["warnings"])
    places = [p for t in result["types"] if t["statistics"]["largest"] > 120000 for p in t["places"]]
    check(places and all(p["function"] == "main" for p in places), places)
    stacks = tool.call("trace", trace, "--convert", "collapsed", status=0).stdout
    check("main" in stacks and "linn::tool" not in stacks, stacks)


def case_instructions(tool):
    """The analysis must stay at its pace: instructions an event, list churn, with making the events (30 of them)."""
    if "throughput" not in tool.programs:
        skip("bench/ was not built")
    executed = [tool.instructions(tool.programs["throughput"], millions, 1000) for millions in (0.4, 0.2)]
    each = (executed[0] - executed[1]) / 0.2e6
    check(100 < each < 440, f"{each} instructions an event")
