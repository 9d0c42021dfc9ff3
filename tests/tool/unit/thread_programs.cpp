// SPDX-License-Identifier: Apache-2.0
// The programs of `linn bench threads`: each frees every block once, with the size that it asked for, and does the same work in
// every run. What makes each of them that benchmark is looked at too: its sizes, and who frees whose blocks.
#include "bench/scenario.hpp"
#include "bench/worker/measure.hpp"
#include "bench/worker/threads/threads.hpp"
#include "unit.hpp"

namespace linn::tool::worker::thread_programs_tests {

/// The system gives the identity of a dead thread to the next one; this is nobody else's.
unsigned this_thread_number() {
    static std::atomic<unsigned> numbers{0};
    thread_local const unsigned own = ++numbers;
    return own;
}

/// Knows every block that is out, and who took it.
struct known_memory {
    struct owner {
        std::size_t bytes;
        unsigned thread;
    };
    static inline std::mutex lock;
    static inline std::map<void*, owner> live;
    static inline std::vector<std::size_t> sizes; // of all that were taken
    static inline std::size_t wrong = 0;          // frees of no block, or with another size
    static inline std::size_t foreign = 0;        // frees by another thread

    static void reset() {
        live.clear();
        sizes.clear();
        wrong = foreign = 0;
    }

    static void* take(std::size_t bytes) {
        void* const p = std::malloc(bytes);
        const std::lock_guard guard{lock};
        live[p] = {bytes, this_thread_number()};
        sizes.push_back(bytes);
        return p;
    }

