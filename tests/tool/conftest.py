# SPDX-License-Identifier: Apache-2.0
"""How pytest runs the scripts of cases: what they are given, and a folder that is removed afterwards."""
import os
import pathlib
import tempfile

import pytest

SKIPPED = 77


def pytest_addoption(parser):
    for name in ("linn", "writer"):
        parser.addoption("--" + name, type=os.path.abspath)
    for name in ("program", "library"):
        parser.addoption("--" + name, action="append", default=[], metavar="NAME=PATH")


def pytest_sessionfinish(session, exitstatus):
    """ctest is to see that everything was skipped."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if exitstatus == 0 and reporter.stats.get("skipped") and not reporter.stats.get("passed"):
        session.exitstatus = SKIPPED


@pytest.fixture
def given(request):
    return request.config.option


@pytest.fixture
def folder(monkeypatch):
    with tempfile.TemporaryDirectory(prefix="linn-cases-") as folder, tempfile.TemporaryDirectory() as cache:
        monkeypatch.setenv("XDG_CACHE_HOME", cache)  # which allocators a user has built must not decide a test
        yield pathlib.Path(folder)


@pytest.fixture
def tool(request, given, folder):
    return request.module.Tool(given, folder)
