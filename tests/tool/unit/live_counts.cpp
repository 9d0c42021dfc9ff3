// SPDX-License-Identifier: Apache-2.0
// The figures of a running program, from chunks that are handed over and from those that it still writes: every event once. A
// chunk that was read half and then taken whole would be counted twice.
#include "record/live/live_counts.hpp"

#include "trace/encode.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace {

using namespace linn::tool;
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
            index_ = ring_.claim(pid_, pid_);
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
    live_counts counts{true, {}};

    counted_ring() { REQUIRE(file.create(64, {}).empty()); }

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

} // namespace

TEST_CASE("every event is counted once, whether its chunk is still being written or was handed over") {
    counted_ring ring;
    writer thread{ring.file, 1, 1};
    for (std::uint64_t i = 0; i != 100; ++i) {
        thread.allocate(0x1000 + 64 * i, 40, 3);
    }
    ring.counts.update(ring.file);
    CHECK(ring.counts.figures().events == 100);
    CHECK(ring.of(1, 3).allocations == 100);
    CHECK(ring.of(1, 3).live_bytes == 4000);

    ring.counts.update(ring.file); // nothing new
    CHECK(ring.counts.figures().events == 100);

    for (std::uint64_t i = 0; i != 50; ++i) {
        thread.release(0x1000 + 64 * i);
    }
    ring.counts.update(ring.file);
    CHECK(ring.counts.figures().events == 150);
    CHECK(ring.of(1, 3).live_blocks == 50);

    thread.allocate(0x9000, 8, 4);
    thread.hand_over();
    ring.take_full();
    ring.counts.update(ring.file);
    CHECK(ring.counts.figures().events == 151);
    CHECK(ring.of(1, 3).allocations == 100);
    CHECK(ring.of(1, 4).live_bytes == 8);

    thread.allocate(0xa000, 16, 4); // the next chunk, in the same place of the ring
    ring.counts.update(ring.file);
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
    ring.counts.update(ring.file);
    CHECK(ring.of(1, 3).live_blocks == 0);
    CHECK(ring.of(1, 5).live_blocks == 1);
    CHECK(ring.counts.figures().threads == 2);
}

TEST_CASE("a place is known once its stack is") {
    counted_ring ring;
    writer thread{ring.file, 1, 1};
    thread.allocate(0x1000, 64, 3);
    ring.counts.update(ring.file);
    CHECK_FALSE(ring.counts.place({1, 3}));
    thread.define_stack(3, {0x400'100, 0x400'200});
    ring.counts.update(ring.file);
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
    ring.counts.update(ring.file);
    CHECK(ring.counts.figures().events == 0);
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
