# SPDX-License-Identifier: Apache-2.0
"""`linn record` where events are lost: it says so, and no command concludes anything from what is missing."""
import json
import os
import resource

from cases import check, prose
from record_cases import Tool, mallocs  # noqa: F401


def case_disk_full(tool):
    # By a limit on the size of files, as a full disk would: the program goes on, the file is valid, the status says it.
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000_000_000 if os.geteuid() == 0 else
                                                   resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    done = tool.record(tool.churn, "2000000", "2", status=1, preexec_fn=limit)
    check("File too large" in done.stderr and "the program went on" in done.stderr, done.stderr)
    result = tool.trace(status=1)
    check(result["events"] > 1000 and os.path.getsize(tool.file) <= 200_000, result["damage"])
    check(all("cut off" not in d for d in result["damage"]), result["damage"])
    check(any("could not be written, and nothing is known after the first" in d for d in result["damage"]), result["damage"])
    # What is missing could be anything, so nothing says that there is no need for a pool, or no difference, or no leak.
    said = json.loads(tool.call("advise", tool.file, "--json", "-").stdout)
    check(said["answer"] == "not-known" and not said["complete"], said["verdict"])
    done = tool.call("compare", tool.file, tool.file, "--fail-over", "1000")
    check(done.returncode == 1 and "Not known whether they differ" in prose(done.stdout), done.stdout)
    done = tool.record(tool.churn, "2000000", "2", status=1,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16)))
    check("File too large" in done.stderr, done.stderr)
    done = tool.record(tool.churn, "2000000", "2", "exit", "9", status=9, preexec_fn=limit)
    done = tool.call("record", "-o", "/dev/full", "--", tool.churn, "10", "0")
    check(done.returncode == 1 and "No space left" in done.stderr, done.stderr)


def case_address_space(tool):
    """The recorder takes few addresses of a program that has a limit on them, and says so where it gets none."""
    tool.record("sh", "-c", f"ulimit -v 40000; exec {tool.churn} 200000 0")
    check(mallocs(tool.trace()) >= 200_000, "the program is not in the trace")
    done = tool.record("sh", "-c", f"ulimit -v 10000; exec {tool.churn} 2000 0", status=None)
    if done.returncode == 1:  # otherwise there is room
        check("events were lost" in done.stderr, done.stderr)
        check(tool.trace(status=1)["dropped"] > 2000, "the trace does not say so")
