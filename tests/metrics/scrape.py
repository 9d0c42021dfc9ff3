#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Promise: to_openmetrics() writes what Prometheus' own parser of OpenMetrics reads, and every sample has the number that
to_json() has. The parser refuses a text without an end, with a family twice, with a counter without _total, and with a unit
that the name does not end in.

usage: scrape.py PROGRAM
       scrape.py --file FILE     the families of a text, as the parser has them, as JSON: for other tests
"""
import json
import os
import subprocess
import sys

try:
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
except ImportError:
    if "LINN_PROMETHEUS_TRIED" not in os.environ and os.path.exists("/usr/bin/python3"): # Debian's packages are its
        os.execve("/usr/bin/python3", ["/usr/bin/python3", *sys.argv], dict(os.environ, LINN_PROMETHEUS_TRIED="1"))
    print("linn: skipped: Prometheus' client library is not installed: apt install python3-prometheus-client")
    sys.exit(0)

MEMBERS = {
    "linn_pool_live_objects": lambda p: p["live"],
    "linn_pool_live_bytes": lambda p: p["live"] * p["slot_bytes"],
    "linn_pool_peak_objects": lambda p: p["peak"],
    "linn_pool_cached_objects": lambda p: p["cached"],
    "linn_pool_caching_threads": lambda p: p["threads"],
    "linn_pool_slabs": lambda p: p["slabs"],
    "linn_pool_reserved_bytes": lambda p: p["reserved_bytes"],
    "linn_pool_resident_bytes": lambda p: p["resident_bytes"],
    "linn_pool_returned_bytes": lambda p: p["returned_bytes"],
    "linn_pool_depot_visits": lambda p: p["depot_visits"],
    "linn_pool_contended_visits": lambda p: p["contended"],
}


def check(condition, what):
    if not condition:
        print("FAILED:", what)
        sys.exit(1)


def print_families(file):
    with open(file, encoding="utf-8") as text:
        families = text_string_to_metric_families(text.read())
    print(json.dumps({f.name: {"type": f.type, "unit": f.unit, "samples": [[s.name, s.labels, s.value] for s in f.samples]} for f in families}))


def main():
    if sys.argv[1] == "--file":
        print_families(sys.argv[2])
        return
    out = subprocess.run([sys.argv[1]], stdout=subprocess.PIPE, check=True, timeout=60).stdout
    end = out.index(b"\n# EOF\n") + len(b"\n# EOF\n")
    pools = json.loads(out[end:])["pools"]
    families = list(text_string_to_metric_families(out[:end].decode()))

    expected = {}
    for pool in pools:
        key = (pool["type"], str(pool["object_bytes"]), str(pool["slot_bytes"]))
        sums = expected.setdefault(key, dict.fromkeys(MEMBERS, 0))
        for name, number in MEMBERS.items():
            sums[name] += number(pool)
    check(len(expected) < len(pools), "no two pools have the labels in common: the sums are not tested")
    check(any('"quoted" \\ back\nline' in key[0] for key in expected), "there is no odd name")
    check(any(key[0] == "linn::buffer" for key in expected), "there is no buffer pool")

    check({f.name for f in families} == set(MEMBERS), f"families: {[f.name for f in families]}")
    for family in families:
        is_counter = family.type == "counter"
        check(is_counter == (family.name.endswith("visits") or "returned" in family.name), f"type of {family.name}")
        check((family.unit == "bytes") == family.name.endswith("bytes"), f"unit of {family.name}: {family.unit!r}")
        check(family.documentation.endswith("."), f"help of {family.name}")
        got = {}
        check(len(family.samples) == len(expected), f"{family.name}: {len(family.samples)} samples of {len(expected)} sums")
        for sample in family.samples:
            check(sample.name == family.name + ("_total" if is_counter else ""), f"sample {sample.name}")
            labels = sample.labels
            got[labels["type"], labels["object_bytes"], labels["slot_bytes"]] = sample.value
        wanted = {key: sums[family.name] for key, sums in expected.items()}
        check(got == wanted, f"{family.name}: {got} instead of {wanted}")

    # The parser does refuse: otherwise all of the above would say little.
    broken = out[:end].decode().replace("# EOF\n", "")
    try:
        list(text_string_to_metric_families(broken))
        check(False, "the parser takes a text without its end")
    except ValueError:
        pass
    print(f"{len(families)} families of {len(expected)} sums")


main()
