// SPDX-License-Identifier: Apache-2.0
// What `linn bench` takes from its workers, and what it claims: nothing within the noise of its own phase, nothing that scatter
// explains; which ways are compared with which; and when the first screen is not
// trusted, and that it fits. That each form of it says the same: one_answer.cpp.
#include "bench/bench.hpp"

#include "fake_bench.hpp"
#include "report/commands/reports.hpp"
#include "unit.hpp"

#include <nlohmann/json.hpp>

namespace linn::tool::bench_tests {

/// What the first comparison of the first scenario says, phase by phase.
std::vector<outcome> outcomes_of(const bench_result& result) {
    std::vector<outcome> all;
    for (const comparison& c : result.scenarios.front().comparisons.front()) {
        all.push_back(c.says);
    }
    return all;
}

TEST_CASE("every scenario is consistent in itself") {
    const std::vector<std::string> names = bench_names({});
    for (const scenario& s : scenarios()) {
        CAPTURE(s.name);
        std::set<std::string_view> variants;
        for (const variant_info& v : s.variants) {
            CHECK(variants.insert(v.name).second);
            if (!v.contender.empty()) {
                CHECK(std::find(names.begin(), names.end(), v.contender) != names.end());
            }
        }
        CHECK(variants.count(s.baseline) == 1);
        for (const column_info& c : s.columns) {
            CHECK(c.phase < s.phases.size());
            const bool shows_metric = c.shows == figure::metric || c.shows == figure::memory;
            CHECK(shows_metric == !c.metric.empty());
        }
        CHECK_FALSE(s.comparisons.empty());
        for (const comparison_info& c : s.comparisons) {
            CHECK(variants.count(c.ours) == 1);
            for (const std::string_view rival : c.rivals) {
                CHECK(variants.count(rival) == 1);
            }
        }
    }
}

TEST_CASE("wins, losses and ties are told apart by the noise floor of their own phase, and by scatter") {
    fake_bench run{"containers"};
    run.add(baseline_name, {300, 100, 100});
    run.add(control_name, {300, 100, 100});
    run.add("fast", {200, 100, 50});
    row& linn = run.add(linn_name, {100, 95, 100});
    CHECK(outcomes_of(run.judged()) == std::vector{outcome::win, outcome::win, outcome::loss});
    SUBCASE("a control that differs by 10 %") {
        run.set(run.scenario().rows[1], 1, 110);
    }
    SUBCASE("rounds that scatter more than their medians differ") {
        for (const std::size_t i : {0U, 1U, 3U}) {
            linn.samples[i].cycles[1] = i == 1 ? 120 : 40;
        }
    }
    CHECK(outcomes_of(run.judged()) == std::vector{outcome::win, outcome::tie, outcome::loss});
}

TEST_CASE("the ratio to the baseline is the geometric mean over the phases") {
    fake_bench run{"containers"};
    run.add(baseline_name, {100, 100, 100});
    const row& linn = run.add(linn_name, {50, 200, 100});
    run.judged();
    CHECK(linn.ratio == doctest::Approx(1));
    CHECK(linn.in(0)->ratio == doctest::Approx(0.5));
}

TEST_CASE("a way is compared with the ways named, on their best allocator") {
    fake_bench run{"shared-ptr"};
    run.add(baseline_name, "make_shared", 100);
    run.add("fast", "make_shared", 40);
    run.add("locked-pool", "allocate_shared", 60);
    run.add(linn_name, "linn_make_shared", 10);
    run.add(linn_name, "linn_pool", 1); // a raw pool is no shared_ptr
    const scenario_result& s = run.judged().scenarios.front();
    const comparison& c = s.comparisons[0].front();
    CHECK(c.speed_up == doctest::Approx(4));
    CHECK(run.result.contenders[s.rows[c.other].contender].name == "fast");
    CHECK(s.comparisons[1].front().speed_up == doctest::Approx(6));
    CHECK(s.comparisons[2].empty());
}

TEST_CASE("a phase that a way does not have is left out of everything") {
    fake_bench run{"zero-fill"};
    run.add(baseline_name, "make_shared", 100);
    row& buffers = run.add(linn_name, "linn_buffer_pool", 10);
    run.set(buffers, 0, 0);
    const auto json = nlohmann::json::parse(report::bench_json(run.judged()).dump());
    const row& judged = run.scenario().rows[1];
    CHECK(judged.in(0) == nullptr);
    CHECK(judged.ratio == doctest::Approx(0.1));
    const auto& rows = json["scenarios"][0]["rows"];
    CHECK(rows[1]["variant"] == "linn_buffer_pool");
    CHECK(rows[1]["phases"]["small"].is_null());
    CHECK(rows[1]["phases"]["large"]["cycles"]["median"] == 10);
}

TEST_CASE("what was left out has no note in any form") {
    fake_bench run{"containers"};
    run.add(baseline_name, {100, 100, 100});
    run.add(linn_name, {50, 200, 100});
    for (const char* name : {"hoard", "mimalloc2"}) {
        run.result.contenders[run.contender_of(name)].notes = {std::string{"on "} + name};
    }
    run.add("hoard", {90, 90, 90});
    const report::document d = report::bench_document(run.judged());
    for (const std::string& text :
         {report::render_terminal(d, {100}), report::render_markdown(d), report::render_html(d)}) {
        CHECK(text.find("on hoard") != std::string::npos);
        CHECK(text.find("on mimalloc2") == std::string::npos);
    }
}

TEST_CASE("what a contender's environment replaces does not reach it twice") {
    const interrupt_guard guard;
    std::vector<left_out_contender> missing;
    for (const contender& c :
         collect_contenders({}, {std::string{no_trim_name}}, missing, guard, [](const std::string&) {})) {
        CHECK((c.name == no_trim_name) == !c.environment.empty());
    }
}

/// All tests of the headline; what is not set takes 100 ns with a general allocator and 50 ns with Linn.
struct headline_run : fake_bench {
    scenario_result* all;

