// SPDX-License-Identifier: Apache-2.0
// What `linn record --live` says to live: exact while every block is followed, unbiased when a sample of them is, and bounded in memory
// whatever the program does. Without this, a view would show leaks that are none.
#include "record/live/block_sample.hpp"
#include "record/live/short_lives.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace linn::tool::live_sample_tests {

using namespace linn::tool::live;

constexpr std::uint64_t all_times = ~std::uint64_t{0};

block_event allocation(std::uint64_t time, std::uint64_t address, std::uint64_t bytes, std::uint32_t site = 1,
                       std::uint32_t thread = 1) {
    return {time, address, 0, bytes, 1, site, thread};
}
block_event release(std::uint64_t time, std::uint64_t address, std::uint32_t thread = 1) {
    return {time, 0, address, 0, 1, 0, thread};
}

live_sums sums_of(const block_sample& sample, std::uint32_t site) {
    const std::vector<live_sums>& sums = sample.sums(1);
    return site < sums.size() ? sums[site] : live_sums{};
}

live_sums sum_of_all(const block_sample& sample) {
    live_sums all;
    for (const live_sums& s : sample.sums(1)) {
        all.blocks += s.blocks;
        all.bytes += s.bytes;
    }
    return all;
}

TEST_CASE("what lives is exact for any order of events, by site") {
    std::mt19937_64 random{7};
    block_sample sample{true, {}};
    short_lives thread{sample};
    thread.begin(1, 1);
    std::map<std::uint64_t, std::pair<std::uint64_t, std::uint32_t>> model; // bytes and site
    std::uint64_t time = 0;
    const auto any_of = [&] {
        return std::next(model.begin(), static_cast<std::ptrdiff_t>(random() % model.size()))->first;
    };
    const auto new_address = [&] {
        std::uint64_t address = 0;
        do {
            address = 0x7f00'0000'0000 + random() % 4096 * 16;
        } while (model.contains(address));
        return address;
    };
    for (int i = 0; i != 20'000; ++i) {
        time += 1 + random() % 16;
        const auto site = static_cast<std::uint32_t>(1 + random() % 5);
        const std::uint64_t bytes = random() % 50 == 0 ? 200'000 : 1 + random() % 500;
        const unsigned what = random() % 8;
        if (model.size() > 1000 || (what > 3 && what < 7 && !model.empty())) {
            const std::uint64_t address = any_of();
            thread.release(time, address);
            model.erase(address);
        } else if (what == 7 && !model.empty()) {
            const std::uint64_t old = any_of();
            const std::uint32_t of = model[old].second;
            const std::uint64_t moved = random() % 2 == 0 ? old : new_address();
            thread.move(time, old, moved, bytes, 9);
            model.erase(old);
            model[moved] = {bytes, of};
        } else {
            const std::uint64_t address = new_address();
            thread.allocate(time, address, bytes, site);
            model[address] = {bytes, site};
        }
        if (random() % 500 == 0) {
            thread.end();
            sample.settle(time);
        }
    }
    thread.end();
    sample.settle(time);
    REQUIRE(sample.one_in() == 1);
    REQUIRE(model.size() > 100);
    for (std::uint32_t site = 1; site != 6; ++site) {
        double blocks = 0;
        double bytes = 0;
        for (const auto& [address, block] : model) {
            blocks += block.second == site ? 1 : 0;
            bytes += block.second == site ? static_cast<double>(block.first) : 0;
        }
        CHECK(sums_of(sample, site).blocks == blocks);
        CHECK(sums_of(sample, site).bytes == bytes);
    }
    CHECK(sums_of(sample, 9).blocks == 0);
}

TEST_CASE("events of several threads are applied in the order of their times") {
    block_sample sample{true, {}};
    // One thread's chunk comes first, though it releases what the other allocated, and the address is used again.
    sample.add(release(20, 0x1000, 2));
    sample.add(allocation(30, 0x1000, 48, 2, 2));
    sample.add(allocation(10, 0x1000, 32, 1, 1));
    sample.settle(25);
    CHECK(sum_of_all(sample).blocks == 0);
    sample.settle(30);
    CHECK(sums_of(sample, 1).blocks == 0);
    CHECK(sums_of(sample, 2).bytes == 48);
}

