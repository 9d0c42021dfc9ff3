// SPDX-License-Identifier: Apache-2.0
// The accumulator against the same counts made in the simplest way, on random events of several processes and threads.
#include "analysis/accumulator.hpp"
#include "unit.hpp"

namespace linn::tool::analysis_model_tests {

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

TEST_CASE("the table of live blocks keeps and loses what a map does, whatever the addresses") {
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

} // namespace linn::tool::analysis_model_tests
