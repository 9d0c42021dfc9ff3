// SPDX-License-Identifier: Apache-2.0
// The figures of a running program, from chunks that are handed over and from those that it still writes: every event once. A
// chunk that was read half and then taken whole would be counted twice.
#include "record/live/live_counts.hpp"

#include "trace/encode.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

namespace linn::tool::live_counts_tests {

using namespace linn::tool::live;
using wire::chunk_state;

constexpr auto malloc_call = static_cast<std::uint8_t>(allocation_call::malloc);
constexpr auto free_call = static_cast<std::uint8_t>(allocation_call::free);

/// A thread of this process that writes into a ring.
class writer {
public:
    writer(const ring_file& file, std::uint32_t image, std::uint32_t thread) : ring_(file.ring()) {
        std::memset(static_cast<void*>(&encoder_), 0, sizeof encoder_);
        encoder_.bind(&limit_);
        header_.image = image;
        header_.stream = header_.thread = thread;
        header_.pid = pid_;
        header_.tid = pid_;
    }

    void allocate(std::uint64_t address, std::uint64_t bytes, std::uint32_t stack) {
        room();
        encoder_.allocation(++ticks_ * 16, address, bytes, wire::encoder::stack_word(stack, malloc_call, 0));
    }
    void release(std::uint64_t address) {
        room();
        encoder_.release(++ticks_ * 16, address, free_call);
    }
    void define_stack(std::uint32_t id, const std::vector<std::uint64_t>& frames) {
        room();
        unsigned char* p = encoder_.begin_record(ticks_ * 16);
        p = wire::encoder::put_varint(p, id);
        p = wire::encoder::put_varint(p, frames.size());
        std::uint64_t before = 0;
        for (const std::uint64_t frame : frames) {
            p = wire::encoder::put_difference(p, frame - before);
            before = frame;
        }
        encoder_.end_record(wire::entry::stack, p);
    }
    void hand_over() {
        encoder_.end();
        REQUIRE(ring_.hand_over(index_, pid_, pid_));
        index_ = wire::ring::none;
    }
    std::uint32_t chunk() const { return index_; }

private:
    void room() {
        if (index_ == wire::ring::none) {
            index_ = ring_.claim(pid_, pid_, [](std::uint32_t) { return true; });
            REQUIRE(index_ != wire::ring::none);
            header_.first_ticks = ++ticks_ * 16;
            encoder_.begin(ring_.chunk(index_), header_);
            ++header_.sequence;
        }
    }

    static inline std::uint64_t ticks_ = 1000; // one clock for all threads
    const wire::ring& ring_;
    wire::encoder encoder_;
    unsigned char* limit_ = nullptr;
    wire::chunk_header header_;
    std::uint32_t index_ = wire::ring::none;
    std::uint32_t pid_ = static_cast<std::uint32_t>(::getpid());
};

struct counted_ring {
    ring_file file;
    live_counts counts;
    double seconds = 0;

    explicit counted_ring(double counted = live_counts::events_counted) : counts{true, {}, {}, counted} {
        REQUIRE(file.create(64, {}).empty());
    }

    /// Once a second.
    void update() { counts.update(file, ++seconds); }

