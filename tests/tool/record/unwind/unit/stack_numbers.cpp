// SPDX-License-Identifier: Apache-2.0
// The fingerprint by which a thread knows a stack: two stacks with one would have one number.
#include "record/preload/unwind/stack_cache.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

using namespace linn::tool::unwind;

TEST_CASE("a stack has one fingerprint, and every frame, their order and their count are in it") {
    std::vector<std::uintptr_t> frames(16);
    for (std::size_t i = 0; i != frames.size(); ++i) {
        frames[i] = 0x5555'5555'0000 + 0x10 * i;
    }
    const auto print = [&](unsigned count) { return fingerprint::of(frames.data(), count); };
    std::set<std::pair<std::uint64_t, std::uint32_t>> seen;
    const auto is_another = [&](const fingerprint& p) { return seen.emplace(p.a, p.b).second; };
    CHECK(print(16) == print(16));
    for (unsigned count = 1; count <= 16; ++count) {
        CHECK(is_another(print(count)));
    }
    for (std::uintptr_t& frame : frames) {
        const std::uintptr_t before = frame;
        for (unsigned bit = 0; bit != 47; ++bit) {
            frame = before ^ std::uintptr_t{1} << bit;
            CHECK(is_another(print(16)));
        }
        frame = before;
    }
    for (std::size_t i = 1; i != frames.size(); ++i) {
        std::swap(frames[0], frames[i]);
        CHECK(is_another(print(16)));
        std::swap(frames[0], frames[i]);
    }
}

TEST_CASE("both parts of a fingerprint tell stacks apart") {
    std::mt19937_64 random{1};
    std::vector<std::uint64_t> first;
    std::vector<std::uint32_t> second;
    for (int i = 0; i != 20'000; ++i) {
        std::uintptr_t frames[7];
        for (std::uintptr_t& frame : frames) {
            frame = 0x7fff'0000'0000 + random() % 64 * 5; // few places, as programs have
        }
        const fingerprint print = fingerprint::of(frames, 7);
        first.push_back(print.a);
        second.push_back(print.b);
    }
    const auto distinct = [](auto values) {
        std::sort(values.begin(), values.end());
        return std::unique(values.begin(), values.end()) - values.begin();
    };
    CHECK(distinct(first) == 20'000);
    CHECK(distinct(second) > 19'990);
}
