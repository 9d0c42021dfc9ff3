// SPDX-License-Identifier: Apache-2.0
// The judgement of `linn run` on simulated machines: how often it claims what is not there, and whether it finds what
// is. No clock takes part.
#include "experiment/rounds.hpp"
#include "made_result.hpp"
#include "measure/statistics.hpp"
#include "run/run.hpp"
#include "simulated_machine.hpp"
#include "unit.hpp"

namespace linn::tool::judge_tests {

using testing::machine;
using testing::noise_source;

struct simulation {
    std::size_t contenders = 12;
    std::size_t rounds = 10;      ///< or the least number, when `precision` is not 0
    std::size_t most_rounds = 10; ///< when adaptive
    double precision = 0;
    double sigma = 0.01;
    double outliers = 0.05; ///< share of the runs
    double effect = 0;      ///< of the first contender, as a logarithm
    double cpu_sigma = 0;   ///< of CPU time; 0: it is not measured
    double cpu_effect = 0;  ///< of the first contender

    run_result operator()(std::uint64_t seed) const {
        run_result result;
        result.options.seed = seed;
        for (std::size_t i = 0; i != contenders + 2; ++i) {
            run_row row;
            row.contender.name = i == 0   ? default_name
                                 : i == 1 ? default_again_name
                                          : "contender " + std::to_string(i - 1);
            result.rows.push_back(row);
        }
        machine here{seed, sigma, outliers};
        noise_source other{seed + 1};
        const std::size_t most = precision == 0 ? rounds : most_rounds;
        const std::vector<cell> plan = make_plan(contenders + 2, most, seed);
        for (std::size_t i = 0; i != plan.size(); ++i) {
            const double own = plan[i].job == 2 ? effect : 0;
            const double wall = 5e8 * std::exp(here.next() + own);
            run_sample s;
            s.round = plan[i].round;
            s.values["wall_ns"] = wall;
            if (cpu_sigma > 0) {
                s.values["cpu_ns"] =
                    4e8 * std::exp(cpu_sigma * other.normal() + (plan[i].job == 2 ? cpu_effect : 0));
            }
            // Only a few sizes, so many ties: memory comes in steps.
            s.values["peak_rss_bytes"] = 5e7 + 4096 * std::round(3 * other.normal());
            s.values["voluntary_switches"] = std::floor(4 * -std::log(other.uniform()));
            result.rows[plan[i].job].samples.push_back(s);
            const bool ends_round = i + 1 == plan.size() || plan[i + 1].round != s.round;
            if (precision != 0 && ends_round && s.round + 1 >= rounds &&
                worst_precision(result) <= precision) {
                break;
            }
        }
        result.complete_rounds = result.rows.back().samples.size();
        judge(result);
        return result;
    }
};

bool any_claim(const run_result& result) {
    for (const run_row& row : result.rows) {
        for (const auto& [metric, e] : row.estimates) {
            if (e.is_different()) {
                return true;
            }
        }
    }
    return false;
}

double share_of(std::size_t trials, const std::function<bool(std::uint64_t)>& happens) {
    std::size_t count = 0;
    for (std::size_t t = 0; t != trials; ++t) {
        count += happens(1000 + t) ? 1U : 0U;
    }
    return static_cast<double>(count) / static_cast<double>(trials);
}

TEST_CASE("A/A: of whole runs of twelve equal contenders at most 1 in 20 claims anything, in any metric") {
    simulation same;
    const double share = share_of(500, [&](std::uint64_t seed) {
        same.rounds = 10 + seed % 11;
        return any_claim(same(seed));
    });
    MESSAGE("false claims: " << share);
    CHECK(share <= 0.05);
}

TEST_CASE(
    "A/A: looking after every round and stopping when the intervals are narrow does not add false claims") {
    simulation same;
    same.contenders = 4;
    same.most_rounds = 20;
    same.precision = 0.01;
    const double share = share_of(500, [&](std::uint64_t seed) { return any_claim(same(seed)); });
    MESSAGE("false claims: " << share);
    CHECK(share <= 0.05);
}

TEST_CASE("an effect of 5 % at a noise of 1 % is found nearly always, and nothing else is") {
    simulation one;
    one.effect = std::log(1.05);
    const auto find = [&](std::size_t trials) {
        std::size_t others = 0;
        const double found = share_of(trials, [&](std::uint64_t seed) {
            run_result result = one(seed);
            const bool is_found = result.rows[2].estimates.at("wall_ns").call == verdict::worse;
            result.rows.erase(result.rows.begin() + 2);
            others += any_claim(result) ? 1U : 0U;
            return is_found;
        });
        MESSAGE("found: " << found << ", false: " << others << " of " << trials);
        CHECK(others <= trials / 20);
        return found;
    };
    SUBCASE("in ten rounds, nothing else going on") {
        one.outliers = 0;
        CHECK(find(200) >= 0.95);
    }
    SUBCASE("in twenty rounds, where one run in twenty is disturbed") {
        one.rounds = 20;
        CHECK(find(200) >= 0.95);
    }
}

TEST_CASE("a steady difference below the least claim is none") {
    simulation one;
    one.sigma = 1e-5;
    one.outliers = 0;
    one.effect = std::log(1.009);
    CHECK(one(1).rows[2].estimates.at("wall_ns").call == verdict::no_difference);
    one.effect = std::log(1.011);
    CHECK(one(1).rows[2].estimates.at("wall_ns").call == verdict::worse);
}

TEST_CASE("where wall time is noisier than the difference, CPU time judges") {
    simulation one;
    one.contenders = 3;
    one.rounds = 20;
    one.sigma = 0.08;
    one.cpu_sigma = 0.005;
    one.effect = one.cpu_effect = std::log(0.95);
    const run_result result = one(1);
    CHECK(result.rows[2].estimates.at(wall_metric).call == verdict::no_difference);
    CHECK(result.judged_by == cpu_metric);
    SUBCASE("also when all it says is a loss") {
        one.contenders = 1;
        one.effect = one.cpu_effect = std::log(1.06);
        CHECK(one(2).judged_by == cpu_metric);
    }
}

TEST_CASE("CPU time does not judge where wall time can, or could if there were a difference") {
    simulation one;
    one.contenders = 3;
    one.rounds = 20;
    one.outliers = 0;
    one.cpu_sigma = 0.005;
    SUBCASE("wall time shows it too") {
        one.sigma = 0.005;
        one.effect = one.cpu_effect = std::log(0.9);
        CHECK(one(1).rows[2].estimates.at(wall_metric).call == verdict::better);
    }
    SUBCASE("less CPU time in as much wall time, as with threads that wait") {
        one.sigma = 0.01;
        one.cpu_effect = std::log(0.6);
        CHECK(one(1).rows[2].estimates.at(cpu_metric).call == verdict::better);
    }
    SUBCASE("neither shows a difference") {
        one.sigma = 0.1;
    }
    SUBCASE("too few rounds") {
        one.sigma = 0.1;
        one.rounds = 5;
        one.cpu_effect = std::log(0.5);
        CHECK(one(1).noise_floor.empty());
    }
    CHECK(one(1).judged_by == wall_metric);
}

TEST_CASE("a contender that failed has no estimates and takes no share of the level") {
    simulation one;
    one.contenders = 2;
    run_result result = one(1);
    result.rows[3].failure = "killed by SIGSEGV";
    judge(result);
    CHECK(result.rows[3].estimates.empty());
    const estimate& e = result.rows[2].estimates.at("wall_ns");
    CHECK(e.p_adjusted == e.p);
}

TEST_CASE("ratios are taken within a round, so that a round that is missing on one side counts on neither") {
    run_result result;
    for (const char* name : {default_name, "other"}) {
        run_row row;
        row.contender.name = name;
        for (std::size_t round = 0; round != 4; ++round) {
            if (round != 1 || row.contender.name == default_name) {
                row.samples.push_back(
                    {round, {{"wall_ns", round == 1 ? 1e3 : 1e6 * (result.rows.empty() ? 1 : 2)}}});
            }
        }
        result.rows.push_back(row);
    }
    judge(result);
    CHECK(result.rows[1].estimates.at("wall_ns").ratio == doctest::Approx(2));
}

TEST_CASE("the noise floor is told as a saving and as a cost, of which a claim exceeds its own") {
    run_result result = testing::made_result({{"fast", 0.8}}, 12);
    result.noise_floor[wall_metric].floor = 0.35;
    CHECK(noise_text(result, wall_metric) == "26 % less to 35 % more");
    CHECK(noise_text(result, "none").empty());
}

TEST_CASE("the verdict says how many were compared, and joins time and memory by whether they agree") {
    const auto verdict_of = [](const std::vector<double>& times, double memory) {
        std::vector<testing::made_row> rows;
        for (const double time : times) {
            rows.push_back({"rival" + std::to_string(rows.size()), time});
        }
        run_result result = testing::made_result(rows, 12);
        for (run_sample& s : result.rows[2].samples) {
            s.values["peak_rss_bytes"] *= memory * (1 + 0.001 * static_cast<double>(s.round));
        }
        judge(result);
        describe_run(result);
        return result.verdict;
    };
    const auto says = [](const std::string& verdict, const char* text) {
        CHECK_MESSAGE(verdict.find(text) != std::string::npos, verdict);
    };
    says(verdict_of({2.3}, 2.9), ", and 2.9 times the memory");
    says(verdict_of({0.8}, 2.9), ", but 2.9 times the memory");
    says(verdict_of({2.3}, 0.5), ", but 50 % less memory");
    says(verdict_of({0.8}, 0.5), ", and 50 % less memory");
    says(verdict_of({1, 1, 1}, 1), "3 allocators measured");
    says(verdict_of({1.5, 2}, 1), "2 allocators measured");
    run_result alone = testing::made_result({{"rival", 1}}, 12);
    alone.noise_floor.clear();
    describe_run(alone);
    says(alone.verdict, "(noise floor unknown)");
}

} // namespace linn::tool::judge_tests