    /// As the collector's worker.
    void take_full() {
        const wire::ring& ring = file.ring();
        for (std::uint32_t i = 0; i != ring.chunk_count(); ++i) {
            if (const wire::chunk_word word = ring.word(i);
                word.state == chunk_state::full && ring.take(i, word)) {
                std::vector<unsigned char> copy(ring.chunk(i), ring.chunk(i) + wire::chunk_bytes);
                std::memset(ring.chunk(i), 0, wire::chunk_bytes);
                counts.look(copy);
                ring.give_back(i);
            }
        }
    }
    site_figures of(std::uint32_t image, std::uint32_t stack) const {
        for (const site_figures& site : counts.figures().sites) {
            if (site.key == site_key{image, stack}) {
                return site;
            }
        }
        return {};
    }
};

TEST_CASE("every event is counted once, whether its chunk is still being written or was handed over") {
    counted_ring ring;
    writer thread{ring.file, 1, 1};
    for (std::uint64_t i = 0; i != 100; ++i) {
        thread.allocate(0x1000 + 64 * i, 40, 3);
    }
    ring.update();
    CHECK(ring.counts.figures().events == 100);
    CHECK(ring.of(1, 3).allocations == 100);
    CHECK(ring.of(1, 3).live_bytes == 4000);

    ring.update(); // nothing new
    CHECK(ring.counts.figures().events == 100);

    for (std::uint64_t i = 0; i != 50; ++i) {
        thread.release(0x1000 + 64 * i);
    }
    ring.update();
    CHECK(ring.counts.figures().events == 150);
    CHECK(ring.of(1, 3).live_blocks == 50);

    thread.allocate(0x9000, 8, 4);
    thread.hand_over();
    ring.take_full();
    ring.update();
    CHECK(ring.counts.figures().events == 151);
    CHECK(ring.of(1, 3).allocations == 100);
    CHECK(ring.of(1, 4).live_bytes == 8);

    thread.allocate(0xa000, 16, 4); // the next chunk, in the same place of the ring
    ring.update();
    CHECK(ring.counts.figures().events == 152);
    CHECK(ring.of(1, 4).bytes == 24);
    thread.hand_over();
    ring.take_full();
    CHECK(ring.counts.figures().events == 152);
}

TEST_CASE("a block that another thread releases has gone, whichever chunk comes first") {
    counted_ring ring;
    writer maker{ring.file, 1, 1};
    writer user{ring.file, 1, 2};
    maker.allocate(0x1000, 64, 3);
    user.allocate(0x2000, 64, 5);
    user.release(0x1000);
    user.hand_over();
    ring.take_full();
    ring.update();
    CHECK(ring.of(1, 3).live_blocks == 0);
    CHECK(ring.of(1, 5).live_blocks == 1);
    CHECK(ring.counts.figures().threads == 2);
}

TEST_CASE("a place is known once its stack is") {
    counted_ring ring;
    writer thread{ring.file, 1, 1};
    thread.allocate(0x1000, 64, 3);
    ring.update();
    CHECK_FALSE(ring.counts.place({1, 3}));
    thread.define_stack(3, {0x400'100, 0x400'200});
    ring.update();
    const std::optional<site_place> place = ring.counts.place({1, 3});
    REQUIRE(place);
    REQUIRE(place->frames.size() == 2);
    CHECK(place->frames[0].address == 0x400'100); // no module was told: as in memory
    CHECK(place->sizes == std::vector<std::uint64_t>{64});
    CHECK_FALSE(ring.counts.place({2, 3}));
}

TEST_CASE("other processes are passed over where one is wanted") {
    counted_ring ring;
    ring.counts.leave_out_all_but(1);
    writer thread{ring.file, 1, 1};
    thread.allocate(0x1000, 64, 3);
    ring.update();
    CHECK(ring.counts.figures().events == 0);
}

TEST_CASE("of many events, one chunk in so many stands for the others") {
    // 1: half of all; 2: in every tenth chunk, many; 3: a block that stays, in every other chunk.
    for (const double counted : {1e9, 10'000.0}) {
        CAPTURE(counted);
        counted_ring ring{counted};
        std::vector<std::unique_ptr<writer>> threads;
        for (std::uint32_t t = 1; t != 4; ++t) {
            threads.push_back(std::make_unique<writer>(ring.file, 1, t));
        }
        std::mt19937_64 random{5};
        std::uint64_t next = 0x1000'0000;
        double events = 0;
        double all = 0;
        double of[4] = {};
        std::uint64_t within = 0;
        for (int second = 0; second != 12; ++second) {
            double estimated_before = 0;
            for (const site_figures& site : ring.counts.figures().sites) {
                estimated_before += site.allocations;
            }
            const double all_before = all;
            for (int chunk = 0; chunk != 60; ++chunk) {
                writer& thread = *threads[random() % threads.size()];
                const auto allocate = [&](std::uint32_t stack, bool stays) {
                    thread.allocate(next, 48, stack);
                    ++of[stack];
                    ++all;
                    ++events;
                    if (!stays) {
                        thread.release(next);
                        ++events;
                    }
                    next += 64;
                };
                for (std::uint64_t left = 200 + random() % 400; left != 0; --left) {
                    allocate(1, false);
                }
                for (std::uint64_t i = 0; chunk % 10 == 0 && i != 1500; ++i) {
                    allocate(2, false);
                }
                if (chunk % 2 == 0) {
                    allocate(3, true);
                }
                thread.hand_over();
                ring.take_full();
            }
            ring.update();
            double estimated = 0;
            for (const site_figures& site : ring.counts.figures().sites) {
                estimated += site.allocations;
            }
            const double error = ring.counts.figures().error;
            within += std::abs((estimated - estimated_before) / (all - all_before) - 1) <= error ? 1U : 0U;
        }
        const live_figures figures = ring.counts.figures();
        CHECK(figures.events == events); // always exact
        CHECK(ring.of(1, 3).live_blocks == of[3]);
        if (counted > events) {
            CHECK_FALSE(figures.is_estimated);
            CHECK(figures.one_chunk_in == 1);
            CHECK(figures.error == 0);
            CHECK(ring.of(1, 1).allocations == of[1]);
            CHECK(ring.of(1, 2).bytes == 48 * of[2]);
            CHECK(within == 12);
        } else {
            CHECK(figures.is_estimated);
            CHECK(figures.one_chunk_in == 8);
            CHECK(figures.error > 0.01);
            CHECK(within >= 10); // of twelve seconds, all but one in twenty
            CHECK(std::abs(ring.of(1, 1).allocations / of[1] - 1) < 0.2);
            CHECK(std::abs(ring.of(1, 2).allocations / of[2] - 1) < 0.6);
        }
    }
}

TEST_CASE("which chunks are counted does not depend on what is in them") {
    chunk_share share{1000};
    CHECK(share.one_in() == 1);
    CHECK(share.weight_of(3, 7) == 1);
    share.tell_rate(1000, 1);
    CHECK(share.one_in() == 1);
    share.tell_rate(7000, 2); // 3500 a second
    REQUIRE(share.one_in() == 4);
    std::uint64_t chosen[4] = {};
    for (std::uint32_t stream = 1; stream != 9; ++stream) {
        for (std::uint32_t group = 0; group != 1000; ++group) {
            unsigned counted = 0;
            for (std::uint32_t i = 0; i != 4; ++i) {
                if (const std::uint64_t weight = share.weight_of(stream, 4 * group + i); weight != 0) {
                    CHECK(weight == 4);
                    ++counted;
                    ++chosen[i];
                }
            }
            CHECK(counted == 1);
        }
    }
    for (const std::uint64_t times : chosen) {
        CHECK(std::abs(static_cast<double>(times) - 2000) < 200);
    }
    // It goes back only where it will stay.
    share.tell_rate(1900, 1);
    CHECK(share.one_in() == 4);
    share.tell_rate(1300, 1);
    CHECK(share.one_in() == 2);
    share.tell_rate(10, 1);
    CHECK(share.one_in() == 1);
    share.tell_rate(1e18, 0);
    CHECK(share.one_in() > 1000);
}

TEST_CASE("damaged chunks are taken as far as they make sense") {
    live_counts counts{true, {}};
    std::vector<unsigned char> chunk(wire::chunk_bytes);
    CHECK(counts.look(chunk).payload.empty());
    wire::chunk_header header;
    header.image = 1;
    header.pid = static_cast<std::uint32_t>(::getpid());
    std::memcpy(chunk.data(), &header, sizeof header);
    for (std::size_t i = sizeof header; i != chunk.size(); ++i) {
        chunk[i] = static_cast<unsigned char>(i * 37 + 11);
    }
    counts.look(chunk);
    CHECK(counts.figures().events >= 0);
}

} // namespace linn::tool::live_counts_tests
