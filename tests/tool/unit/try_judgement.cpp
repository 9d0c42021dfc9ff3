// SPDX-License-Identifier: Apache-2.0
// Whether `linn try` tells the truth about programs whose gain is known, on simulated machines that are disturbed.
#include "made_world.hpp"
#include "report/commands/reports.hpp"
#include "run/run.hpp"
#include "scratch_folder.hpp"
#include "simulated_machine.hpp"
#include "trace_of_types.hpp"
#include "try/trial.hpp"
#include "unit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace linn::tool::try_judgement_tests {

using testing::machine;

/// A program, and what arms save of it: 0.1 is 10 %. What is not named saves nothing.
struct program_model {
    std::map<std::string, double> gains;
    double sigma = 0.02;    ///< of a run, as a logarithm
    double outliers = 0.05; ///< share of the runs

    double factor_of(const std::string& arm) const {
        const auto known = gains.find(arm);
        return known == gains.end() ? 1 : 1 - known->second;
    }

    run_result measure(const std::vector<std::string>& arms, std::size_t rounds, std::uint64_t seed) const {
        run_result result;
        result.options.seed = seed;
        std::vector<std::string> names{default_name, default_again_name};
        names.insert(names.end(), arms.begin(), arms.end());
        for (const std::string& name : names) {
            result.rows.emplace_back().contender.name = name;
        }
        machine here{seed, sigma, outliers};
        for (std::size_t round = 0; round != rounds; ++round) {
            for (const cell& c : make_plan(names.size(), 1, seed * 1000 + round)) {
                run_sample s;
                s.round = round;
                s.values[cpu_metric] = 1e8 * factor_of(names[c.job]) * std::exp(here.next());
                result.rows[c.job].samples.push_back(s);
            }
        }
        result.complete_rounds = rounds;
        judge(result);
        return result;
    }
};

const std::vector<std::string> forms{"types", "by-size", "every"};

TEST_CASE("the interval of the best form holds its true gain, though it was selected") {
    const std::vector<program_model> models{
        {{}},                                                            // no form gains anything
        {{{"types", 0.1}, {"by-size", 0.1}, {"every", 0.1}}},            // all alike
        {{{"types", 0.05}, {"by-size", 0.06}, {"every", 0.055}}},        // nearly
        {{{"types", 0.02}, {"by-size", 0.15}, {"every", 0.3}}},          // one is clearly best
        {{{"types", 0.1}, {"by-size", 0.1}, {"every", 0.1}}, 0.08, 0.2}, // a busy machine
    };
    for (const program_model& model : models) {
        for (const std::size_t rounds : {std::size_t{9}, std::size_t{40}}) {
            constexpr std::size_t trials = 300;
            std::size_t covered = 0;
            double error = 0;
            for (std::uint64_t seed = 1; seed <= trials; ++seed) {
                const try_judgement j = judge_decision(model.measure(forms, rounds, seed), forms);
                const double truth = 1 - model.factor_of(j.pools->name);
                covered += j.pools->saved.low <= truth && truth <= j.pools->saved.high ? 1U : 0U;
                error += (j.pools->saved.middle - truth) / trials;
            }
            CAPTURE(rounds);
            CAPTURE(model.sigma);
            CAPTURE(model.factor_of("types"));
            CHECK(covered >= trials * 9 / 10);
            CHECK(std::abs(error) < model.sigma / 10); // selection does not flatter
        }
    }
}

