// SPDX-License-Identifier: Apache-2.0
// A trace's events as a program: an interpreter that knows nothing of the builder's bookkeeping executes all streams, one
// word of a random stream at a time, and must find every request of the trace, in its thread's order, and never two blocks
// in one slot.
#include "replay/program.hpp"
#include "replay_events.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>

namespace linn::tool::replay_program_tests {

using replay_format::op;

replay_program build(const std::vector<event>& events, program_limits limits = {},
                     std::vector<std::uint8_t> groups = {}) {
    program_builder builder{std::filesystem::temp_directory_path(), std::move(groups), limits};
    for (const event& e : events) {
        builder.add(e);
    }
    return builder.finish();
}

std::vector<std::uint64_t> words_of(const replay_program& program) {
    std::ifstream file{program.file.path(), std::ios::binary};
    std::vector<std::uint64_t> words(program.file.size() / 8);
    file.read(reinterpret_cast<char*>(words.data()), static_cast<std::streamsize>(words.size() * 8));
    return words;
}

bool is_release(op what) {
    return what >= op::free;
}

/// What a program does, step by step; streams wait as the worker's do.
class interpreter {
public:
    explicit interpreter(const replay_program& program) : words_{words_of(program)} {
        std::memcpy(&header_, words_.data(), sizeof header_);
        for (std::size_t i = 0; i != header_.streams; ++i) {
            streams_.push_back({words_[header_.streams_at / 8 + i] / 8, i == 0, false, std::nullopt});
        }
        const auto* epochs = reinterpret_cast<const std::uint32_t*>(&words_[header_.epochs_at / 8]);
        unfinished_.assign(epochs, epochs + header_.epochs);
        slots_.resize(header_.slots, 0);
        generations_.resize(header_.slots, 0);
    }

    /// One block that an op allocates or releases.
    struct step {
        std::size_t stream;
        op what;
        std::uint64_t bytes; ///< of the new block, or of the one released
        std::uint64_t old_bytes;
        std::uint8_t group;
        std::size_t alignment;
    };

    /// Executes everything in an order that `choose(n)` decides; false when all streams wait.
    template <class Choose>
    bool run(Choose choose) {
        for (;;) {
            std::vector<std::size_t> able;
            for (std::size_t i = 0; i != streams_.size(); ++i) {
                if (streams_[i].begun && !streams_[i].ended && can_go_on(i)) {
                    able.push_back(i);
                }
            }
            if (able.empty()) {
                break;
            }
            // Several words at a time, or it takes too long.
            const std::size_t number = able[choose(able.size())];
            for (std::size_t n = choose(20) + 1; n != 0 && !streams_[number].ended && can_go_on(number);
                 --n) {
                execute(number);
            }
        }
        return std::all_of(streams_.begin(), streams_.end(), [](const auto& s) { return s.ended; });
    }

    const std::vector<step>& steps() const { return steps_; }
    const replay_format::program_header& header() const { return header_; }
    std::uint64_t checksum() const { return checksum_; }
    std::size_t live() const {
        return static_cast<std::size_t>(
            std::count_if(slots_.begin(), slots_.end(), [](auto b) { return b != 0; }));
    }
    std::uint32_t furthest_apart() const { return furthest_apart_; }

private:
    struct stream {
        std::size_t at;
        bool begun;
        bool ended;
        std::optional<std::uint32_t> epoch;
    };

    static bool waits(std::uint64_t word) { return (word & replay_format::waits_flag) != 0; }
    bool is_filled(std::uint64_t word) const { return slots_[replay_format::slot_of(word)] != 0; }
    bool is_filled(std::uint64_t word, std::uint16_t generation) const {
        return is_filled(word) && generations_[replay_format::slot_of(word)] == generation + 1u;
    }

    std::uint32_t complete() const {
        return static_cast<std::uint32_t>(
            std::find_if(unfinished_.begin(), unfinished_.end(), [](auto n) { return n != 0; }) -
            unfinished_.begin());
    }

    bool can_go_on(std::size_t number) {
        stream& s = streams_[number];
        while (replay_format::op_of(words_[s.at]) == op::jump) {
            s.at = words_[s.at + 1] / 8;
        }
        const std::uint64_t word = words_[s.at];
        const op what = replay_format::op_of(word);
        if (what == op::epoch) {
            if (s.epoch && *s.epoch != ~0u) { // it leaves before it waits
                --unfinished_[*s.epoch];
                s.epoch = ~0u;
            }
            return complete() + 2 > replay_format::slot_of(word);
        }
        if (what == op::realloc) {
            return (!waits(word) || is_filled(word, replay_format::generation_of(words_[s.at + 1]))) &&
                   (!waits(words_[s.at + 1]) || !is_filled(words_[s.at + 1]));
        }
        if (is_release(what)) {
            return !waits(word) || is_filled(word, replay_format::generation_of(word));
        }
        if (what >= op::malloc) {
            return !waits(word) || !is_filled(word);
        }
        return true;
    }

