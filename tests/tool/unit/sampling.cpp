// SPDX-License-Identifier: Apache-2.0
// Sampled recording, without a program: the recorder's own sampler takes blocks of a known crowd, and the readers' weights
// make sums of them. Promises: no sum is biased; the stated interval holds the truth in 95 of 100 recordings, also for types
// of which few blocks are in the sample; what is alive ends at nothing when every block was released. Without them a sample
// would say more, or less, than it knows. All seeds are fixed.
#include "../support/made_events.hpp"
#include "analysis/accumulator.hpp"
#include "trace/event.hpp"
#include "trace/info.hpp"
#include "unit.hpp"

namespace linn::tool::sampling_tests {

constexpr std::uint64_t mean = 64 << 10;

std::uint64_t mixed(std::uint64_t& state) {
    state += 0x9e37'79b9'7f4a'7c15u; // SplitMix64
    std::uint64_t z = state;
    z = (z ^ z >> 30) * 0xbf58'476d'1ce4'e5b9u;
    z = (z ^ z >> 27) * 0x94d0'49bb'1331'11ebu;
    return z ^ z >> 31;
}

struct block {
    std::uint32_t type;
    std::uint64_t bytes;
};

constexpr std::size_t types = 8;

/// Types of one size, of many, of few blocks and of large ones, in random order.
std::vector<block> crowd() {
    std::vector<block> all;
    std::uint64_t state = 1;
    const auto add = [&](std::uint32_t type, std::size_t count, auto size) {
        for (std::size_t i = 0; i != count; ++i) {
            all.push_back({type, size()});
        }
    };
    add(0, 60'000, [] { return std::uint64_t{48}; });
    add(1, 2'000, [] { return std::uint64_t{1024}; });
    add(2, 8'000, [&] { return 16 + mixed(state) % 4096; });
    add(3, 30, [] { return std::uint64_t{256} << 10; }); // nearly all are taken
    add(4, 3, [] { return std::uint64_t{4} << 20; });
    add(5, 40, [] { return std::uint64_t{2000}; });                           // about one in a recording
    add(7, 1, [] { return std::uint64_t{8192}; });                            // in one recording of nine
    add(6, 500, [&] { return std::uint64_t{1} << (4 + mixed(state) % 13); }); // from 16 bytes to 64 KiB
    for (std::size_t i = all.size() - 1; i != 0; --i) {
        std::swap(all[i], all[mixed(state) % (i + 1)]);
    }
    return all;
}

struct sums {
    double allocations = 0;
    double bytes = 0;
    sample_spread spread;
};

/// A recording by four threads, with a seed of its own.
std::array<sums, types> recorded(const std::vector<block>& all, std::uint64_t seed) {
    std::array<sampling::byte_sampler, 4> threads{};
    for (std::size_t i = 0; i != threads.size(); ++i) {
        threads[i].seed(seed * 4 + i + 1);
        threads[i].draw(mean);
    }
    const sample_weight weight{mean};
    std::array<sums, types> result;
    for (std::size_t i = 0; i != all.size(); ++i) {
        auto& sampler = threads[i % threads.size()];
        if (sampler.passes(all[i].bytes)) {
            continue;
        }
        sampler.draw(mean);
        sums& s = result[all[i].type];
        const double w = weight.of(all[i].bytes);
        s.allocations += w;
        s.bytes += w * static_cast<double>(all[i].bytes);
        s.spread.add(all[i].bytes, w);
    }
    return result;
}

TEST_CASE("sampling: sizes that no block can have do not pass, and move no point") {
    sampling::byte_sampler s{};
    CHECK_FALSE(s.passes(1)); // not seeded
    s.seed(3);
    s.draw(1e9);
    const std::uint64_t before = s.left;
    for (const std::uint64_t bytes : {~std::uint64_t{0}, std::uint64_t{1} << 63, before}) {
        CHECK_FALSE(s.passes(bytes));
        CHECK(s.left == before);
    }
    CHECK(s.passes(before - 1));
    CHECK(s.passes(0)); // in a block without bytes no point lies
    CHECK_FALSE(s.passes(1));
}

TEST_CASE("sampling: what is held is looked at, and counts") {
    sampling::byte_sampler s{};
    s.seed(1);
    s.draw(1e9);
    const std::uint64_t before = s.left;
    s.hold();
    s.hold(); // once is enough
    CHECK(s.is_held());
    CHECK_FALSE(s.passes(100));
    CHECK(s.is_held());
    s.let_go();
    CHECK_FALSE(s.is_held());
    CHECK(s.left == before);
    CHECK(s.passes(100));
    CHECK(s.left == before - 100);
    s.take_back(100);
    CHECK(s.left == before);
    s.stop();
    CHECK(s.passes(std::uint64_t{1} << 40));
}

TEST_CASE("sampling: sums are unbiased, and their intervals hold the truth in 95 of 100 recordings") {
    const std::vector<block> all = crowd();
    std::array<sums, types> truth;
    for (const block& b : all) {
        truth[b.type].allocations += 1;
        truth[b.type].bytes += static_cast<double>(b.bytes);
    }
    constexpr int recordings = 400;
    struct tally {
        int bytes_held = 0;
        double bytes = 0;
        double squares = 0;
        double allocations = 0;
        int shown = 0;
        int shown_and_held = 0;
        int narrow = 0; ///< intervals that say something: within a factor of two
    };
    std::array<tally, types> tallies;
    for (int r = 0; r != recordings; ++r) {
        const auto got = recorded(all, static_cast<std::uint64_t>(r) + 1);
        for (std::size_t type = 0; type != types; ++type) {
            const sums& s = got[type];
            tally& t = tallies[type];
            const sample_bounds bytes = bounds_of_sample(s.bytes, s.spread);
            // A type of which no block was taken is not shown: nothing wrong is said of it.
            const bool is_shown = s.spread.blocks != 0;
            t.bytes_held += !is_shown || (bytes.low <= truth[type].bytes && truth[type].bytes <= bytes.high);
            t.shown += is_shown;
            t.shown_and_held += is_shown && bytes.low <= truth[type].bytes && truth[type].bytes <= bytes.high;
            t.narrow += is_shown && bytes.high < 2 * bytes.low;
            t.bytes += s.bytes;
            t.squares += s.bytes * s.bytes;
            t.allocations += s.allocations;
        }
    }
    for (std::size_t type = 0; type != types; ++type) {
        CAPTURE(type);
        const tally& t = tallies[type];
        const double middle = t.bytes / recordings;
        const double error = std::sqrt(std::max(0.0, t.squares / recordings - middle * middle) / recordings);
        CHECK(std::abs(middle - truth[type].bytes) < 3.5 * error + 1);
        CHECK(t.bytes_held >= recordings * 95 / 100);
        if (type < 4) { // of types with many sizes, few blocks in the sample stand for most
            CHECK(t.allocations / recordings == doctest::Approx(truth[type].allocations).epsilon(0.03));
        }
    }
    CHECK(tallies[7].shown > 20);
    CHECK(tallies[7].shown_and_held == tallies[7].shown); // what is there was allocated, and may be all
    CHECK(tallies[2].narrow == recordings);
    CHECK(tallies[6].narrow == recordings);
    CHECK(tallies[3].narrow == recordings);
}

TEST_CASE("sampling: bounds of sums that are sure, and of one block") {
    const auto spread_of = [](int blocks, std::uint64_t bytes, double weight) {
        sample_spread s;
        for (int i = 0; i != blocks; ++i) {
            s.add(bytes, weight);
        }
        return s;
    };
    const sample_bounds sure = bounds_of_sample(3000, spread_of(3, 1000, 1));
    CHECK(sure.low == 3000);
    CHECK(sure.high == 3000);
    CHECK(bounds_of_sample(0, {}).high == 0);
    // One block in a thousand: Poisson's limits for one event, from 0.025 to 5.57; and it is there.
    const sample_bounds one = bounds_of_sample(1000 * 1000, spread_of(1, 1000, 1000));
    CHECK(one.low >= 1000);
    CHECK(one.low < 0.03 * 1000 * 1000);
    CHECK(one.high > 5.5 * 1000 * 1000);
    CHECK(one.high < 6.5 * 1000 * 1000);
    // Nearly all blocks: what was taken is the least, and a few may be missing.
    const sample_bounds most = bounds_of_sample(30 * 1000 / 0.98, spread_of(30, 1000, 1 / 0.98));
    CHECK(most.low == doctest::Approx(30 * 1000).epsilon(0.001));
    CHECK(most.high > 32'000);
    CHECK(most.high < 34'000);
}

// A vector of 12 blocks in wat2wasm: the weights of those in the sample were all rounded to 1, and the interval was a point that
// missed the truth in 15 of 100 recordings.
TEST_CASE("sampling: the interval holds for a few blocks that grow, though the estimate is of whole blocks") {
    constexpr std::uint64_t distance = 16'384;
    constexpr int trials = 4000;
    const sample_weight weight{distance};
    std::uint64_t state = 5;
    int held = 0;
    int samples = 0;
    for (int trial = 0; trial != trials; ++trial) {
        sample_spread spread;
        double estimate = 0;
        double truth = 0;
        for (unsigned i = 0; i != 12; ++i) {
            const std::uint64_t bytes = std::uint64_t{56} << i;
            const double w = weight.of(bytes);
            truth += static_cast<double>(bytes);
            if (static_cast<double>(mixed(state) >> 11) * 0x1p-53 < 1 / w) {
                estimate += static_cast<double>(bytes * weight.whole(bytes, mixed(state), 1));
                spread.add(bytes, w);
            }
        }
        if (spread.blocks != 0) {
            const sample_bounds bounds = bounds_of_sample(estimate, spread);
            ++samples;
            held += static_cast<int>(bounds.low <= truth && truth <= bounds.high);
            REQUIRE(bounds.low <= estimate);
            REQUIRE(bounds.high >= estimate);
        }
    }
    REQUIRE(samples > trials / 2);
    CHECK(held >= samples * 0.945);
}

TEST_CASE("sampling: an analysis counts blocks by their weights, and takes them out with the same") {
    constexpr std::uint64_t count = 20'000;
    constexpr std::uint64_t bytes = 1000;
    accumulator analysis{mean};
    std::vector<event> events;
    for (std::uint64_t i = 0; i != count; ++i) {
        events.push_back(testing::allocation(0x10000 + 0x400 * i, bytes, 10 * i));
    }
    for (std::uint64_t i = 0; i != count / 2; ++i) {
        events.push_back(testing::release(0x10000 + 0x400 * i, 10 * (count + i)));
    }
    analysis.take(events);
    const trace_analysis a = analysis.finish({});
    REQUIRE(a.sites.size() == 1);
    const site_statistics& s = a.sites[0].statistics;
    const double weight = sample_weight{mean}.of(bytes);
    CHECK(weight == doctest::Approx(66.04).epsilon(0.001));
    const auto near = [&](std::uint64_t n, double blocks) {
        return std::abs(static_cast<double>(n) - blocks * weight) <
               blocks; // each is rounded by less than one
    };
    CHECK(near(s.allocations, count));
    CHECK(std::abs(static_cast<double>(s.allocations) - count * weight) < 4 * std::sqrt(count * 0.25));
    CHECK(s.bytes == s.allocations * bytes);
    CHECK(near(s.releases, count / 2));
    CHECK(s.live_at_end == s.allocations - s.releases);
    CHECK(s.live_bytes_at_end == s.live_at_end * bytes);
    CHECK(s.peak_live == s.allocations);
    CHECK(s.spread.blocks == count);
    CHECK(s.temporary == 0);
    CHECK(s.longest_burst == 0);
    CHECK(s.sizes.size() == 1);
    CHECK(s.sizes[0].second == s.allocations);
    CHECK(a.all.spread.blocks == count);
}

} // namespace linn::tool::sampling_tests