TEST_CASE("a clear gain is a yes with every seed, none is never a yes, and a gain is never a no") {
    struct known_program {
        program_model model;
        std::set<pool_answer> allowed;
    };
    const std::vector<known_program> programs{
        {{{{"types", 0.12}, {"by-size", 0.15}, {"every", 0.1}}}, {pool_answer::yes}},
        {{{{"types", 0.08}, {"by-size", -0.05}, {"every", -0.1}}}, {pool_answer::yes}},
        {{{{"types", -0.04}, {"by-size", -0.03}, {"every", -0.02}}}, {pool_answer::no}},
        {{{}, 0.01}, {pool_answer::no}},
        {{{{"types", 0.04}, {"by-size", 0.04}, {"every", 0.04}}, 0.1, 0.2},
         {pool_answer::yes, pool_answer::not_known}},
        {{{}, 0.1, 0.2}, {pool_answer::no, pool_answer::not_known}},
    };
    for (const known_program& p : programs) {
        std::size_t wrong = 0;
        for (std::uint64_t seed = 1; seed <= 100; ++seed) {
            const try_judgement j = judge_decision(p.model.measure(forms, 40, seed), forms);
            wrong += p.allowed.contains(j.answer) ? 0U : 1U;
        }
        CAPTURE(p.model.factor_of("types"));
        CAPTURE(p.model.sigma);
        CHECK(wrong <= 2); // intervals at 95 %
    }
}

/// A program and its machine for a whole trial: the clock goes on by what runs take.
struct trial_world {
    program_model model;
    double seconds_a_run = 0.2;
    std::vector<std::string> allocators;
    std::string breaking; ///< with a plan that has this pool the program crashes
    std::uint64_t seed = 1;
    std::size_t types = 10;
    double seconds_before = 0; ///< that the trace took

    double clock = 0;
    std::vector<std::string> notices;
    machine here{1, 0, 0};

    static std::string variable(const launch_spec& spec, const std::string& name) {
        for (const std::string& entry : spec.environment) {
            if (entry.starts_with(name + '=')) {
                return entry.substr(name.size() + 1);
            }
        }
        return {};
    }

    std::string arm_of(const launch_spec& spec) const {
        const std::string plan = variable(spec, "LINN_PLAN");
        return plan.empty() ? spec.library.stem().string() : std::filesystem::path{plan}.stem().string();
    }

    observation launch(const launch_spec& spec) {
        const std::string arm = arm_of(spec);
        const double seconds = seconds_a_run * model.factor_of(arm) * std::exp(here.next());
        clock += seconds;
        observation o = testing::made_run(spec.library, seconds);
        o.proofs.back().next_malloc = spec.behind.empty() ? testing::made_libc : spec.behind.string();
        // The file that the preloaded library reads holds the names of its pools.
        if (const std::string plan = variable(spec, "LINN_PLAN"); !breaking.empty() && !plan.empty()) {
            std::ifstream in{plan, std::ios::binary};
            const std::string bytes{std::istreambuf_iterator<char>{in}, {}};
            if (bytes.find(breaking) != std::string::npos) {
                o.how = observation::ending::signalled;
                o.code = 6;
            }
        }
        return o;
    }

    try_candidates candidates() const {
        try_candidates all;
        all.seconds = seconds_before;
        all.modules = {{"shop", {1, 2}}};
        for (std::size_t i = 0; i != types; ++i) {
            try_candidate c =
                testing::made_candidate("type" + std::to_string(i), i % 2 == 0 ? 48 : 64, 0x1000 + i);
            c.share = 1.0 / static_cast<double>(types);
            all.list.push_back(std::move(c));
        }
        return all;
    }

    try_result run(long budget_seconds, std::size_t rounds = 0, double precision = 0.0025) {
        here = machine{seed, model.sigma, model.outliers};
        run_world world =
            testing::made_world(allocators, clock, [this](const launch_spec& spec) { return launch(spec); });
        world.find_target = [this, find = world.find_target](const launch_spec& options) {
            target t = find(options);
            t.first = launch({});
            return t;
        };
        run_options o = testing::options_for(allocators);
        if (o.only.empty()) {
            o.only = {default_name};
        }
        o.seed = seed;
        o.rounds = rounds;
        o.precision = precision;
        o.budget = std::chrono::seconds{budget_seconds};
        return try_pools(
            o, candidates(), world, "/lib/liblinn-try.so", [](const work_progress&) {},
            [](const std::string&) {}, [this](const std::string& text) { notices.push_back(text); });
    }
};

std::size_t samples_of(const run_result& run, std::string_view name) {
    const run_row* const row = run.find(name);
    return row == nullptr ? 0 : row->samples.size();
}