TEST_CASE("a release that is known before its allocation still ends the block") {
    for (const bool is_exact : {true, false}) {
        CAPTURE(is_exact);
        block_sample sample{is_exact, {}};
        sample.add(release(20, 0x1000, 2));
        sample.settle(100);
        sample.add(allocation(10, 0x1000, 32));
        sample.settle(100);
        CHECK(sum_of_all(sample).blocks == 0);
        // It ends one block only.
        sample.add(allocation(110, 0x1000, 32));
        sample.settle(200);
        CHECK(sum_of_all(sample).blocks == 1);
    }
}

TEST_CASE("a release of what was allocated before the recording does not end the next block") {
    block_sample sample{true, {}};
    sample.add(release(10, 0x1000));
    sample.add(allocation(20, 0x1000, 32));
    sample.settle(all_times);
    CHECK(sum_of_all(sample).bytes == 32);
}

TEST_CASE("a block at an address of another replaces it") {
    block_sample sample{true, {}};
    sample.add(allocation(10, 0x1000, 32, 1));
    sample.add(allocation(20, 0x1000, 64, 2)); // the release was dropped
    sample.settle(all_times);
    CHECK(sums_of(sample, 1).blocks == 0);
    CHECK(sums_of(sample, 2).blocks == 1);
}

TEST_CASE("nothing lives of a process that has ended") {
    block_sample sample{true, {}};
    sample.add(allocation(10, 0x1000, 32));
    sample.add(allocation(11, 0x2000, 1 << 20));
    sample.settle(all_times);
    sample.forget(1);
    CHECK(sum_of_all(sample).blocks == 0);
    CHECK(sample.blocks() == 0);
}

TEST_CASE("beyond the limits the estimate stays near, and the memory bounded") {
    const sample_limits limits{4096, 1000000, 8192};
    block_sample sample{true, {}, limits};
    std::mt19937_64 random{11};
    std::vector<std::pair<std::uint64_t, std::uint64_t>> live; // address and bytes
    double bytes = 0;
    std::uint64_t time = 0;
    for (std::uint64_t i = 0; i != 400'000; ++i) {
        ++time;
        if (random() % 3 == 0 && !live.empty()) {
            auto& any = live[random() % live.size()];
            sample.add(release(time, any.first));
            bytes -= static_cast<double>(any.second);
            any = live.back();
            live.pop_back();
        } else {
            const std::uint64_t size = 16 * (1 + random() % 8);
            live.emplace_back(0x7f00'0000'0000 + i * 144, size); // an address twice would be no program's
            sample.add(allocation(time, live.back().first, size));
            bytes += static_cast<double>(size);
        }
        if (i % 2000 == 0) {
            sample.settle(time);
            REQUIRE(sample.blocks() <= limits.blocks);
        }
    }
    sample.settle(time);
    REQUIRE(sample.one_in() > 8);
    const live_sums sums = sum_of_all(sample);
    // Of 1000 blocks and more, 3 % are one standard error.
    REQUIRE(sample.blocks() > 1000);
    CHECK(std::abs(sums.blocks / static_cast<double>(live.size()) - 1) < 0.15);
    CHECK(std::abs(sums.bytes / bytes - 1) < 0.15);

    // All gone: nothing is left of any of them, and after a while every block is followed again.
    for (const auto& [address, size] : live) {
        sample.add(release(++time, address));
    }
    sample.settle(time);
    CHECK(sample.blocks() == 0);
    CHECK(std::abs(sum_of_all(sample).bytes) < 1e-3);
    for (int round = 0; round != 40; ++round) {
        sample.settle(++time);
    }
    CHECK(sample.one_in() == 1);
}

TEST_CASE("a sample is unbiased over all kinds of addresses") {
    for (const std::uint64_t stride : {16u, 48u, 64u, 4096u, 65536u}) {
        CAPTURE(stride);
        block_sample sample{true, {}, {64, 1000000, 1 << 20}};
        constexpr int count = 20'000;
        for (int i = 0; i != count; ++i) {
            sample.add(allocation(static_cast<std::uint64_t>(i),
                                  0x5555'0000'0010 + static_cast<std::uint64_t>(i) * stride, 32));
            if (i % 256 == 0) {
                sample.settle(all_times);
            }
        }
        sample.settle(all_times);
        REQUIRE(sample.one_in() > 1);
        const double standard_error = std::sqrt(static_cast<double>(sample.one_in()) / count);
        CHECK(std::abs(sum_of_all(sample).blocks / count - 1) < 4 * standard_error);
    }
}

