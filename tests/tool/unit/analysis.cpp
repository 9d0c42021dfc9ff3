// SPDX-License-Identifier: Apache-2.0
// The accumulator on hand-made events: what it counts, and what it makes of events that do not fit together; and on random events
// of several processes and threads, against the same counts made in the simplest way.
#include "../support/made_events.hpp"
#include "analysis/accumulator.hpp"
#include "unit.hpp"

namespace linn::tool::analysis_tests {

using testing::allocation;
using testing::release;

event reallocation(std::uint64_t old_address, std::uint64_t address, std::uint64_t bytes, std::uint64_t time,
                   std::uint32_t stack = 2) {
    event e = allocation(address, bytes, time, 0, stack);
    e.kind = event_kind::reallocation;
    e.call = allocation_call::realloc;
    e.old_address = old_address;
    return e;
}

event in_process(event e, std::uint32_t process) {
    e.process = process;
    return e;
}

trace_analysis analyse(const std::vector<event>& events) {
    accumulator a;
    a.take(events);
    trace_info info;
    info.processes.resize(3);
    info.processes[1].began = trace_process::origin::fork;
    info.processes[2].began = trace_process::origin::exec;
    return a.finish(info);
}

TEST_CASE("a block outgrew another if the next call of its thread released that, and it was smaller") {
    const trace_analysis grown =
        analyse({allocation(0x1000, 30, 1), allocation(0x2000, 60, 2), release(0x1000, 3),
                 allocation(0x3000, 120, 4), release(0x2000, 5), release(0x3000, 6)});
    CHECK(grown.all.outgrown == 2);
    // A longer one before: of its own life; one that is as large; something between.
    const trace_analysis once =
        analyse({allocation(0x1000, 60, 1), allocation(0x2000, 30, 2), release(0x1000, 3),
                 allocation(0x3000, 30, 4), release(0x2000, 5), allocation(0x4000, 90, 6),
                 allocation(0x5000, 8, 7), release(0x3000, 8), release(0x4000, 9), release(0x5000, 10)});
    CHECK(once.all.outgrown == 0);
}

TEST_CASE("a realloc keeps the block with the site that allocated it") {
    const trace_analysis a = analyse({allocation(0x1000, 10, 1), reallocation(0x1000, 0x2000, 30, 2),
                                      reallocation(0x2000, 0x2000, 50, 3), release(0x2000, 1025)});
    REQUIRE(a.sites.size() == 1);
    const site_statistics& s = a.sites[0].statistics;
    CHECK(s.resized == std::vector<std::pair<std::uint64_t, std::uint64_t>>{{30, 1}, {50, 1}});
}

TEST_CASE("a realloc of nothing is an allocation, one of an unknown block too") {
    const trace_analysis a =
        analyse({reallocation(0, 0x1000, 30, 1), reallocation(0x9000, 0x2000, 30, 2), release(0x2000, 3)});
    REQUIRE(a.sites.size() == 1);
    CHECK(a.sites[0].call == allocation_call::realloc);
    CHECK(a.sites[0].statistics.allocations == 2);
    CHECK(a.sites[0].statistics.reallocations == 0);
    CHECK(a.unknown_releases == 1);
    CHECK(a.all.live_at_end == 1);
}

TEST_CASE("a failed call changes nothing") {
    event e = allocation(0, 1 << 30, 2);
    e.kind = event_kind::failure;
    const trace_analysis a = analyse({allocation(0x1000, 10, 1), e});
    CHECK(a.failures == 1);
    CHECK(a.all.allocations == 1);
    CHECK(a.all.bytes == 10);
}

TEST_CASE(
    "an address given out before it was told that the old block is gone: what is told is the old block's") {
    // Thread 1 gets the address that thread 0 gives away at once; what thread 0 does comes second.
    std::vector<event> events{allocation(0x1000, 8, 1, 0, 1), allocation(0x1000, 24, 100, 1, 2)};
    trace_analysis a;
    SUBCASE("by its release") {
        events.insert(events.end(), {release(0x1000, 101, 0), release(0x1000, 5000, 1)});
        a = analyse(events);
        CHECK(a.all.peak_live_bytes == 32);
    }
    SUBCASE("by a realloc away from it") {
        events.insert(events.end(), {reallocation(0x1000, 0x2000, 64, 101), release(0x1000, 5000, 1),
                                     release(0x2000, 6000, 0)});
        a = analyse(events);
        CHECK(a.all.reallocations == 1);
        CHECK(a.all.live_bytes_at_end == 0);
    }
    CHECK(a.unknown_releases == 0);
    CHECK(a.unseen_releases == 0);
    CHECK(a.all.releases == 2);
    CHECK(a.all.remote_releases == 0);
    CHECK(a.all.live_at_end == 0);
}

TEST_CASE("an address given out again although it is live: its release was never seen") {
    const std::vector<event> lost{allocation(0x1000, 8, 1, 0, 1), allocation(0x1000, 24, 100, 0, 2)};
    SUBCASE("by its own thread, which would have told before") {
        std::vector<event> events = lost;
        events.push_back(release(0x1000, 200, 0));
        const trace_analysis a = analyse(events);
        CHECK(a.unseen_releases == 1);
        CHECK(a.all.releases == 1);
        CHECK(a.all.live_at_end == 0);
    }
    SUBCASE("and none comes") {
        const trace_analysis a = analyse(lost);
        CHECK(a.unseen_releases == 1);
        CHECK(a.all.live_at_end == 1);
        CHECK(a.all.live_bytes_at_end == 24);
    }
    SUBCASE("a release much later is the new block's") {
        std::vector<event> events = lost;
        events.push_back(release(0x1000, 60'000'000'000, 1));
        const trace_analysis a = analyse(events);
        CHECK(a.unseen_releases == 1);
        CHECK(a.all.remote_releases == 1);
        CHECK(a.all.live_at_end == 0);
    }
    SUBCASE("three times") {
        std::vector<event> events = lost;
        events.push_back(allocation(0x1000, 56, 101, 0, 3));
        const trace_analysis a = analyse(events);
        CHECK(a.unseen_releases == 2);
        CHECK(a.all.live_bytes_at_end == 56);
    }
}

TEST_CASE("a release by another thread that is told before its allocation, by little") {
    const trace_analysis much = analyse({release(0x1000, 1, 0), allocation(0x1000, 8, 5002, 1)});
    CHECK(much.unknown_releases == 1);
    CHECK(much.all.live_at_end == 1);
    const trace_analysis little = analyse({release(0x1000, 1, 0), allocation(0x1000, 8, 400, 1)});
    CHECK(little.unknown_releases == 0);
    CHECK(little.all.remote_releases == 1);
    CHECK(little.all.live_at_end == 0);
    // Many blocks from before the recording leave room for it.
    std::vector<event> many;
    for (std::uint64_t i = 0; i != 70'000; ++i) {
        many.push_back(release(0x100000 + 16 * i, 10 * i, 0));
    }
    many.push_back(allocation(many.back().address, 8, many.back().time + 400, 1));
    CHECK(analyse(many).unknown_releases == 69'999);
    // The same thread knows the order of its own events.
    const trace_analysis own = analyse({release(0x1000, 1, 1), allocation(0x1000, 8, 2, 1)});
    CHECK(own.unknown_releases == 1);
    CHECK(own.all.live_at_end == 1);
}

TEST_CASE("a forked child's blocks are its own") {
    const trace_analysis a =
        analyse({allocation(0x1000, 8, 1), in_process(release(0x1000, 2, 1), 1),
                 in_process(allocation(0x1000, 8, 3, 1), 1), release(0x1000, 4),
                 in_process(release(0x2000, 5, 1), 1), in_process(release(0x3000, 6, 2), 2)});
    CHECK(a.inherited_releases == 2);
    CHECK(a.unknown_releases == 1);
    CHECK(a.all.releases == 1);
    CHECK(a.all.live_at_end == 1);
    CHECK(a.unseen_releases == 0);
}

TEST_CASE("more sizes than are kept: counts are never too high, the frequent one is found") {
    std::vector<event> events;
    for (std::uint64_t i = 0; i != 10'000; ++i) {
        events.push_back(allocation(0x1000 + 16 * i, i % 3 == 0 ? 64 : 100 + i % 500, i));
    }
    const trace_analysis a = analyse(events);
    const auto& sizes = a.all.sizes;
    REQUIRE(sizes.size() == 8);
    CHECK(sizes[0].first == 64);
    CHECK(sizes[0].second <= 3334);
    CHECK(sizes[0].second >= 3000);
    CHECK(a.all.uniformity() > 0.3);
    CHECK(a.all.uniformity() < 0.34);
}

TEST_CASE("quantiles of lifetimes are interpolated within their bucket") {
    site_statistics s;
    CHECK(s.lifetime_quantile(0.5) == 0);
    s.lifetimes[10] = 100;
    CHECK(s.lifetime_quantile(0.5) == doctest::Approx(1536));
    s.lifetimes[3] = 300;
    CHECK(s.lifetime_quantile(0.5) == doctest::Approx(8 + 8 * 2.0 / 3));
    CHECK(s.lifetime_quantile(1) == doctest::Approx(2048));
}

TEST_CASE("statistics of several sites together") {
    site_statistics a;
    a.allocations = 3;
    a.smallest = 8;
    a.largest = 16;
    a.sizes = {{8, 2}, {16, 1}};
    a.peak_live = 3;
    a.longest_burst = 2;
    site_statistics b;
    b.allocations = 5;
    b.smallest = b.largest = 16;
    b.sizes = {{16, 5}};
    b.peak_live = 1;
    b.longest_burst = 4;
    a.merge(b);
    CHECK(a.allocations == 8);
    CHECK(a.smallest == 8);
    CHECK(a.sizes == decltype(a.sizes){{16, 6}, {8, 2}});
    CHECK(a.uniformity() == 0.75);
    CHECK(a.peak_live == 4);
    CHECK(a.longest_burst == 4);
    site_statistics nothing;
    nothing.merge(b);
    CHECK(nothing.smallest == 16);
}

TEST_CASE("a timeline never has more than a thousand steps, and loses nothing") {
    timeline_recorder recorder;
    std::uint64_t blocks = 0;
    for (std::uint64_t t = 0; t != 100'000; ++t) {
        ++blocks;
        recorder.take(t * 777, blocks, 8 * blocks);
    }
    recorder.take(60'000'000'000, 1, 8);  // a long silence
    recorder.take(59'000'000'000, 2, 16); // time goes back
    const timeline line = recorder.finish();
    CHECK(line.events.size() <= timeline_recorder::most_steps);
    CHECK(line.events.size() > timeline_recorder::most_steps / 2);
    CHECK(line.events.size() == line.live_bytes.size());
    CHECK(line.events.size() == line.live_blocks.size());
    std::uint64_t events = 0;
    for (const std::uint64_t n : line.events) {
        events += n;
    }
    CHECK(events == 100'002);
    CHECK(line.live_blocks[1] == 100'000);
    CHECK(line.live_blocks[500] == 100'000); // what was live stays so where nothing happens
    CHECK(line.step_ns * line.events.size() > 60'000'000'000);
    CHECK(timeline_recorder{}.finish().events.empty());
}

using site_key = std::pair<std::uint32_t, allocation_call>;

struct model_block {
    std::uint64_t bytes;
    std::uint64_t born;
    site_key site;
    std::uint32_t thread;
};

struct model_site {
    site_statistics counts;
    std::map<std::uint64_t, std::uint64_t> sizes;
    std::set<std::uint32_t> threads;
    std::uint64_t burst = 0;
};

/// Random events that a program can make, and what they amount to.
class model {
public:
    explicit model(std::uint64_t seed) : random_{seed} {}

    std::vector<event> make(std::size_t count) {
        for (std::size_t i = 0; i != count; ++i) {
            step();
        }
        return std::move(events_);
    }

    std::map<site_key, model_site> sites;
    std::uint64_t live = 0;
    std::uint64_t peak_live = 0;
    std::uint64_t unknown = 0;
    std::uint64_t peak_bytes = 0;
    std::uint64_t peak_ns = 0;
    std::map<site_key, model_site> at_peak;

private:
    /// Remembers everything whenever more bytes are live than ever before.
    void note_peak(std::uint64_t time) {
        std::uint64_t bytes = 0;
        for (const auto& [key, site] : sites) {
            bytes += site.counts.live_bytes_at_end;
        }
        if (bytes > peak_bytes) {
            peak_bytes = bytes;
            peak_ns = time;
            at_peak = sites;
        }
    }

    std::uint64_t below(std::uint64_t n) { return random_() % n; }

    void step() {
        event e;
        e.time = time_ += below(1000);
        e.process = static_cast<std::uint32_t>(below(3));
        e.thread = e.process * 100 + static_cast<std::uint32_t>(below(5));
        e.stack = static_cast<std::uint32_t>(below(20));
        e.call = below(2) == 0 ? allocation_call::malloc : allocation_call::operator_new;
        auto& blocks = blocks_[e.process];
        const std::uint64_t what = below(100);
        if (what < 45 || blocks.empty()) {
            allocate(e);
        } else if (what < 90) {
            release(e, std::next(blocks.begin(), static_cast<std::ptrdiff_t>(
                                                     below(std::min<std::size_t>(blocks.size(), 40)))));
        } else if (what < 97) {
            reallocate(e, blocks.begin());
        } else {
            release_unknown(e);
        }
        events_.push_back(e);
    }

    std::uint64_t free_address(std::uint32_t process) {
        for (;;) {
            if (const std::uint64_t address = 0x10000 + 16 * below(4096);
                blocks_[process].count(address) == 0) {
                return address;
            }
        }
    }

    void allocate(event& e) {
        e.address = free_address(e.process);
        e.bytes = 1 + below(12) * 24;
        model_site& site = sites[{e.stack, e.call}];
        ++site.counts.allocations;
        ++site.sizes[e.bytes];
        site.counts.bytes += e.bytes;
        site.threads.insert(e.thread);
        site.counts.peak_live = std::max(site.counts.peak_live, ++site.counts.live_at_end);
        site.counts.live_bytes_at_end += e.bytes;
        site.counts.peak_live_bytes = std::max(site.counts.peak_live_bytes, site.counts.live_bytes_at_end);
        site.counts.longest_burst = std::max(site.counts.longest_burst, ++site.burst);
        peak_live = std::max(peak_live, ++live);
        blocks_[e.process][e.address] = {e.bytes, e.time, {e.stack, e.call}, e.thread};
        last_[e.thread] = e.address;
        note_peak(e.time);
    }

    template <class Iterator>
    void release(event& e, Iterator block) {
        e.kind = event_kind::release;
        e.address = block->first;
        model_site& site = sites[block->second.site];
        ++site.counts.releases;
        site.counts.remote_releases += block->second.thread != e.thread ? 1u : 0u;
        const bool is_temporary = last_[e.thread] == e.address && block->second.thread == e.thread;
        site.counts.temporary += is_temporary ? 1u : 0u;
        site.counts.temporary_bytes += is_temporary ? block->second.bytes : 0u;
        std::size_t place = 0;
        while ((e.time - block->second.born) >> (place + 1) != 0) {
            ++place;
        }
        ++site.counts.lifetimes[place];
        --site.counts.live_at_end;
        site.counts.live_bytes_at_end -= block->second.bytes;
        site.burst = 0;
        --live;
        blocks_[e.process].erase(block);
        last_[e.thread] = 0;
    }

    template <class Iterator>
    void reallocate(event& e, Iterator block) {
        e.kind = event_kind::reallocation;
        e.old_address = block->first;
        e.address = below(2) == 0 ? block->first : free_address(e.process);
        e.bytes = 1 + below(12) * 100;
        model_block moved = block->second;
        model_site& site = sites[moved.site];
        ++site.counts.reallocations;
        site.counts.bytes += e.bytes;
        site.counts.live_bytes_at_end += e.bytes - moved.bytes;
        site.counts.peak_live_bytes = std::max(site.counts.peak_live_bytes, site.counts.live_bytes_at_end);
        moved.bytes = e.bytes;
        blocks_[e.process].erase(block);
        blocks_[e.process][e.address] = moved;
        last_[e.thread] = 0;
        note_peak(e.time);
    }

    void release_unknown(event& e) {
        e.kind = event_kind::release;
        e.address = 0x9000'0000 + 16 * below(1000);
        ++unknown;
        last_[e.thread] = 0;
    }

    std::mt19937_64 random_;
    std::vector<event> events_;
    std::map<std::uint32_t, std::map<std::uint64_t, model_block>> blocks_;
    std::map<std::uint32_t, std::uint64_t> last_;
    std::uint64_t time_ = 0;
};

TEST_CASE("random events are counted as by a naive count") {
    for (std::uint64_t seed = 1; seed != 9; ++seed) {
        CAPTURE(seed);
        model naive{seed};
        const std::vector<event> events = naive.make(20'000);
        accumulator a;
        // In batches, as a reader gives them.
        for (std::size_t i = 0; i < events.size(); i += 777) {
            a.take(std::span{events}.subspan(i, std::min<std::size_t>(777, events.size() - i)));
        }
        const trace_analysis result = a.finish({});
        CHECK(result.unknown_releases == naive.unknown);
        CHECK(result.unseen_releases == 0);
        CHECK(result.all.live_at_end == naive.live);
        CHECK(result.all.peak_live == naive.peak_live);
        CHECK(result.peak_ns == naive.peak_ns);
        CHECK(result.all.peak_live_bytes == naive.peak_bytes);
        CHECK(result.all.live_bytes_at_peak == naive.peak_bytes);
        REQUIRE(result.sites.size() == naive.sites.size());
        for (const analysed_site& site : result.sites) {
            const model_site& expected = naive.sites[{site.stack, site.call}];
            const site_statistics& s = site.statistics;
            const site_statistics& n = expected.counts;
            REQUIRE(s.allocations == n.allocations);
            CHECK(s.bytes == n.bytes);
            CHECK(s.smallest == expected.sizes.begin()->first);
            CHECK(s.releases == n.releases);
            CHECK(s.remote_releases == n.remote_releases);
            CHECK(s.temporary == n.temporary);
            CHECK(s.temporary_bytes == n.temporary_bytes);
            const site_statistics& peak = naive.at_peak[{site.stack, site.call}].counts;
            CHECK(s.live_at_peak == peak.live_at_end);
            CHECK(s.live_bytes_at_peak == peak.live_bytes_at_end);
            CHECK(s.reallocations == n.reallocations);
            CHECK(s.lifetimes == n.lifetimes);
            CHECK(s.live_at_end == n.live_at_end);
            CHECK(s.live_bytes_at_end == n.live_bytes_at_end);
            CHECK(s.peak_live == n.peak_live);
            CHECK(s.peak_live_bytes == n.peak_live_bytes);
            CHECK(s.longest_burst == n.longest_burst);
            CHECK(s.threads == expected.threads.size());
            for (const auto& [size, count] : s.sizes) {
                CHECK(expected.sizes.at(size) == count);
            }
        }
    }
}

TEST_CASE("the table of live blocks equals a map after any puts and takes, whatever the addresses") {
    // Strides that all begin at the same low bits, and neighbours.
    for (const std::uint64_t stride : {16U, 48U, 4096U, 65'536U, 1U << 20}) {
        CAPTURE(stride);
        live_map table;
        std::map<std::uint64_t, std::uint64_t> expected;
        std::mt19937_64 random{stride};
        for (std::uint64_t i = 0; i != 20'000; ++i) {
            const std::uint64_t address = stride * (1 + random() % 3000);
            if (live_block* found = table.find(address); found != nullptr) {
                CHECK(found->bytes == expected.at(address));
                table.erase(found);
                expected.erase(address);
            } else {
                CHECK(expected.count(address) == 0);
                table.insert({address, i, 0, 0, 0});
                expected[address] = i;
            }
        }
        CHECK(table.size() == expected.size());
        for (const auto& [address, bytes] : expected) {
            const live_block* found = table.find(address);
            REQUIRE(found != nullptr);
            CHECK(found->bytes == bytes);
        }
    }
}

} // namespace linn::tool::analysis_tests