TEST_CASE("five seeds, one answer, and intervals that agree with the truth") {
    trial_world world;
    world.model = {{{"types", 0.06}, {"by-size", 0.11}, {"every", 0.08}, {"chosen", 0.11}}, 0.03};
    world.allocators = {"fast", "slow"};
    world.model.gains["fast"] = 0.2;
    std::size_t covered = 0;
    for (world.seed = 1; world.seed <= 5; ++world.seed) {
        world.clock = 0;
        const try_result result = world.run(90);
        REQUIRE(result.problem.empty());
        CHECK(result.judged.answer == pool_answer::yes);
        CHECK(result.judged.pools->name == "by-size");
        CHECK(result.judged.allocator->name == "fast");
        covered +=
            result.judged.pools->saved.low <= 0.11 && 0.11 <= result.judged.pools->saved.high ? 1U : 0U;
        CHECK(world.clock < 95);
        CHECK(samples_of(result.explaining, "chosen") > 0); // the rest of the budget explains the answer
        CHECK(samples_of(result.explaining, "over") > 0);
        CHECK(samples_of(result.deciding, "fast") <= rounds_to_compare);
        CHECK(samples_of(result.deciding, "by-size") > samples_of(result.deciding, "fast"));
        CHECK(result.plan_arm == "by-size");
        CHECK(result.plan.pools.size() == 2);
    }
    CHECK(covered >= 4);
}

TEST_CASE("while the answer is open, the rounds go there, and what explains has none") {
    trial_world world;
    world.model = {{{"types", 0.021}, {"by-size", 0.021}, {"every", 0.021}}, 0.05};
    const try_result result = world.run(90);
    CHECK(result.judged.answer == pool_answer::not_known);
    CHECK(result.judged.open == open_question::too_wide);
    CHECK(result.explaining.rows.empty());
    CHECK(samples_of(result.deciding, "types") >= 60);
    CHECK(samples_of(world.run(90, 0, 0.1).deciding, "types") == rounds_to_decide);
}

TEST_CASE("a budget that cannot decide says so before anything is measured, and another does not") {
    trial_world world;
    world.model.gains = {{"types", 0.1}, {"by-size", 0.1}, {"every", 0.1}};
    world.seconds_a_run = 5;
    const try_result none = world.run(60); // three rounds of four arms
    CHECK(world.notices == std::vector<std::string>{forecast_of(none.decision)});
    CHECK(none.judged.answer == pool_answer::not_known);
    CHECK(none.judged.open == open_question::too_few_rounds);
    CHECK(none.explaining.rows.empty());
    CHECK(forecast_of(world.run(600).decision).empty());

    // A smaller plan is kept where it decides: every budget that has no forecast gives an interval.
    for (double seconds = 0.05; seconds < 20; seconds *= 1.3) {
        CAPTURE(seconds);
        const trial_plan plan = plan_decision({true, true, 4, seconds, 180});
        CHECK(plan.can_decide() == forecast_of(plan).empty());
        CHECK((plan.can_decide() || plan.arms() == 4));
        CHECK(plan.has_sizes);
    }
    CHECK(plan_decision({true, true, 9, 0.1, 180}).allocators == most_allocators);
}

TEST_CASE("the budget covers what the trace took") {
    trial_world world;
    world.model.gains = {{"types", 0.1}, {"by-size", 0.1}, {"every", 0.1}};
    world.seconds_before = 60;
    CHECK(world.run(90).judged.answer == pool_answer::yes);
    CHECK(world.clock < 32);
    world.seconds_before = 90;
    const std::string forecast = forecast_of(world.run(90).decision);
    CHECK_MESSAGE(forecast.find("--budget 1") != forecast.npos, forecast); // 100 or more
}

