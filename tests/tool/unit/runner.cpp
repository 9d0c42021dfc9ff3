// SPDX-License-Identifier: Apache-2.0
// What `linn run` makes of its rounds, in a world of its own: the clock is ours, and so is what every run takes.
#include "run/runner.hpp"

#include "unit.hpp"

namespace linn::tool::runner_tests {

constexpr const char* libc = "/lib/libc.so.6";

/// A machine where runs of the default take a second, and those on the libraries as long as a test says.
struct fake_world {
    std::vector<std::pair<std::string, double>> allocators{{"fast", 0.5}, {"slow", 2.0}};
    double jitter = 0;    ///< share by which every other run takes longer
    std::string crashing; ///< an allocator under which the program crashes
    std::string next;     ///< what gets the calls that a preloaded library passes on

    double clock = 0;
    std::size_t launches = 0;
    std::vector<std::string> libraries; ///< as launched, by name

    static std::string path_of(const std::string& name) { return "/lib/" + name + ".so"; }

    static observation observe(const std::string& library, double seconds) {
        observation o;
        o.how = observation::ending::exited;
        for (const char* name : {"user_ns", "sys_ns", "minor_faults", "voluntary_switches"}) {
            o.values[name] = 1000;
        }
        o.values["wall_ns"] = seconds * 1e9;
        o.values["peak_rss_bytes"] = 1e6;
        process_proof p;
        p.is_main = true;
        p.executable = "/bin/program";
        p.files = {{"malloc", library.empty() ? libc : library}, {"free", library.empty() ? libc : library}};
        p.preload_mapped = !library.empty();
        o.proofs.push_back(p);
        return o;
    }

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
        observation o = observe(spec.library.string(), seconds);
        o.proofs.back().next_malloc = next;
        if (!name.empty() && name == crashing) {
            o.how = observation::ending::signalled;
            o.code = 11;
        }
        return o;
    }

    run_result run(const run_options& options) {
        run_world world;
        world.find_target = [](const launch_spec&) {
            target t;
            t.command = {"program"};
            t.own_provider = libc;
            t.first = observe("", 1);
            return t;
        };
        world.take_inventory = [this] {
            std::vector<allocator_entry> list;
            for (const auto& [name, takes] : allocators) {
                allocator_entry e;
                e.name = e.title = name;
                e.library = path_of(name);
                e.state = library_state::usable;
                list.push_back(e);
            }
            return list;
        };
        world.launch = [this](const launch_spec& spec) { return launch(spec); };
        world.prepare = [](const std::string&) { return std::string{}; };
        world.inspect = [] { return machine_info{}; };
        world.canary = [] { return 1.0; };
        world.touch_memory = [](std::size_t) {};
        world.now = [this] { return std::chrono::duration<double>{clock}; };
        world.interrupted = [] { return 0; };
        return run_program(options, world, [](const work_progress&) {}, [](const std::string&) {});
    }
};

run_options options_for(const fake_world& world) {
    run_options o;
    for (const auto& [name, takes] : world.allocators) {
        o.only.push_back(name);
    }
    for (const auto& [name, takes] : world.allocators) {
        o.allocators.emplace_back(name, fake_world::path_of(name));
    }
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
    CHECK(result.left_out.front().reason ==
          "no time for it in the budget of 45 s: to compare 12 allocators takes about 2 min");
    CHECK(std::ranges::count(world.libraries, "d") == 0);
    CHECK(result.verdict.find("too few") == std::string::npos);
    for (const run_row& row : result.rows) {
        CHECK(row.samples.size() == result.complete_rounds);
        if (const estimate* e = row.find_estimate("wall_ns"); e != nullptr && !row.contender.is_own()) {
            CHECK(e->call == verdict::no_difference);
        }
    }
}

TEST_CASE("where the others turn out slower than the first run, more are left out, and the budget is kept") {
    fake_world world = world_of_twelve();
    for (auto& [name, takes] : world.allocators) {
        takes = 3;
    }
    run_options options = options_for(world);
    options.budget = std::chrono::seconds{60};
    const run_result result = world.run(options);
    CHECK(result.seconds <= 60);
    CHECK(result.rows.size() < 2 + 4); // as many would fit if all were as fast as the first
    CHECK(result.verdict.find("too few") == std::string::npos);
}

TEST_CASE("a budget that is too small to compare one allocator says so before it starts") {
    fake_world world;
    run_options options = options_for(world);
    options.budget = std::chrono::seconds{17};
    const run_result result = world.run(options);
    CHECK(world.launches == 0);
    CHECK(result.stopped == stop_reason::budget);
    CHECK(result.problem ==
          "the budget of 17 s is too small: to compare one allocator takes 18 runs of about "
          "1.0 s each, 18 s in all");
    options.budget = std::chrono::seconds{18};
    CHECK(world.run(options).problem.empty());
}

TEST_CASE("what has had all of its rounds leaves the rest of the budget to the others") {
    fake_world world;
    world.jitter = 0.3;
    run_options o = options_for(world);
    o.rounds_of_allocators = 3;
    o.budget = std::chrono::seconds{200};
    run_contender& given = o.given.emplace_back();
    given.name = given.title = "given";
    given.library = fake_world::path_of("given");
    const run_result r = world.run(o);
    CHECK(samples_of(r, "fast") == 3);
    CHECK(samples_of(r, "slow") == 3);
    CHECK(r.complete_rounds > 40); // of 3 to 4 s, not 6.5
    for (const char* name : {"default", "default-again", "given"}) {
        CHECK(samples_of(r, name) == r.complete_rounds);
    }
    CHECK(r.find("fast")->find_estimate("cpu_ns") != nullptr);
}

TEST_CASE("an allocator under which the program crashes is given up at once, and the others go on") {
    fake_world world;
    world.crashing = "slow";
    run_options options = options_for(world);
    options.rounds = 5;
    const run_result result = world.run(options);
    CHECK(result.find("slow")->failure == "killed by SIGSEGV");
    CHECK(samples_of(result, "slow") == 0);
    CHECK(samples_of(result, "fast") == 5);
    CHECK(samples_of(result, default_name) == 5);
    CHECK(std::count(world.libraries.begin(), world.libraries.end(), "slow") == 1);
    CHECK(result.problem.empty());
}

TEST_CASE("a library in front of an allocator counts where that gets what is passed on") {
    fake_world world;
    run_options options = options_for(world);
    options.rounds = 2;
    run_contender both;
    both.name = both.title = "both";
    both.library = fake_world::path_of("pools");
    both.behind = fake_world::path_of("fast");
    options.given = {both};
    world.next = both.behind.string();
    CHECK(samples_of(world.run(options), "both") == 2);
    world.next = libc;
    const run_result other = world.run(options);
    CHECK(other.find("both") == nullptr);
    REQUIRE(!other.left_out.empty());
    CHECK(other.left_out.back().reason ==
          "the preload did not take effect: malloc behind pools.so is provided by /lib/libc.so.6");
}

} // namespace linn::tool::runner_tests
