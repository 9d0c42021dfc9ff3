#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The families of an OpenMetrics text, as Prometheus' own parser has them, as JSON. It refuses a text without an end, with a family
twice, with a counter without _total, and with a unit that the name does not end in.

usage: families.py FILE
"""
import json
import os
import sys

try:
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
except ImportError:
    if "LINN_PROMETHEUS_TRIED" not in os.environ and os.path.exists("/usr/bin/python3"): # Debian's packages are its
        os.execve("/usr/bin/python3", ["/usr/bin/python3", *sys.argv], dict(os.environ, LINN_PROMETHEUS_TRIED="1"))
    print("linn: skipped: Prometheus' client library is not installed: apt install python3-prometheus-client")
    sys.exit(0)

with open(sys.argv[1], encoding="utf-8") as text:
    families = text_string_to_metric_families(text.read())
print(json.dumps({f.name: {"type": f.type, "unit": f.unit, "samples": [[s.name, s.labels, s.value] for s in f.samples]} for f in families}))