TEST_CASE("a budget that the report asks for is larger than the one that it had, and large enough") {
    trial_world world;
    world.model = {{{"types", 0.06}, {"by-size", 0.11}, {"every", 0.08}, {"chosen", 0.11}}, 0.03};
    world.allocators = {"a", "b", "c", "d", "e", "f"};
    world.types = 19;
    std::size_t asked = 0;
    for (long budget = 2; budget < 120; budget += 3) {
        world.clock = 0;
        world.breaking = budget % 2 == 0 ? "" : "type1"; // to find the ten takes a part of the budget
        const try_result result = world.run(budget);
        const std::string text =
            fmt::format("{} {}", report::try_verdict(result), fmt::join(report::try_findings(result), " "));
        for (std::size_t at = text.find("--budget "); at != text.npos; at = text.find("--budget ", at + 1)) {
            const long wanted = std::strtol(text.c_str() + at + 9, nullptr, 10); // 0: no figure
            asked += wanted != 0 ? 1U : 0U;
            CHECK_MESSAGE((wanted == 0 || wanted > budget), text);
            if (wanted != 0 && result.judged.open == open_question::too_few_rounds) {
                world.clock = 0;
                CHECK_MESSAGE(world.run(wanted).judged.open != open_question::too_few_rounds, text);
            }
        }
    }
    CHECK(asked > 5);
}

TEST_CASE("pools with which the program does not work are found and left out; the others decide") {
    trial_world world;
    world.model = {{{"types", 0.1}, {"by-size", 0.1}, {"every", 0.1}, {"chosen", 0.1}}};
    world.breaking = "type3";
    const try_result result = world.run(90);
    CHECK(result.judged.answer == pool_answer::yes);
    CHECK(result.candidates.list.size() == 9);
    REQUIRE(result.candidates.left_out.size() == 1);
    CHECK(result.candidates.left_out[0].type == "type3");
    CHECK(result.candidates.left_out[0].reason.find("SIGABRT") != std::string::npos);

    world.types = 1;
    world.breaking = "type0";
    const try_result none = world.run(90);
    CHECK(none.judged.answer == pool_answer::not_known);
    CHECK(none.judged.open == open_question::does_not_work);
    CHECK(none.deciding.rows.empty());
}

TEST_CASE("a part that gains where all together do not is found, and it is no \"no\"") {
    trial_world world;
    world.model = {{{"types", -0.05},
                    {"by-size", -0.05},
                    {"every", -0.06},
                    {"chosen", -0.05},
                    {"alone-1", 0.1},
                    {"without-1", -0.15}},
                   0.01};
    const try_result result = world.run(180);
    REQUIRE(result.judged.better);
    CHECK(result.judged.better->name == "alone-1");
    CHECK(result.judged.answer == pool_answer::yes);
    CHECK(result.judged.is_of_better);
    CHECK(result.judged.pools->saved.low <= 0.1);
    CHECK(result.judged.pools->saved.high >= 0.1);
    CHECK(result.plan.pools.size() == 1);
    CHECK(result.decisive() == result.explaining.find("alone-1"));
}

TEST_CASE("a short screening of many allocators names those that decide") {
    trial_world world;
    world.allocators = {"a", "b", "c", "d", "e", "f"};
    world.model = {{{"d", 0.1}, {"e", 0.12}, {"f", 0.2}, {"b", 0.08}}, 0.005};
    const try_result result = world.run(180);
    CHECK(result.screening.complete_rounds > 0);
    for (const char* name : {"b", "d", "e", "f"}) {
        CHECK_MESSAGE(result.deciding.find(name) != nullptr, name);
    }
    CHECK(result.deciding.find("a") == nullptr);
    CHECK(result.judged.allocator->name == "f");
}

TEST_CASE("a saving that the test cannot tell from none yet is no saving in any sentence") {
    trial_world world;
    world.model = {{{"types", 0.3}, {"by-size", 0.3}, {"every", 0.3}}, 0.005};
    const try_result few = world.run(1, 7); // four rows are compared: eight rounds are needed
    CHECK(few.judged.answer == pool_answer::not_known);
    CHECK(few.judged.open == open_question::too_few_rounds);
    for (const std::string& finding : report::try_findings(few)) {
        CHECK_MESSAGE(finding.find(" saves ") == std::string::npos, finding);
    }
    CHECK(world.run(1, 8).judged.answer == pool_answer::yes);
}

} // namespace linn::tool::try_judgement_tests
