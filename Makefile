# SPDX-License-Identifier: Apache-2.0
# A thin front on the CMake presets, for a machine that has only git and make.
# `cmake --workflow --preset asan` runs one leg; CMakePresets.json lists them.

LEGS =
# Scenarios of `linn bench`, or --all; none: the headline, which needs the least to be built and measured.
BENCH =
BENCH_FLAGS =

.PHONY: help test check test-nightly coverage bench tool lint tidy format docs clean

help:
	@echo 'make test     install what is missing, build, test what is promised: minutes'
	@echo 'make check    before a merge: that, what takes longer, checked pools, sanitizers, Clang, other systems  (LEGS="asan" for some)'
	@echo 'make test-nightly   all legs and all tests: hours                      (LEGS for some)'
	@echo 'make coverage which lines of the headers the tests run, and which not'
	@echo 'make bench    install what is missing, build what measuring needs, compare allocators: five minutes  (BENCH="object pipeline" for scenarios)'
	@echo 'make tool     install what is missing, build the whole tool: build/release/tool/linn'
	@echo 'make lint     layers, licences, memory orders, links, format'
	@echo 'make tidy     clang-tidy over what the release leg compiles'
	@echo 'make format   clang-format over all sources'
	@echo 'make docs     the site: all pages and the reference of the headers, in build/docs'
	@echo 'make clean    remove build/'

test:
	@scripts/install-dependencies build test
	@scripts/test $(LEGS)

check: $(if $(LEGS),,test)
	@scripts/install-dependencies build test $(if $(LEGS),,targets)
	@scripts/test --check $(LEGS)

test-nightly:
	@scripts/install-dependencies build test nightly
	@scripts/test --nightly $(LEGS)

coverage:
	@scripts/install-dependencies build test nightly
	@scripts/coverage

ifeq ($(strip $(BENCH)),)
bench:
	@scripts/install-dependencies measure rivals
	@cmake --preset bench
	@scripts/rivals cmake --build build/bench --target linn_tool
	@build/bench/tool/linn bench --html build/bench.html $(BENCH_FLAGS)
	@echo 'build/bench/tool/linn has the commands bench and allocators; make tool builds the others and all scenarios, as build/release/tool/linn'
else
bench: tool
	@scripts/rivals
	@build/release/tool/linn bench $(BENCH) --html build/bench.html $(BENCH_FLAGS)
endif

tool:
	@scripts/install-dependencies build bench
	@cmake --preset release -DLINN_QUICK_BUILD=ON
	@cmake --build build/release --target tool/all

lint:
	@scripts/lint/run

tidy:
	@cmake --preset release
	@run-clang-tidy-19 -quiet -p build/release '^$(CURDIR)/(tool|bench|tests|examples)/'

format:
	@scripts/lint/format.py --fix

docs:
	@scripts/install-dependencies docs
	@scripts/site

clean:
	@rm -rf build