    void execute(std::size_t number) {
        stream& s = streams_[number];
        const std::uint64_t word = words_[s.at++];
        const op what = replay_format::op_of(word);
        const std::uint32_t slot = replay_format::slot_of(word);
        switch (what) {
        case op::end:
            s.ended = true;
            if (s.epoch) {
                --unfinished_[*s.epoch];
            }
            return;
        case op::start:
            REQUIRE(!streams_[slot].begun);
            streams_[slot].begun = true;
            return;
        case op::epoch:
            s.epoch = slot;
            furthest_apart_ = std::max(furthest_apart_, slot - std::min(slot, complete()));
            return;
        case op::realloc: {
            const std::uint64_t second = words_[s.at];
            const std::uint64_t old_bytes = replay_format::wide_size(words_[s.at + 1]);
            const std::uint64_t bytes = replay_format::wide_size(words_[s.at + 2]);
            s.at += 3;
            const std::uint32_t to = replay_format::slot_of(second);
            REQUIRE(slots_[slot] == old_bytes);
            slots_[slot] = 0;
            REQUIRE(slots_[to] == 0);
            slots_[to] = bytes;
            ++generations_[to];
            checksum_ += replay_format::mix(bytes, to);
            steps_.push_back({number, what, bytes, old_bytes, replay_format::group_of(second), 0});
            return;
        }
        default:
            break;
        }
        std::uint64_t bytes = replay_format::narrow_size(word);
        std::size_t alignment = 0;
        if ((word & replay_format::wide_flag) != 0) {
            bytes = replay_format::wide_size(words_[s.at]);
            alignment = replay_format::wide_alignment(words_[s.at]);
            ++s.at;
        }
        if (is_release(what)) {
            REQUIRE(slots_[slot] == bytes);
            slots_[slot] = 0;
        } else {
            REQUIRE(slots_[slot] == 0);
            REQUIRE(bytes != 0);
            slots_[slot] = bytes;
            ++generations_[slot];
            checksum_ += replay_format::mix(bytes, slot);
        }
        steps_.push_back({number, what, bytes, 0, replay_format::group_of(word), alignment});
    }