    headline_run() : all{&add_scenario("headline")} {
        all->rows.reserve(20); // references to them stay valid
    }

    row& general(const std::string& name, double ns = 100) { return add(*all, name, "usual", ns); }
    row& linn(double ns = 50) { return add(*all, linn_name, "linn", ns); }
    headline_result said() {
        const auto h = judged().said.headline;
        REQUIRE(h);
        return *h;
    }
};

std::vector<std::string> screen_lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in{text};
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

TEST_CASE("headline: a setting of glibc may be the best other, but is no allocator to choose") {
    headline_run run;
    run.general(baseline_name, 200);
    run.general(no_trim_name, 60);
    run.general("fast", 100);
    run.linn(50);
    const headline_result h = run.said();
    CHECK(h.tests.front().other == no_trim_name);
    CHECK(h.ranking.size() == 2);
}

TEST_CASE("headline: trust is low on a busy machine, where glibc differs from itself, and of little work") {
    const auto is_trusted = [](double control, unsigned disturbed, std::size_t work) {
        headline_run run;
        run.general(baseline_name, 100).disturbed = disturbed;
        run.general(control_name, control);
        run.linn(50);
        run.result.options.work = work;
        return run.said().is_trusted;
    };
    CHECK(is_trusted(101, 1, 100));
    CHECK_FALSE(is_trusted(101, 5, 100));
    CHECK_FALSE(is_trusted(107, 1, 100));
    CHECK_FALSE(is_trusted(101, 1, 1));
}

TEST_CASE("headline: thirty lines of a hundred columns at most for each result") {
    for (const double shared : {0.1, 0.99, 3.0}) {
        headline_run run;
        run.general(baseline_name, 1234.5).disturbed = 6;
        run.general(control_name, 1300);
        for (const char* name : {"glibc-no-trim", "jemalloc", "mimalloc2", "mimalloc3", "snmalloc",
                                 "rpmalloc", "tbb", "scudo", "bmalloc"}) {
            run.general(name, 1000);
        }
        row& google = run.general("tcmalloc-google", 900);
        run.result.contenders[google.contender].title = "tcmalloc (gperftools)";
        run.linn(900 * shared);
        for (const char* name : {"hoard", "mimalloc", "mine"}) {
            run.result.missing.push_back({name, "it is not here"});
        }
        run.result.machine.cpu_model = "Intel(R) Xeon(R) Platinum 8488C CPU @ 2.40GHz";
        const std::vector<std::string> lines = screen_lines(run.shown(100));
        CHECK(lines.size() <= 29); // and one for the page
        for (const std::string& line : lines) {
            CAPTURE(line);
            CHECK(report::letters_of(line) <= 100);
        }
        CHECK(report::headline_table(run.said()).rows.size() <= 15);
        for (const std::string& sentence : run.said().verdict) {
            CAPTURE(sentence);
            CHECK(sentence.size() <= 100);
        }
    }
}

nlohmann::json good_answer(const std::string& error = {}) {
    return {{"proof", {{"malloc", "/lib/libc.so.6"}}},
            {"preload_mapped", true},
            {"error", error},
            {"compiler", "12.2"},
            {"build", "optimised"},
            {"canary", 2},
            {"cpu_share", 0.5},
            {"peak_rss_bytes", 4096},
            {"work_check", 7},
            {"phases", {{{"name", "hot"}, {"cycles", 8}, {"faults", 0}}}}};
}

const std::vector<phase_info> asked{{"hot", "hot"}};

TEST_CASE("proof and sample are read") {
    const worker_reply r = read_reply(good_answer().dump(), asked);
    CHECK(r.problem == "");
    CHECK(r.proof.files.at("malloc") == "/lib/libc.so.6");
    CHECK(r.proof.preload_mapped);
    CHECK(r.measured.canary == 2);
    CHECK(r.measured.cycles == std::vector<double>{8});
}

TEST_CASE("a worker's own problem comes first, then other phases than asked") {
    CHECK(read_reply(good_answer("blocks overlap").dump(), {}).problem == "blocks overlap");
    CHECK(read_reply(good_answer().dump(), {}).problem == "the worker measured other phases than asked");
}

TEST_CASE("an answer that is cut, empty, or lacks something is a problem") {
    const nlohmann::json whole = good_answer();
    const std::string text = whole.dump();
    for (std::size_t length = 0; length != text.size(); ++length) {
        CHECK(read_reply(text.substr(0, length), asked)
                  .problem.starts_with("the worker's reply cannot be read"));
    }
    for (const auto& [field, value] : whole.items()) {
        CAPTURE(field);
        nlohmann::json json = whole;
        json.erase(field);
        CHECK(read_reply(json.dump(), asked).problem.starts_with("the worker's reply cannot be read"));
    }
}

} // namespace linn::tool::bench_tests
