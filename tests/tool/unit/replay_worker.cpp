// SPDX-License-Identifier: Apache-2.0
// The worker executes programs of random requests in real threads and checks every block: that it is where it was asked
// for, aligned, zeroed by calloc, and until its release holds what was written to it. Two blocks that overlap, or one that
// is released by the wrong thread too early, would fail that.
#include "allocators/finder.hpp"
#include "replay/program.hpp"
#include "replay/replay_client.hpp"
#include "replay_events.hpp"

#include <doctest/doctest.h>

#include <filesystem>

namespace linn::tool::replay_worker_tests {

replay_program build(const std::vector<event>& events, std::vector<std::uint8_t> groups = {},
                     program_limits limits = {}) {
    program_builder builder{std::filesystem::temp_directory_path(), std::move(groups), limits};
    for (const event& e : events) {
        builder.add(e);
    }
    return builder.finish();
}

contender source_of(const char* source, const std::filesystem::path& library = {}) {
    contender c;
    c.worker_id = source;
    c.library = library;
    return c;
}

replay_sample execute(const replay_program& program, const char* source = "system",
                      const char* touch = "check", const std::filesystem::path& library = {}) {
    const interrupt_guard guard;
    return execute_program(program.file.path(), source_of(source, library), touch, std::chrono::seconds{60},
                           guard, [] {});
}

void check_all(const replay_program& program, const char* source, const std::filesystem::path& library = {}) {
    CAPTURE(source);
    CAPTURE(library);
    const replay_sample sample = execute(program, source, "check", library);
    CHECK(sample.problem == "");
    CHECK(sample.checksum == program.summary.checksum);
    CHECK(sample.wrong_blocks == 0);
}

constexpr const char* sources[] = {"system", "linn", "null", "group=1", "group=1-2"};

TEST_CASE("one thread's blocks hold what was written, from every source") {
    const replay_program program = build(replay_test::random_events{1, 20'000, 11}.make(), {0, 1, 0, 1});
    for (const char* source : sources) {
        check_all(program, source);
    }
}

TEST_CASE("blocks handed over between threads hold what was written, from every source") {
    const replay_program program =
        build(replay_test::random_events{4, 20'000, 12, 0.7}.make(), {0, 1, 0, 1}, {1024, 2000});
    CHECK(program.summary.hand_overs > 3000);
    for (const char* source : sources) {
        check_all(program, source);
    }
}

TEST_CASE("many more threads than CPUs, all of them handing over, come to an end") {
    const replay_program program =
        build(replay_test::random_events{60, 20'000, 13, 0.9}.make(), {0, 1}, {1024, 256});
    CHECK(program.summary.streams == 60);
    for (const char* source : {"system", "linn"}) {
        check_all(program, source);
    }
}

TEST_CASE("a block that goes to and fro between two threads") {
    std::vector<event> events;
    for (std::uint64_t i = 0; i != 3000; ++i) {
        event a;
        a.call = allocation_call::operator_new;
        a.thread = static_cast<std::uint32_t>(i % 2);
        a.address = 64;
        a.bytes = 24'000; // large: its slot is reused at once
        events.push_back(a);
        event r;
        r.kind = event_kind::release;
        r.thread = 1 - a.thread;
        r.address = 64;
        events.push_back(r);
    }
    const replay_program program = build(events);
    CHECK(program.summary.peak_live_blocks == 1);
    for (const char* source : sources) {
        check_all(program, source);
    }
}

TEST_CASE("the same under preloaded allocators, where there are some") {
    const replay_program program = build(replay_test::random_events{4, 10'000, 14, 0.5}.make());
    int tried = 0;
    for (const char* name : {"jemalloc", "mimalloc2", "tcmalloc", "tbb"}) {
        const found_library library = find_library(*find_known_allocator(name), library_directories());
        if (!library.problem.empty()) {
            continue;
        }
        check_all(program, "system", library.path);
        ++tried;
    }
    MESSAGE("allocators tried: ", tried);
}

TEST_CASE("every way to touch blocks does the same work") {
    const replay_program program = build(replay_test::random_events{2, 5000, 15}.make());
    for (const char* touch : {"none", "byte", "lines", "all"}) {
        CAPTURE(touch);
        const replay_sample sample = execute(program, "system", touch);
        CHECK(sample.problem == "");
        CHECK(sample.checksum == program.summary.checksum);
        CHECK(sample.cpu_seconds > 0);
    }
}

TEST_CASE("what is touched shows in the memory taken") {
    std::vector<event> events;
    for (std::uint64_t i = 1; i <= 64; ++i) {
        event a;
        a.call = allocation_call::malloc;
        a.address = i << 24;
        a.bytes = 1 << 18;
        events.push_back(a);
    }
    const replay_program program = build(events);
    constexpr double all_bytes = 64.0 * (1 << 18);
    for (const char* source : {"system", "null"}) {
        CHECK(execute(program, source, "none").peak_rss_bytes < all_bytes / 4);
        CHECK(execute(program, source, "lines").peak_rss_bytes > all_bytes * 0.9);
        CHECK(execute(program, source, "lines").peak_rss_bytes < all_bytes * 1.5);
    }
}

TEST_CASE("an allocator that has no memory is told, and no other thread waits for ever") {
    std::vector<event> events = replay_test::random_events{4, 3000, 16, 0.9}.make();
    event huge;
    huge.call = allocation_call::malloc;
    huge.thread = 2;
    huge.address = 0x7000'0000'0000;
    huge.bytes = std::uint64_t{1} << 47;
    events.insert(events.begin() + 2000, huge);
    const replay_sample sample = execute(build(events), "system", "none");
    CHECK(sample.problem.find("the allocator returned null") != std::string::npos);
}

TEST_CASE("what is no program, and a source that is none, is refused") {
    const interrupt_guard guard;
    const auto run = [&](const std::string& file, const char* source, const char* touch) {
        return execute_program(file, source_of(source), touch, std::chrono::seconds{60}, guard, [] {})
            .problem;
    };
    CHECK(run("/nonexistent", "system", "none").find("cannot open the program") != std::string::npos);
    CHECK(run("/proc/self/exe", "system", "none").find("another version") != std::string::npos);
    const replay_program program = build(replay_test::random_events{1, 10, 1}.make());
    CHECK(run(program.file.path(), "nothing", "none") == "there is no such source of memory");
    CHECK(run(program.file.path(), "system", "twice") == "there is no such way to touch blocks");
}

} // namespace linn::tool::replay_worker_tests