    static void give(void* p, std::size_t bytes) noexcept {
        {
            const std::lock_guard guard{lock};
            const auto found = live.find(p);
            if (found == live.end() || found->second.bytes != bytes) {
                ++wrong;
                return;
            }
            foreign += found->second.thread != this_thread_number() ? 1U : 0U;
            live.erase(found);
        }
        std::free(p);
    }
};

constexpr std::size_t few = 8'192; // operations of a thread

template <class Program>
tally run_known(unsigned threads, std::size_t operations = few) {
    known_memory::reset();
    return Program::template run<known_memory>({threads, operations});
}

double share_of_sizes(std::size_t below) {
    const auto& all = known_memory::sizes;
    return static_cast<double>(
               std::count_if(all.begin(), all.end(), [&](std::size_t n) { return n < below; })) /
           static_cast<double>(all.size());
}

double mean_size() {
    double sum = 0;
    for (const std::size_t n : known_memory::sizes) {
        sum += static_cast<double>(n);
    }
    return sum / static_cast<double>(known_memory::sizes.size());
}

void check_sizes(std::size_t least, std::size_t most) {
    const auto [low, high] = std::minmax_element(known_memory::sizes.begin(), known_memory::sizes.end());
    CHECK(*low >= least);
    CHECK(*high <= most);
}

/// Hands out the same few blocks again and again, as an allocator would that is badly broken.
struct overlapping_memory {
    static inline unsigned char places[3][128 << 10];
    static inline std::size_t next = 0;
    static void* take(std::size_t) { return places[next++ % 3]; }
    static void give(void*, std::size_t) noexcept {}
};

TEST_CASE_TEMPLATE("every block is freed once, with its size, and the work is the same in every run", Program,
                   larson, mstress, rptest, xmalloc_test, sh6bench, sh8bench, alloc_test, cache_scratch,
                   glibc_thread) {
    for (const unsigned threads : {1u, 2u, 4u}) {
        CAPTURE(threads);
        const tally first = run_known<Program>(threads);
        CHECK(known_memory::live.empty());
        CHECK(known_memory::wrong == 0);
        CHECK(first.allocated == known_memory::sizes.size());
        CHECK(first.freed == first.allocated);
        CHECK(first.damaged == 0);
        CHECK(first.operations >= threads * few * 9 / 10);
        CHECK(first.ticks > 0);
        CHECK(first.wall_ns > 0);
        const tally again = run_known<Program>(threads);
        CHECK(again.allocated == first.allocated);
        CHECK(again.bytes == first.bytes);
        CHECK(again.operations == first.operations);
    }
}

// rptest and xmalloc-test keep lists in such blocks.
TEST_CASE_TEMPLATE("two blocks that overlap are noticed", Program, larson, mstress, sh6bench, sh8bench,
                   alloc_test, glibc_thread) {
    CHECK(Program::template run<overlapping_memory>({1, few}).damaged > 0);
}

TEST_CASE("larson: sizes are even, and what a dead thread left is freed by its successor") {
    run_known<larson>(1, 3 * few);
    check_sizes(8, 1'000);
    CHECK(mean_size() == doctest::Approx(504).epsilon(0.03));
    // The main thread made the first blocks, and frees the last.
    const std::size_t one_life = known_memory::foreign;
    CHECK(one_life >= larson::slots);
    known_memory::reset();
    larson::run<known_memory>({1, larson::rounds_of_a_life + 10 * few});
    CHECK(known_memory::foreign > one_life + larson::slots / 2);
}

TEST_CASE("mstress: words, few of them large, and anybody frees") {
    run_known<mstress>(2);
    check_sizes(8, 102'400);
    CHECK(share_of_sizes(1'025) == doctest::Approx(0.99).epsilon(0.01));
    CHECK(known_memory::foreign > 2 * few / 100);
}

TEST_CASE("rptest: the larger the rarer, and a third is freed by others") {
    run_known<rptest>(2, 60'000);
    check_sizes(8, 16'000);
    CHECK(mean_size() == doctest::Approx(8 + 15'992.0 / 3).epsilon(0.03));
    const double foreign =
        static_cast<double>(known_memory::foreign) / static_cast<double>(known_memory::sizes.size());
    CHECK(foreign > 0.28);
    CHECK(foreign < 0.36);
}

TEST_CASE("xmalloc-test: of a pair, the consumer frees all") {
    run_known<xmalloc_test>(2, 8'192);
    CHECK(known_memory::foreign == known_memory::sizes.size());
    CHECK(share_of_sizes(65) == doctest::Approx(1).epsilon(0.001));
    run_known<xmalloc_test>(1, 8'192);
    CHECK(known_memory::foreign == 0);
}

TEST_CASE("sh6bench frees its own, sh8bench lets blocks migrate") {
    run_known<sh6bench>(2);
    CHECK(known_memory::foreign == 0);
    check_sizes(1, 1'000);
    run_known<sh6bench>(1, 200'000);
    CHECK(share_of_sizes(251) == doctest::Approx(0.5).epsilon(0.05));
    run_known<sh8bench>(2, 100'000);
    CHECK(known_memory::foreign > known_memory::sizes.size() / 20);
}

TEST_CASE("alloc-test and glibc-thread: frequency falls with the square of the size, own frees") {
    run_known<alloc_test>(1, 60'000);
    check_sizes(8, 1'024);
    CHECK(share_of_sizes(16) == doctest::Approx(0.5).epsilon(0.03));
    CHECK(share_of_sizes(128) == doctest::Approx(0.945).epsilon(0.02));
    run_known<glibc_thread>(2, 30'000);
    CHECK(known_memory::foreign == 0);
    check_sizes(4, 32'768);
    CHECK(share_of_sizes(8) == doctest::Approx(0.5).epsilon(0.03));
}

TEST_CASE("cache-scratch: the first free of each thread is foreign, no other") {
    run_known<cache_scratch>(4);
    CHECK(known_memory::foreign == 4);
    check_sizes(1, 1);
}

TEST_CASE("the first integers are those of the published generator") {
    // The first outputs of mt19937(5489); over all of int the distribution shifts them by 2^31.
    constexpr std::uint32_t golden[] = {3'499'211'612u, 581'869'302u, 3'890'346'734u, 3'586'334'585u,
                                        545'404'204u};
    published_integers generate;
    for (const std::uint32_t raw : golden) {
        CHECK(generate() == static_cast<std::int32_t>(static_cast<std::int64_t>(raw) - 2'147'483'648));
    }
}

TEST_CASE("thread counts double up to twice the processors") {
    CHECK(thread_counts(1) == std::vector<unsigned>{1, 2});
    CHECK(thread_counts(2) == std::vector<unsigned>{1, 2, 4});
    CHECK(thread_counts(3) == std::vector<unsigned>{1, 2, 4});
    CHECK(thread_counts(64).back() == 128);
}

tally ten_operations() {
    tally t;
    t.allocated = t.freed = t.operations = 10;
    t.ticks = t.wall_ns = 1'000;
    t.cpu_ns = 10'000;
    return t;
}

const options none{};

TEST_CASE("a program is believed only when its blocks are whole and all freed") {
    const outcome good = measure_program(none, 1, [](const work_plan&) { return ten_operations(); });
    CHECK(good.error.empty());
    CHECK(good.waits);
    CHECK(good.peak_rss_bytes > 0);
    REQUIRE(!good.phases.empty());
    CHECK(good.phases.front().name == "1");
    CHECK(good.phases.front().cycles_per_operation == doctest::Approx(100));
    CHECK(good.work_check == 10 * good.phases.size());
    const auto leaking = [](const work_plan&) {
        tally t = ten_operations();
        t.freed = 9;
        return t;
    };
    CHECK(measure_program(none, 1, leaking).error == "10 blocks were allocated, but 9 freed");
    const auto damaging = [](const work_plan&) {
        tally t = ten_operations();
        t.damaged = 1;
        return t;
    };
    CHECK(measure_program(none, 1, damaging).error == "1 blocks no longer held what was written");
    const auto failing = [](const work_plan&) -> tally { throw std::runtime_error{"no"}; };
    CHECK(measure_program(none, 1, failing).error == "it ended before its time");
}

} // namespace linn::tool::worker::thread_programs_tests
