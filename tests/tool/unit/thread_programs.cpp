// SPDX-License-Identifier: Apache-2.0
// The programs of `linn bench threads`: each frees every block once, with the size that it asked for, and does the same work in
// every run. What makes each of them that benchmark is looked at too: its sizes, and who frees whose blocks.
#include "bench/scenario.hpp"
#include "bench/worker/programs.hpp"
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

/// What makes a program that benchmark: its sizes, how many of them are below one, and how many blocks another thread frees.
struct traits {
    std::string_view name;
    tally (*run)(const work_plan&);
    work_plan plan;
    std::size_t least;
    std::size_t most;
    std::size_t below;
    double share;       ///< of the sizes, below that
    double foreign_low; ///< of the frees
    double foreign_high;
};

template <class Program>
constexpr auto known = &Program::template run<known_memory>;

TEST_CASE("each program has the sizes and the foreign frees of that benchmark") {
    const traits all[] = {
        {"larson", known<larson>, {1, 3 * few}, 8, 1'000, 504, 0.5, 0, 1}, // even
        {"mstress", known<mstress>, {2, few}, 8, 102'400, 1'025, 0.99, 0.005, 1},
        {"rptest", known<rptest>, {2, 60'000}, 8, 16'000, 4'692, 0.5, 0.28, 0.36}, // the larger the rarer
        {"xmalloc-test", known<xmalloc_test>, {2, few}, 1, 100'000, 65, 1, 1, 1},  // the consumer frees all
        {"xmalloc-test", known<xmalloc_test>, {1, few}, 1, 100'000, 65, 1, 0, 0},
        {"sh6bench", known<sh6bench>, {2, 200'000}, 1, 1'000, 251, 0.5, 0, 0},
        {"sh8bench", known<sh8bench>, {2, 100'000}, 1, 1'000, 251, 0.5, 0.05, 1}, // blocks migrate
        {"alloc-test", known<alloc_test>, {1, 60'000}, 8, 1'024, 16, 0.5, 0, 0},  // by the square of the size
        {"alloc-test", known<alloc_test>, {1, 60'000}, 8, 1'024, 128, 0.945, 0, 0},
        {"cache-scratch",
         known<cache_scratch>,
         {4, few},
         1,
         1,
         2,
         1,
         1e-9,
         0.01}, // the first free of each thread
        {"glibc-thread", known<glibc_thread>, {2, 30'000}, 4, 32'768, 8, 0.5, 0, 0},
    };
    for (const traits& t : all) {
        CAPTURE(t.name);
        CAPTURE(t.below);
        known_memory::reset();
        t.run(t.plan);
        const auto& sizes = known_memory::sizes;
        const auto count = static_cast<double>(sizes.size());
        const auto [low, high] = std::minmax_element(sizes.begin(), sizes.end());
        CHECK(*low >= t.least);
        CHECK(*high <= t.most);
        const auto small = std::ranges::count_if(sizes, [&](std::size_t n) { return n < t.below; });
        CHECK(static_cast<double>(small) / count == doctest::Approx(t.share).epsilon(0.04));
        const double foreign = static_cast<double>(known_memory::foreign) / count;
        CHECK(foreign >= t.foreign_low);
        CHECK(foreign <= t.foreign_high);
    }
}

TEST_CASE("larson: what a dead thread left is freed by its successor") {
    run_known<larson>(1, 3 * few);
    // The main thread made the first blocks, and frees the last.
    const std::size_t one_life = known_memory::foreign;
    CHECK(one_life >= larson::slots);
    run_known<larson>(1, larson::rounds_of_a_life + 10 * few);
    CHECK(known_memory::foreign > one_life + larson::slots / 2);
}

TEST_CASE("the first integers are those of the published generator") {
    // The first outputs of mt19937(5489); over all of int the distribution shifts them by 2^31.
    constexpr std::uint32_t golden[] = {3'499'211'612u, 581'869'302u, 3'890'346'734u, 3'586'334'585u,
                                        545'404'204u};
    mapped_array<int> values{std::size(golden)};
    fill_with_published_integers(values);
    for (std::size_t i = 0; i != values.size(); ++i) {
        CHECK(values[i] == static_cast<std::int32_t>(static_cast<std::int64_t>(golden[i]) - 2'147'483'648));
    }
}

tally ten_operations(std::size_t freed = 10, std::size_t damaged = 0) {
    tally t;
    t.allocated = t.operations = 10;
    t.freed = freed;
    t.damaged = damaged;
    t.ticks = 1'000;
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
    const auto error_of = [](program broken) { return measure_program(none, 1, broken).error; };
    CHECK(error_of([](const work_plan&) { return ten_operations(9); }) ==
          "10 blocks were allocated, but 9 freed");
    CHECK(error_of([](const work_plan&) { return ten_operations(10, 1); }) ==
          "1 blocks no longer held what was written");
    CHECK(error_of([](const work_plan&) -> tally { throw std::runtime_error{"no"}; }) ==
          "it ended before its time");
}

} // namespace linn::tool::worker::thread_programs_tests
