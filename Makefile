# SPDX-License-Identifier: Apache-2.0
# A thin front on the CMake presets, for a machine that has only git and make.
# `cmake --workflow --preset asan` runs one leg; CMakePresets.json lists them.

LEGS =
# Scenarios of `linn bench`; none named: all. At most five minutes; with BENCH_FLAGS=--full half an hour.
BENCH =
BENCH_FLAGS =

.PHONY: help test check test-nightly coverage bench lint tidy format docs clean

help:
	@echo 'make test     install what is missing, build, test what is promised: minutes'
	@echo 'make check    before a merge: that, what takes longer, checked pools, sanitizers, Clang  (LEGS="asan" for some)'
	@echo 'make test-nightly   all legs and all tests: hours                      (LEGS for some)'
	@echo 'make coverage which lines of the headers the tests run, and which not'
	@echo 'make bench    install what is missing, build, compare allocators       (BENCH="object pipeline", BENCH_FLAGS="--json out.json")'
	@echo 'make lint     layers, licences, memory orders, links, format'
	@echo 'make tidy     clang-tidy over what the release leg compiles'
	@echo 'make format   clang-format over all sources'
	@echo 'make docs     the reference by Doxygen, in build/release/docs/reference'
	@echo 'make clean    remove build/'

test:
	@scripts/install-dependencies build test
	@scripts/test $(LEGS)

check: $(if $(LEGS),,test)
	@scripts/install-dependencies build test
	@scripts/test --check $(LEGS)

test-nightly:
	@scripts/install-dependencies build test nightly
	@scripts/test --nightly $(LEGS)

coverage:
	@scripts/install-dependencies build test nightly
	@scripts/coverage

bench:
	@scripts/install-dependencies build bench
	@cmake --preset release
	@cmake --build build/release --target tool/all
	@build/release/tool/linn bench $(BENCH) --html build/bench.html $(BENCH_FLAGS)
	@echo 'Report: file://$(CURDIR)/build/bench.html'

lint:
	@scripts/lint/run

tidy:
	@cmake --preset release
	@run-clang-tidy-19 -quiet -p build/release '^$(CURDIR)/(tool|bench|tests|examples)/'

format:
	@scripts/lint/format.py --fix

docs:
	@cmake --preset release
	@cmake --build build/release --target docs

clean:
	@rm -rf build
