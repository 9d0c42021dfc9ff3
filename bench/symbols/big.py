#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds a program with much debug information, of instantiated templates, and names addresses of it.

    bench/symbols/big.py --bench build/release/bench/linn-bench-symbols [--units 12] [--types 14]
"""
import argparse
import pathlib
import subprocess
import tempfile

UNIT = """
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <unordered_map>
#include <vector>
namespace unit{unit} {{
template <int N> struct key {{ int value; bool operator<(const key& o) const {{ return value < o.value; }}
    bool operator==(const key& o) const {{ return value == o.value; }} }};
template <int N> struct hash {{ std::size_t operator()(const key<N>& k) const {{ return k.value; }} }};
template <int N> struct value {{ std::string name; std::vector<key<N>> keys; std::function<int(key<N>)> call; }};
template <int N> int use(int n) {{
    std::map<key<N>, value<N>> sorted;
    std::unordered_map<key<N>, std::shared_ptr<value<N>>, hash<N>> hashed;
    for (int i = 0; i < n; ++i) {{
        sorted[key<N>{{i}}].keys.push_back(key<N>{{i}});
        auto shared = std::make_shared<value<N>>();
        shared->call = [shared, i, n](key<N> k) {{ return k.value + i + n; }};
        hashed.emplace(key<N>{{i}}, shared);
    }}
    std::vector<value<N>> all;
    for (auto& [k, v] : sorted) all.push_back(v);
    std::sort(all.begin(), all.end(), [](const value<N>& a, const value<N>& b) {{ return a.name < b.name; }});
    return static_cast<int>(all.size() + hashed.size());
}}
int run(int n) {{ int sum = std::regex_match(std::to_string(n), std::regex("[0-9]+x?")); {calls} return sum; }}
}}
"""


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bench", required=True)
    options.add_argument("--cxx", default="g++")
    options.add_argument("--flags", default="-O2 -g")
    options.add_argument("--units", type=int, default=12)
    options.add_argument("--types", type=int, default=14)
    options.add_argument("--addresses", default="3000")
    options.add_argument("--keep", help="a folder for the program, instead of a temporary one")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="linn-big-") as temporary:
        folder = pathlib.Path(given.keep or temporary)
        folder.mkdir(exist_ok=True)
        objects = []
        for unit in range(given.units):
            source = folder / f"unit{unit}.cpp"
            calls = " ".join(f"sum += use<{n}>(n);" for n in range(given.types))
            source.write_text(UNIT.format(unit=unit, calls=calls))
            objects.append(source.with_suffix(".o"))
            subprocess.run([given.cxx, "-std=c++20", *given.flags.split(), "-c", source, "-o", objects[-1]], check=True)
        names = range(given.units)
        main_source = folder / "main.cpp"
        main_source.write_text("".join(f"namespace unit{n} {{ int run(int); }}\n" for n in names) +
                               "int main(int n, char**) { return " + " + ".join(f"unit{n}::run(n)" for n in names) + "; }\n")
        program = folder / "big"
        subprocess.run([given.cxx, "-std=c++20", *given.flags.split(), main_source, *objects, "-o", program], check=True)
        sizes = subprocess.run(["size", "-A", "-d", program], capture_output=True, text=True, check=True).stdout
        for line in sizes.splitlines():
            if line.startswith(".debug_info"):
                print(f".debug_info: {int(line.split()[1]) / 1e6:.0f} MB")
        subprocess.run([given.bench, program, given.addresses], check=True)


if __name__ == "__main__":
    main()