    std::vector<std::uint64_t> words_;
    replay_format::program_header header_{};
    std::vector<stream> streams_;
    std::vector<std::uint32_t> unfinished_;
    std::vector<std::uint64_t> slots_;       // the block's bytes; 0: none
    std::vector<std::uint32_t> generations_; // how often each was filled
    std::vector<step> steps_;
    std::uint64_t checksum_ = 0;
    std::uint32_t furthest_apart_ = 0;
};

/// What a thread asks for, said without slots: the size that comes and the size that goes.
struct wanted {
    bool comes;
    bool goes;
    std::uint64_t bytes;
    std::uint64_t old_bytes;
    bool operator==(const wanted&) const = default;
};

/// By thread, from a map of live blocks and nothing else.
std::map<unsigned, std::vector<wanted>> expected(const std::vector<event>& events) {
    std::map<std::uint64_t, std::uint64_t> live;
    std::map<unsigned, std::vector<wanted>> lists;
    for (const event& e : events) {
        const std::uint64_t bytes = std::max<std::uint64_t>(e.bytes, 1);
        if (e.kind == event_kind::allocation) {
            live[e.address] = bytes;
            lists[e.thread].push_back({true, false, bytes, 0});
        } else if (e.kind == event_kind::reallocation) {
            const std::uint64_t old_bytes = live.at(e.old_address);
            live.erase(e.old_address);
            live[e.address] = bytes;
            lists[e.thread].push_back({true, true, bytes, old_bytes});
        } else {
            lists[e.thread].push_back({false, true, live.at(e.address), 0});
            live.erase(e.address);
        }
    }
    return lists;
}

std::map<unsigned, std::vector<wanted>> found(const interpreter& run) {
    std::map<unsigned, std::vector<wanted>> lists;
    for (const auto& s : run.steps()) {
        lists[static_cast<unsigned>(s.stream)].push_back(
            {!is_release(s.what), is_release(s.what) || s.what == op::realloc, s.bytes, s.old_bytes});
    }
    return lists;
}

/// The lists of all threads, which the builder numbers in the order of their first events.
std::multiset<std::size_t> lengths(const std::map<unsigned, std::vector<wanted>>& lists) {
    std::multiset<std::size_t> all;
    for (const auto& [thread, list] : lists) {
        all.insert(list.size());
    }
    return all;
}

std::vector<unsigned> threads_by_first_event(const std::vector<event>& events) {
    std::vector<unsigned> order;
    for (const event& e : events) {
        if (std::find(order.begin(), order.end(), e.thread) == order.end()) {
            order.push_back(e.thread);
        }
    }
    return order;
}

event allocation(std::uint32_t thread, std::uint64_t address, std::uint64_t bytes,
                 allocation_call call = allocation_call::malloc) {
    event e;
    e.call = call;
    e.thread = thread;
    e.address = address;
    e.bytes = bytes;
    return e;
}

event release(std::uint32_t thread, std::uint64_t address) {
    event e;
    e.kind = event_kind::release;
    e.thread = thread;
    e.address = address;
    return e;
}

TEST_CASE("every request of every thread is replayed, in its thread's order, whichever thread runs first") {
    for (const unsigned threads : {1u, 2u, 5u, 17u}) {
        for (const std::uint64_t seed : {1u, 2u, 3u}) {
            CAPTURE(threads);
            CAPTURE(seed);
            const std::vector<event> events = replay_test::random_events{threads, 6000, seed}.make();
            const replay_program program = build(events, {1024, 500});
            interpreter run{program};
            std::mt19937_64 random{seed * 7};
            REQUIRE(run.run([&](std::size_t n) { return random() % n; }));
            const auto want = expected(events);
            const auto have = found(run);
            const std::vector<unsigned> order = threads_by_first_event(events);
            REQUIRE(have.size() == order.size());
            for (std::size_t stream = 0; stream != order.size(); ++stream) {
                CHECK(have.at(static_cast<unsigned>(stream)) == want.at(order[stream]));
            }
            CHECK(run.checksum() == program.summary.checksum);
            CHECK(run.live() == program.summary.live_blocks_at_end);
            CHECK(program.summary.events == events.size());
            CHECK(program.summary.unknown_releases == 0);
            CHECK(program.summary.threads == order.size());
        }
    }
}

TEST_CASE("a stream that always runs first is held back by the others' pace, and nothing blocks for ever") {
    const std::vector<event> events = replay_test::random_events{6, 12'000, 5, 0.0}.make();
    interpreter run{build(events, {1024, 400})};
    REQUIRE(run.run([](std::size_t) { return std::size_t{0}; }));
    CHECK(run.furthest_apart() <= 1); // of epochs that are under way
    interpreter backwards{build(events, {1024, 400})};
    REQUIRE(backwards.run([](std::size_t n) { return n - 1; }));
    CHECK(backwards.furthest_apart() <= 1);
}

TEST_CASE("threads beyond the limit are carried on by others, and every request is still there") {
    const std::vector<event> events = replay_test::random_events{40, 8000, 9}.make();
    const replay_program program = build(events, {7, 300});
    CHECK(program.summary.streams == 7);
    CHECK(program.summary.threads == threads_by_first_event(events).size());
    interpreter run{program};
    std::mt19937_64 random{3};
    REQUIRE(run.run([&](std::size_t n) { return random() % n; }));
    std::size_t all = 0;
    for (const std::size_t length : lengths(found(run))) {
        all += length;
    }
    CHECK(all == events.size());
    CHECK(run.checksum() == program.summary.checksum);
}

TEST_CASE("slots are reused: their number follows the live blocks, not the events") {
    std::vector<event> events;
    for (int round = 0; round != 10'000; ++round) {
        for (std::uint64_t i = 1; i <= 5; ++i) {
            events.push_back(allocation(0, i * 64, 40));
        }
        for (std::uint64_t i = 1; i <= 5; ++i) {
            events.push_back(release(0, i * 64));
        }
    }
    const replay_program program = build(events);
    CHECK(interpreter{program}.header().slots <= 16);
    CHECK(program.summary.peak_live_blocks == 5);
    CHECK(program.summary.peak_live_bytes == 200);
    CHECK(program.summary.hand_overs == 0);
    CHECK(program.file.size() < events.size() * 8 + 200'000);
}

TEST_CASE("slots of blocks that another thread releases are reused as well") {
    std::vector<event> events;
    for (std::uint64_t i = 0; i != 20'000; ++i) {
        events.push_back(allocation(0, 64, 100));
        events.push_back(release(1, 64));
    }
    const replay_program program = build(events);
    CHECK(program.summary.hand_overs == 20'000);
    CHECK(interpreter{program}.header().slots <= 256);
    interpreter run{program};
    REQUIRE(run.run([](std::size_t) { return std::size_t{0}; }));
}

TEST_CASE("what a trace may hold besides whole lives of blocks is skipped and counted") {
    event failure = allocation(0, 0, 1 << 30);
    failure.kind = event_kind::failure;
    event fill = allocation(0, 64, 4096);
    fill.kind = event_kind::fill;
    event strange_realloc = allocation(0, 192, 10, allocation_call::realloc);
    strange_realloc.kind = event_kind::reallocation;
    strange_realloc.old_address = 0xdead0;
    const std::vector<event> events{allocation(0, 64, 4096), fill,           failure,       release(0, 128),
                                    strange_realloc,         release(0, 64), release(0, 64)};
    const replay_program program = build(events);
    CHECK(program.summary.unknown_releases == 3);
    CHECK(program.summary.failures == 1);
    CHECK(program.summary.allocations == 2);
    CHECK(program.summary.events == 3);
    CHECK(program.summary.live_blocks_at_end == 1);
    interpreter run{program};
    REQUIRE(run.run([](std::size_t) { return std::size_t{0}; }));
}

TEST_CASE("an address that is allocated again before its release was told is two blocks") {
    const replay_program program =
        build({allocation(0, 64, 40), allocation(1, 64, 50), release(0, 64), release(1, 64)});
    CHECK(program.summary.reused_addresses == 1);
    CHECK(program.summary.live_blocks_at_end == 0);
    CHECK(program.summary.unknown_releases == 0);
    CHECK(program.summary.peak_live_blocks == 2);
    interpreter run{program};
    REQUIRE(run.run([](std::size_t) { return std::size_t{0}; }));
    CHECK(run.live() == 0);
}

TEST_CASE("an allocation keeps its size, alignment and group to its release; families are never mixed") {
    event aligned = allocation(0, 64, 100'000, allocation_call::operator_new_aligned);
    aligned.alignment_log2 = 7;
    aligned.stack = 2;
    event mixed = release(0, 64);
    mixed.call = allocation_call::free;
    const replay_program program = build({aligned, mixed}, {}, {0, 0, 9});
    interpreter run{program};
    REQUIRE(run.run([](std::size_t) { return std::size_t{0}; }));
    REQUIRE(run.steps().size() == 2);
    CHECK(run.steps()[0].what == op::new_aligned);
    CHECK(run.steps()[1].what == op::delete_aligned);
    for (const auto& s : run.steps()) {
        CHECK(s.bytes == 100'000);
        CHECK(s.alignment == 128);
        CHECK(s.group == 9);
    }
}

TEST_CASE("an empty program has no streams") {
    const replay_program program = build({});
    CHECK(interpreter{program}.header().streams == 0);
}

TEST_CASE("a folder that cannot be written to is named") {
    CHECK_THROWS_WITH_AS((program_builder{"/nonexistent-folder"}),
                         doctest::Contains("/nonexistent-folder: No such file or directory; TMPDIR"),
                         std::runtime_error);
}

TEST_CASE("the null allocator's places never overlap, and a stream's blocks of one size lie together") {
    const std::vector<event> events = replay_test::random_events{3, 5000, 4}.make();
    const replay_program program = build(events);
    const std::vector<std::uint64_t> words = words_of(program);
    const interpreter run{program};
    const auto& header = run.header();
    std::vector<std::uint64_t> places(words.begin() + static_cast<std::ptrdiff_t>(header.places_at / 8),
                                      words.begin() +
                                          static_cast<std::ptrdiff_t>(header.places_at / 8 + header.slots));
    std::sort(places.begin(), places.end());
    CHECK(std::adjacent_find(places.begin(), places.end()) == places.end());
    CHECK(places.back() < header.null_bytes);
}

TEST_CASE("size classes hold their sizes, and little more") {
    for (std::uint64_t bytes = 1; bytes < 300'000; bytes += bytes < 3000 ? 1 : 97) {
        const std::uint64_t room = slot_class_bytes(slot_class(bytes));
        REQUIRE(room >= bytes);
        REQUIRE(room <= std::max<std::uint64_t>(bytes + 15, bytes * 5 / 4 + 1));
    }
    CHECK(slot_class_bytes(slot_class(replay_format::size_mask)) >= replay_format::size_mask);
    CHECK(slot_class(replay_format::size_mask) < 256);
}

} // namespace linn::tool::replay_program_tests
