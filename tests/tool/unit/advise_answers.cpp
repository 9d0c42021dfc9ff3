// SPDX-License-Identifier: Apache-2.0
// Results of advise at every edge: each form of the report and the exit status have one answer, and no sentence contradicts
// another. A verdict that two places decide for themselves fails here.
#include "../support/advised_program.hpp"
#include "../support/flat_text.hpp"
#include "advise/advice.hpp"
#include "report/commands/reports.hpp"
#include "report/document/document.hpp"
#include "report/render/render.hpp"
#include "unit.hpp"

#include <nlohmann/json.hpp>

namespace linn::tool::advise_answers_tests {

using namespace linn::tool::testing;
using nlohmann::json;

/// What the verdict claims, by its words.
struct claims {
    bool yes;
    bool no;
    bool not_known;

    explicit claims(const std::string& verdict)
        : yes{contains(verdict, "A pool would help")},
          no{contains(verdict, "No pool needed")},
          not_known{contains(verdict, "Not known whether a pool would help")} {}
};

/// Nodes of a list, which a pool serves, or blocks of many sizes, which none does.
enum class kinds { nodes, arrays };

struct edge {
    double share = 0;
    std::size_t types = 1;
    kinds of = kinds::nodes;
    bool is_complete = true;
    time_unknown why_not = time_unknown::none;
    double page_faults = 0;
    double threshold = worth_a_pool;
};

advice advice_at(const edge& e) {
    program p;
    std::vector<std::string> names;
    for (std::size_t i = 0; i != e.types; ++i) {
        p.churn(4, 32, 2);
        names.push_back(e.of == kinds::nodes
                            ? "T" + std::to_string(i) + "|std::list<T" + std::to_string(i) + ">"
                            : "char" + std::to_string(i) + "|std::vector<char" + std::to_string(i) + ">");
    }
    trace_analysis run = p.analyse(1e9);
    const std::vector<double> shares(e.types, e.types == 0 ? 0 : e.share / static_cast<double>(e.types));
    run = timed(std::move(run), shares, e.page_faults);
    if (e.why_not != time_unknown::none) {
        run.time = {};
        run.time.why_not = e.why_not;
    }
    if (e.why_not == time_unknown::no_cpu_time) { // the recording took all of it
        run.info.baseline.cpu_ns = 0;
        run.info.user_ns = 1e9;
        run.info.event_cost_ns = 1e9;
    }
    if (e.of == kinds::arrays) {
        for (analysed_site& site : run.sites) {
            site.statistics.sizes = {{32, 2}, {64, 2}};
            site.statistics.largest = 64;
        }
    }
    if (!e.is_complete) {
        run.info.missing.emplace_back("the file is cut off");
    }
    return advise(std::move(run), parts_for(names), e.threshold);
}

void check_consistent(const advice& a) {
    CAPTURE(a.verdict);
    const allocation_time& time = a.analysis.time;
    const bool is_complete = a.analysis.info.missing.empty();

    // The words say the answer, and nothing but it.
    const claims said{a.verdict};
    CHECK(said.yes == (a.answer == pool_answer::yes));
    CHECK(said.no == (a.answer == pool_answer::no));
    CHECK(said.not_known == (a.answer == pool_answer::not_known));
    CHECK(a.to_know.empty() == (a.answer != pool_answer::not_known));
    CHECK((a.to_know.empty() || contains(a.verdict, a.to_know)));

    // The answer is what the figures say. The exit status asks the same.
    CHECK(judge(a, a.threshold) == a.answer);
    if (time.is_known()) {
        CHECK(time.low <= time.share);
        CHECK(time.share <= time.high);
        CHECK(a.pools.low <= a.pools.high);
        CHECK(a.pools.low <= time.low + 1e-12); // nothing removes more than there is
        CHECK(a.pools.high == time.high);
        CHECK((a.answer == pool_answer::no) ==
              (is_complete && (time.high < a.threshold || a.analysis.all.allocations == 0)));
        CHECK((a.answer == pool_answer::yes) == (a.pools.low >= a.threshold && a.pools.low > 0));
        double sum = 0;
        for (const advised_type& t : a.types) {
            sum += t.statistics.time.share().value;
        }
        CHECK(sum == doctest::Approx(time.share));
    } else {
        CHECK(a.answer ==
              (a.analysis.all.allocations == 0 && is_complete ? pool_answer::no : pool_answer::not_known));
        CHECK_FALSE(contains(a.verdict, "Allocation takes"));
    }

    CHECK(
        (time.page_faults > 0 || std::ranges::count(a.findings, "page-faults", &advice_finding::kind) == 0));

    // No row advises what the answer denies.
    for (const advised_type& t : a.types) {
        CHECK((a.answer != pool_answer::no || !is_pool(t.what)));
        CHECK((t.what != remedy::nothing || (t.use.empty() && t.snippet.empty())));
    }

    // Every form has the verdict first, and the same figures.
    const report::document d = report::advise_document(a, {});
    const std::string terminal = report::render_terminal(d, {100, false});
    const std::string markdown = report::render_markdown(d);
    const std::string page = report::render_html(d);
    const std::string csv = report::render_csv(d);
    if (is_complete) { // an alert comes first
        CHECK(flat(terminal).starts_with(flat(a.verdict)));
        CHECK(markdown.starts_with("**" + report::markdown_text(a.verdict) + "**"));
    }
    CHECK(contains(flat(terminal), flat(a.verdict)));
    CHECK(contains(page, html::escape(a.verdict)));
    for (const std::string* form : {&terminal, &markdown, &csv}) {
        CHECK_FALSE(contains(*form, "nan"));
    }
    const json j = json::parse(report::render_json(d));
    CHECK(j.at("verdict") == a.verdict);
    CHECK(j.at("answer") == to_string(a.answer));
    CHECK(j.at("pool_needed") == (a.answer == pool_answer::yes));
    CHECK(j.at("to_know").is_null() == a.to_know.empty());
    CHECK(j.at("complete") == is_complete);
    CHECK(j.at("threshold") == a.threshold);
    CHECK(j.at("allocation_time").is_null() == !time.is_known());
    CHECK(j.at("time_unknown").is_null() == time.is_known());
    CHECK(j.at("pools").is_null() == !time.is_known());
    for (std::size_t i = 0; i != a.types.size(); ++i) {
        const json& share = j.at("types")[i].at("time_share");
        CHECK(share.is_null() == !time.is_known());
        CHECK((share.is_null() || share == a.types[i].statistics.time.share().value));
    }
    if (a.types.size() > 10) {
        const std::string rest = std::to_string(a.types.size() - 10) + " more types";
        CHECK(contains(terminal, rest));
    }
    CHECK(std::count(csv.begin(), csv.end(), '\n') == static_cast<std::ptrdiff_t>(a.types.size()) + 1);
}

TEST_CASE("at every edge of the shares, every form of the report and the exit status have one answer") {
    const double t = worth_a_pool;
    const double wide = 1.1; // the upper end over the share
    std::vector<pool_answer> seen;
    for (const double share :
         {0.0, 1e-6, 0.0005, t / wide * 0.999, t / wide * 1.001, t, t / 0.9, 0.024, 0.1, 0.5, 0.9}) {
        for (const std::size_t types : {1U, 2U, 30U}) {
            for (const kinds of : {kinds::nodes, kinds::arrays}) {
                for (const bool is_complete : {true, false}) {
                    for (const double faults : {0.0, 0.01}) {
                        CAPTURE(share);
                        CAPTURE(types);
                        CAPTURE(is_complete);
                        const advice a =
                            advice_at({share, types, of, is_complete, time_unknown::none, faults});
                        check_consistent(a);
                        seen.push_back(a.answer);
                    }
                }
            }
        }
    }
    for (const pool_answer answer : {pool_answer::yes, pool_answer::no, pool_answer::not_known}) {
        CHECK(std::ranges::count(seen, answer) > 20);
    }
}

TEST_CASE("a time that is not known never leads to a yes or a no, and says how to know it") {
    for (const time_unknown why :
         {time_unknown::not_recorded, time_unknown::no_counter, time_unknown::counter_jumps,
          time_unknown::few_samples, time_unknown::no_cpu_time}) {
        for (const bool is_complete : {true, false}) {
            const advice a = advice_at({0.3, 3, kinds::nodes, is_complete, why});
            check_consistent(a);
            CHECK(a.answer == pool_answer::not_known);
            if (why == time_unknown::no_cpu_time) {
                CHECK((a.to_know == "record it from its start with --baseline") == is_complete);
                const std::string text = report::render_terminal(report::advise_document(a, {}), {});
                CHECK_FALSE(contains(text, "CPU time without"));
            }
        }
    }
}

TEST_CASE("a program without types, complete or not") {
    for (const bool is_complete : {true, false}) {
        check_consistent(advice_at({0, 0, kinds::nodes, is_complete}));
        check_consistent(advice_at({0, 0, kinds::nodes, is_complete, time_unknown::not_recorded}));
    }
}

TEST_CASE("the threshold decides, whatever it is") {
    for (const double threshold : {0.0, 0.001, 0.02, 0.3, 1.0}) {
        for (const double share : {0.0, 0.01, 0.25, 0.9}) {
            CAPTURE(threshold);
            CAPTURE(share);
            check_consistent(advice_at({share, 2, kinds::nodes, true, time_unknown::none, 0, threshold}));
        }
    }
    CHECK(advice_at({0.25, 2, kinds::nodes, true, time_unknown::none, 0, 0.02}).answer == pool_answer::yes);
    CHECK(advice_at({0.25, 2, kinds::nodes, true, time_unknown::none, 0, 0.3}).answer == pool_answer::no);
}

TEST_CASE("many small types have one row, with the sum of their shares") {
    const advice a = advice_at({0.3, 300});
    const std::string terminal = report::render_terminal(report::advise_document(a, {}), {100, false});
    const std::string page = report::render_html(report::advise_document(a, {}));
    const std::size_t at = terminal.find("290 more types");
    REQUIRE(at != std::string::npos);
    CHECK(contains(terminal.substr(at, 60), "26-32 %")); // 290 of 0.1 %, 10 % to both sides
    CHECK(contains(page, "240 more types<"));
    report::advise_view every;
    every.top = 300;
    const std::string all = report::render_terminal(report::advise_document(a, every), {100, false});
    CHECK_FALSE(contains(all, "more types"));
}

} // namespace linn::tool::advise_answers_tests
