#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the inputs of the programs in debian.toml and changed.toml into a folder; always the same ones for one SCALE.

    inputs.py FOLDER [SCALE]

SCALE, 1 unless told, multiplies the sizes, and so about the time that the programs run. On a virtual machine short runs, of 0.05
to 0.15 s (SCALE 0.5), compare far better than long ones: docs/design/predictions.md.
"""
import json
import math
import pathlib
import random
import sys

WORDS = "pool slab magazine depot slot trim flush refill owner thread cache line page fault burst live free heap".split()
GOLDEN_RATIO = (1 + math.sqrt(5)) / 2  # calls of fib(n + 1) for one of fib(n)


def words(source, count):
    return " ".join(source.choice(WORDS) for _ in range(count))


def text(source, lines):
    return "".join(f"{i} {words(source, 3 + source.randrange(9))} {source.random():.12f}\n" for i in range(lines))


def documents(source, count):
    return [{"id": i, "name": words(source, 2), "tags": words(source, 4).split(), "at": {"x": source.random(), "y": source.random()},
             "orders": [{"sku": source.randrange(1000), "price": source.randrange(10000) / 100} for _ in range(4)]} for i in range(count)]


def xml(records):
    orders = "".join("<doc id='{id}'><name>{name}</name>".format(**r) + "".join("<o sku='{sku}'>{price}</o>".format(**o) for o in r["orders"]) +
                     "</doc>\n" for r in records)
    return f"<all>\n{orders}</all>\n"


def journal(source, count):
    accounts = [f"{top}:{word}" for top in ("Expenses", "Assets", "Income") for word in WORDS]
    return "".join(f"20{source.randrange(10, 25)}-{source.randrange(1, 13):02}-{source.randrange(1, 29):02} {words(source, 2)}\n"
                   f"    {source.choice(accounts)}    {source.randrange(1, 99999) / 100:.2f} EUR\n    {source.choice(accounts)}\n\n"
                   for _ in range(count))


def wasm_text(source, functions):
    def expression(depth):
        if depth == 0:
            return source.choice(["(local.get 0)", "(local.get 1)", f"(i32.const {source.randrange(1 << 16)})"])
        return f"(i32.{source.choice(['add', 'sub', 'mul', 'xor', 'and'])} {expression(depth - 1)} {expression(depth - 1)})"
    return "(module\n" + "".join(f"(func $f{i} (param i32 i32) (result i32) {expression(7)})\n" for i in range(functions)) + ")\n"


def build_files(source, edges):
    return "rule cc\n  command = cc $in -o $out\n  description = CC $out\nbuild out/header.h: cc\n" + "".join(
        f"build out/{i}.o: cc | out/header.h " + " ".join(f"out/{source.randrange(i)}.o" for _ in range(min(i, 4))) + "\n" for i in range(edges))


def messages(count):
    return 'syntax = "proto3";\npackage shop;\n' + "".join(
        f"message Order{i} {{\n" + "".join(f"  {kind} {name}_{n} = {n};\n" for n, (kind, name) in enumerate(
            [("int32", "count"), ("string", "title"), ("repeated double", "price"), ("map<int32, string>", "notes"), ("bytes", "blob")], 1)) + "}\n"
        for i in range(count))


def map_nodes(source, count):
    nodes = [f' <node id="{i + 1}" version="1" lat="{source.uniform(-80, 80):.7f}" lon="{source.uniform(-180, 180):.7f}">'
             f'<tag k="name" v="{words(source, 2)}"/></node>\n' for i in range(count)]
    source.shuffle(nodes)
    return '<?xml version="1.0"?>\n<osm version="0.6">\n' + "".join(nodes) + "</osm>\n"


def source_code(functions):
    return "".join(f"static int f{i}(int a,int b){{ std::vector<int> v(a); for(int i=0;i<b;++i){{ if(v[i]>a&&b!=0) v[i]=a/b; else v.push_back(i*{i}); }}"
                   f" return v.empty()?0:v.front(); }}\n" for i in range(functions))


def markdown(source, count):
    return "".join(f"{'#' * (1 + i % 3)} {words(source, 3)}\n\n{words(source, 6)} *{words(source, 2)}* `{words(source, 1)}` **{words(source, 1)}** "
                   f"[{words(source, 2)}](/{words(source, 1)})\n\n- {words(source, 3)}\n- {words(source, 2)}\n\n" for i in range(count))


def style_sheet(count):
    # sassc takes no selector that more than some 400 rules extend.
    return "@mixin card($n) { width: 10px * $n; &:hover { color: darken(#4477aa, $n % 40); } .title { margin: ($n / 2) + px; } }\n" + (
        f"@for $i from 1 through {count} {{ .card-#{{$i}} {{ @include card($i); > a {{ @if $i <= 400 {{ @extend %link; }} }} }} }}\n%link {{ top: 1px; }}\n")


def graph(source, nodes):
    return "digraph {\n" + "".join(f"n{i} -> n{source.randrange(i)};\n" for i in range(1, nodes)) + "}\n"


ORDERS_AS_TABLE = """<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:template match="/all"><table><xsl:apply-templates select="doc"><xsl:sort select="name"/></xsl:apply-templates></table></xsl:template>
<xsl:template match="doc"><tr id="{@id}"><td><xsl:value-of select="concat(name, ' ', sum(o))"/></td></tr></xsl:template>
</xsl:stylesheet>
"""


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    scale = float(sys.argv[2]) if len(sys.argv) == 3 else 1

    def sized(count):
        return max(1, round(count * scale))

    folder.mkdir(parents=True, exist_ok=True)
    source = random.Random(1)

    def write(name, content):
        (folder / name).write_text(content, encoding="utf-8")

    write("text.txt", text(source, sized(80_000)))
    records = documents(source, sized(7_000))
    write("documents.json", json.dumps(records))
    write("documents.xml", xml(records * 3))
    write("fib.jsonnet", "local fib(n) = if n < 2 then 1 else fib(n - 1) + fib(n - 2);\n"
                         f"{{ fib: fib({21 + round(math.log(scale, GOLDEN_RATIO))}), "
                         f"list: [{{ i: i, s: 'x' + i }} for i in std.range(1, {sized(2000)})] }}\n")
    write("journal.ledger", journal(source, sized(24_000)))
    write("functions.wat", wasm_text(source, sized(1_400)))
    write("build.ninja", build_files(source, sized(16_000)))
    write("orders.proto", messages(sized(130)))
    write("nodes.osm", map_nodes(source, sized(80_000)))
    write("functions.cpp", "#include <vector>\n" + source_code(sized(440)))
    write("few.cpp", "#include <vector>\n" + source_code(sized(120)))
    write("queens.lp", "#const n = 10.\nrow(1..n).\n1 { queen(X,Y) : row(Y) } 1 :- row(X).\n:- queen(X,Y), queen(Z,Y), X < Z.\n"
                       ":- queen(X,Y), queen(Z,W), X < Z, Z - X == |W - Y|.\n#show queen/2.\n")
    write("group.sql", "create table t(a integer primary key, b text, c real);\n"
                       f"with recursive n(i) as (select 1 union all select i + 1 from n where i < {sized(100_000)}) "
                       "insert into t select i, 'row ' || (i * 7919 % 10007), i * 0.5 from n;\n"
                       "select substr(b, 1, 6), count(*), sum(c) from t group by 1 order by 2 desc, 1 limit 20;\n"
                       "select count(*) from t x join t y on x.a = y.a + 1 where x.b < y.b;\n")
    write("style.scss", style_sheet(sized(800)))
    write("graph.dot", graph(source, sized(600)))
    write("orders.xsl", ORDERS_AS_TABLE)
    write("text.md", markdown(source, sized(12_000)))
    write("trees.lua", "local function tree(depth)\n  if depth == 0 then return {} end\n  return {tree(depth - 1), tree(depth - 1)}\nend\n"
                       "local function count(t)\n  return t[1] and 1 + count(t[1]) + count(t[2]) or 1\nend\n"
                       f"local total = 0\nfor i = 1, {sized(8)} do total = total + count(tree(14)) end\nprint(total)\n")


if __name__ == "__main__":
    main()