TEST_CASE("large blocks are never left out") {
    block_sample sample{true, {}, {256, 1000000, 512}};
    std::uint64_t time = 0;
    for (std::uint64_t i = 0; i != 100'000; ++i) {
        sample.add(allocation(++time, 0x7f00'0000'0000 + i * 48, 32, 1));
        if (i % 1000 == 0) {
            sample.add(allocation(++time, 0x7e00'0000'0000 + i * 0x10'0000, 1 << 20, 2));
        }
    }
    sample.settle(time);
    REQUIRE(sample.one_in() > 8);
    CHECK(sums_of(sample, 2).blocks == 100);
    CHECK(sums_of(sample, 2).bytes == 100.0 * (1 << 20));
    for (std::uint64_t i = 0; i < 100'000; i += 2000) {
        sample.add(release(++time, 0x7e00'0000'0000 + i * 0x10'0000));
    }
    sample.settle(time);
    CHECK(sums_of(sample, 2).blocks == 50);
}

TEST_CASE("blocks that share a hash with a large one take no room") {
    block_sample sample{true, {}, {4096, 4000, 8192}};
    short_lives thread{sample};
    std::uint64_t time = 0;
    const auto churn = [&](int rounds) {
        for (int round = 0; round != rounds; ++round) {
            thread.begin(1, 1);
            for (std::uint64_t i = 0; i != 20'000; ++i) {
                const std::uint64_t address = 0x7f00'0000'0010 + (time * 16) % 0x40'0000;
                if (sample.filter().passes(address, 32)) {
                    thread.allocate(++time, address, 32, 1);
                }
                if (sample.filter().passes(address)) {
                    thread.release(++time, address);
                }
                ++time;
            }
            thread.end();
            sample.settle(time);
        }
    };
    thread.begin(1, 1);
    for (std::uint64_t i = 0; i != 400; ++i) {
        thread.allocate(++time, 0x7e00'0000'0010 + i * 0x10'1000, 1 << 20, 2);
    }
    thread.end();
    churn(20);
    CHECK(sample.one_in() > 1);
    CHECK(sample.one_in() < 100);
    CHECK(sums_of(sample, 2).bytes == 400.0 * (1 << 20));
    thread.begin(1, 1);
    for (std::uint64_t i = 0; i != 400; ++i) {
        thread.release(++time, 0x7e00'0000'0010 + i * 0x10'1000);
    }
    thread.end();
    sample.settle(time);
    CHECK(sums_of(sample, 2).blocks == 0);
}

TEST_CASE("what is large grows while there is too much of it, and shrinks again") {
    block_sample sample{true, {}, {4096, 4000, 8192}};
    short_lives thread{sample};
    std::uint64_t time = 0;
    std::uint64_t next = 0x7e00'0000'0010;
    std::vector<std::uint64_t> live;
    for (int round = 0; round != 20; ++round) {
        thread.begin(1, 1);
        for (int i = 0; i != 5000; ++i) {
            next += 0x1'2010;
            thread.allocate(++time, next, 70'000, 2);
            if (i % 10 == 0) {
                live.push_back(next);
            } else if (sample.filter().passes(next)) {
                thread.release(++time, next);
            }
        }
        thread.end();
        sample.settle(time);
    }
    CHECK(sample.large_from() > 70'000);
    CHECK(std::abs(sums_of(sample, 2).blocks / static_cast<double>(live.size()) - 1) < 0.3);
    thread.begin(1, 1);
    for (const std::uint64_t address : live) {
        thread.release(++time, address);
    }
    thread.end();
    for (int round = 0; round != 20; ++round) {
        sample.settle(++time);
    }
    CHECK(sample.blocks() == 0);
    CHECK(std::abs(sums_of(sample, 2).blocks) < 1e-6);
    CHECK(sample.large_from() == sample_filter::large);
}

TEST_CASE("a recording that is a sample gives its blocks their weight") {
    const sample_weight weight{1024};
    block_sample sample{true, weight};
    sample.add(allocation(1, 0x1000, 64));
    sample.add(allocation(2, 0x2000, 64));
    sample.settle(2);
    CHECK(sum_of_all(sample).blocks == doctest::Approx(2 * weight.of(64)));
    sample.add(release(3, 0x1000));
    sample.add(release(4, 0x2000));
    sample.settle(4);
    CHECK(std::abs(sum_of_all(sample).blocks) < 1e-9);
}

} // namespace linn::tool::live_sample_tests
