// SPDX-License-Identifier: Apache-2.0
// What `linn run` makes of its rounds, in a world of its own: the clock is ours, and so is what every run takes.
#include "made_world.hpp"
#include "run/run.hpp"
#include "unit.hpp"

namespace linn::tool::runner_tests {

using testing::made_libc;
using testing::made_path;

/// A machine where runs of the default take a second, and those on the libraries as long as a test says.
struct fake_world {
    std::vector<std::pair<std::string, double>> allocators{{"fast", 0.5}, {"slow", 2.0}};
    double jitter = 0; ///< share by which every other run takes longer
    double search = 0; ///< seconds that looking at the machine takes
    std::string next;  ///< what gets the calls that a preloaded library passes on

    double clock = 0;
    std::size_t launches = 0;
    std::vector<std::string> libraries; ///< as launched, by name

    observation launch(const launch_spec& spec) {
        ++launches;
        const std::string name = spec.library.stem().string();
        libraries.push_back(name);
        double seconds = 1;
        for (const auto& [allocator, takes] : allocators) {
            if (allocator == name) {
                seconds = takes;
            }
        }
        seconds *= launches % 2 == 0 ? 1 + jitter : 1;
        clock += seconds;
        observation o = testing::made_run(spec.library, seconds);
        o.proofs.back().next_malloc = next;
        return o;
    }

    std::vector<std::string> names() const {
        std::vector<std::string> list;
        for (const auto& [name, takes] : allocators) {
            list.push_back(name);
        }
        return list;
    }

    run_result run(const run_options& options) {
        run_world world =
            testing::made_world(names(), clock, [this](const launch_spec& spec) { return launch(spec); });
        world.inspect = [this] {
            clock += search;
            return machine_info{};
        };
        return run_program(options, world, [](const work_progress&) {}, [](const std::string&) {});
    }
};

run_options options_for(const fake_world& world) {
    run_options o = testing::options_for(world.names());
    o.seed = 7;
    o.budget = std::chrono::seconds{10'000};
    return o;
}

std::size_t samples_of(const run_result& result, const char* name) {
    const run_row* const row = result.find(name);
    return row == nullptr ? 0 : row->samples.size();
}

TEST_CASE("it ends after the least rounds when the figures are exact, and says what they show") {
    fake_world world;
    const run_result result = world.run(options_for(world));
    CHECK(result.stopped == stop_reason::precise);
    CHECK(result.complete_rounds == 10);
    CHECK(world.launches == 4 * 11); // with a warm-up
    CHECK(result.find("fast")->estimates.at("wall_ns").call == verdict::better);
    CHECK(result.find("slow")->estimates.at("wall_ns").call == verdict::worse);
    CHECK(result.find("fast")->estimates.at("wall_ns").ratio == doctest::Approx(0.5));
    CHECK(result.complete());
}

/// Twelve allocators under which a run takes a second.
fake_world world_of_twelve() {
    fake_world world;
    world.allocators.clear();
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}) {
        world.allocators.emplace_back(name, 1);
    }
    return world;
}

TEST_CASE("what a budget has no time to judge is left out before it runs, and named") {
    fake_world world = world_of_twelve();
    run_options options = options_for(world);
    options.budget = std::chrono::seconds{45};
    const run_result result = world.run(options);
    CHECK(result.seconds <= 45);
    CHECK(result.rows.size() == 2 + 3); // 5 contenders and 7 rounds take 35 s; 6 and 8 would take 48
    CHECK(result.complete_rounds >= 7);
    CHECK(result.left_out.size() == 9);
    CHECK(result.left_out.front().name == "d"); // the last of --only go first
    CHECK(std::ranges::count(world.libraries, "d") == 0);
    for (const run_row& row : result.rows) {
        CHECK(row.samples.size() == result.complete_rounds);
        if (const estimate* e = row.find_estimate("wall_ns"); e != nullptr && !row.contender.is_own()) {
            CHECK(e->call == verdict::no_difference);
        }
    }
}

TEST_CASE("the budget that is advised after too few rounds is one that suffices") {
    fake_world world;
    world.allocators = {{"slow", 5}};
    world.search = 41;
    run_options options = options_for(world);
    options.budget = std::chrono::seconds{60};
    const std::string verdict = world.run(options).verdict;
    const std::size_t place = verdict.find("--budget ");
    REQUIRE_MESSAGE(place != std::string::npos, verdict);
    options.budget = std::chrono::seconds{std::stoi(verdict.substr(place + 9))};
    CHECK(options.budget.count() > 60);
    CHECK(world.run(options).find("slow")->estimates.at("wall_ns").call == verdict::worse);
}

TEST_CASE("what has had all of its rounds leaves the rest of the budget to the others") {
    fake_world world;
    world.jitter = 0.3;
    run_options o = options_for(world);
    o.rounds_of_allocators = 3;
    o.budget = std::chrono::seconds{200};
    run_contender& given = o.given.emplace_back();
    given.name = given.title = "given";
    given.library = made_path("given");
    const run_result r = world.run(o);
    CHECK(samples_of(r, "fast") == 3);
    CHECK(samples_of(r, "slow") == 3);
    CHECK(r.complete_rounds > 40); // of 3 to 4 s, not 6.5
    for (const char* name : {"default", "default-again", "given"}) {
        CHECK(samples_of(r, name) == r.complete_rounds);
    }
    CHECK(r.find("fast")->find_estimate("cpu_ns") != nullptr);
}

TEST_CASE("a library in front of an allocator counts where that gets what is passed on") {
    fake_world world;
    run_options options = options_for(world);
    options.rounds = 2;
    run_contender both;
    both.name = both.title = "both";
    both.library = made_path("pools");
    both.behind = made_path("fast");
    options.given = {both};
    world.next = both.behind.string();
    CHECK(samples_of(world.run(options), "both") == 2);
    world.next = made_libc;
    const run_result other = world.run(options);
    CHECK(other.find("both") == nullptr);
    REQUIRE(!other.left_out.empty());
    CHECK(other.left_out.back().reason ==
          "the preload did not take effect: malloc behind pools.so is provided by /lib/libc.so.6");
}

} // namespace linn::tool::runner_tests
