// SPDX-License-Identifier: Apache-2.0
// What the measurement of a plan is said to mean, and which variants of it are worth one.
#include "advise/huge_pages.hpp"
#include "pools/plan.hpp"
#include "report/render/csv.hpp"
#include "report/render/html.hpp"
#include "report/render/markdown.hpp"
#include "report/render/terminal.hpp"
#include "report/verbs/try_document.hpp"
#include "report/verbs/try_json.hpp"
#include "scratch_folder.hpp"
#include "try/trial.hpp"
#include "try/variants.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace linn::tool::try_findings_tests {

using linn::tool::testing::scratch_folder;
using nlohmann::json;

try_candidate candidate(const std::string& label) {
    try_candidate c;
    c.label = label;
    c.types = {label};
    c.pools = {{.name = label}};
    plan_site site;
    site.pool = label;
    site.size = 48;
    site.call = {"shop", 0x1000, {}};
    c.sites = {site};
    c.allocations = 1000;
    c.share = 0.5;
    return c;
}

run_row row_of(const std::string& name, double ratio, double low, double high, verdict call, double mib) {
    run_row row;
    row.contender.name = row.contender.title = name;
    row.estimates[cpu_metric] = {{2e8, 1e8, 3e8, ratio, low, high}, 0.001, 0.01, call};
    row.estimates["peak_rss_bytes"].median = mib * 1024 * 1024;
    return row;
}

/// Two types, measured together; `pools` is the row of both.
try_result measured(run_row pools) {
    try_result result;
    result.candidates.list = {candidate("order"), candidate("trade")};
    result.candidates.list[1].sites.front().call.offset = 0x2000;
    result.candidates.modules = {{"shop", {1, 2}}};
    result.hits = {1000, 500};
    result.chosen = {0, 1};
    result.together.complete_rounds = 12;
    result.together.rows = {row_of(default_name, 1, 1, 1, verdict::no_difference, 10),
                            std::move(pools),
                            row_of("sizes", 0.95, 0.94, 0.96, verdict::better, 10),
                            row_of("lookup", 1.03, 1.02, 1.04, verdict::no_difference, 10),
                            row_of("empty", 1.01, 1, 1.02, verdict::no_difference, 10),
                            row_of("jemalloc", 0.93, 0.92, 0.94, verdict::better, 12)};
    describe_try(result);
    return result;
}

/// Twelve rounds in which each row differs from the default by its estimate.
void give_samples(run_result& run) {
    run.noise_floor[cpu_metric].floor = 0.01;
    for (std::size_t round = 0; round != 12; ++round) {
        for (run_row& row : run.rows) {
            row.samples.push_back(
                {round, {{cpu_metric, 1e9 * row.estimates[cpu_metric].ratio}}, false, true});
        }
    }
}

TEST_CASE("the answer is what the interval says, and the plan is of what gained") {
    const auto ask = [](double ratio, double low, double high, verdict call) {
        return measured(row_of("pools", ratio, low, high, call, 10.3));
    };
    const try_result yes = ask(0.881, 0.874, 0.888, verdict::better);
    CHECK(yes.answer == pool_answer::yes);
    CHECK(yes.verdict ==
          "Pools for `order` and `trade` save 11.9 % (11.2 to 12.6) of CPU time, peak memory +0.3 MiB; "
          "jemalloc saves 7.0 % (6.0 to 8.0).");
    CHECK(yes.plan.sites.size() == 2);
    REQUIRE(yes.findings.size() == 2);
    CHECK(yes.findings[0].find("empty plan costs 1.0 % (0.0 to 2.0) of CPU time; with look-ups and no pool, "
                               "as these pools pay it, it costs 3.0 %") != std::string::npos);
    CHECK(yes.findings[1].find("saves 5.0 %: pools of the types' own gain more") != std::string::npos);
    REQUIRE(yes.warnings.size() == 1); // half of `trade` came from elsewhere
    CHECK(yes.warnings[0].find("served 50.0 %") != std::string::npos);

    try_result over = yes;
    over.further.rows = {row_of(default_name, 1, 1, 1, verdict::no_difference, 10),
                         row_of("both", 0.85, 0.84, 0.86, verdict::better, 12),
                         row_of("jemalloc", 0.93, 0.92, 0.94, verdict::better, 12)};
    give_samples(over.further);
    over.findings.clear();
    describe_try(over);
    CHECK(over.verdict.ends_with(
        "jemalloc saves 7.0 % (6.0 to 8.0). Both together: pools over jemalloc save 15.0 % (14.0 to 16.0)."));
    CHECK(over.findings.front() == "Over jemalloc the pools save 8.6 % (8.6 to 8.6) of what it takes alone.");

    const try_result small = ask(0.99, 0.985, 0.995, verdict::better);
    CHECK(small.answer == pool_answer::no);
    const try_result worse = ask(1.03, 1.02, 1.04, verdict::worse);
    CHECK(worse.answer == pool_answer::no);
    CHECK(worse.verdict.find("takes 3.0 % (2.0 to 4.0) more CPU time") != std::string::npos);
    CHECK(worse.plan.sites.empty());
    const try_result open = ask(0.97, 0.93, 1.01, verdict::no_difference);
    CHECK(open.answer == pool_answer::not_known);
    CHECK(open.verdict ==
          "Not known whether pools gain: those for `order` and `trade` save 3.0 % (-1.0 to 7.0) of CPU time; "
          "a larger --budget may tell; jemalloc saves 7.0 % (6.0 to 8.0).");
    CHECK(ask(1.03, 0.95, 1.07, verdict::no_difference)
              .verdict.starts_with(
                  "Not known whether pools gain: those for `order` and `trade` cost 3.0 % (-5.0 to 7.0) of"));
    CHECK(open.plan.sites.empty());

    // The budget that would do is for all parts of the trial.
    try_result few = open;
    const double unknown = std::numeric_limits<double>::quiet_NaN();
    few.together.rows[1] = row_of("pools", 0.6, unknown, unknown, verdict::no_difference, 10);
    few.together.complete_rounds = 5;
    few.together.stopped = stop_reason::budget;
    few.alone.measured_seconds = few.together.measured_seconds = 25;
    few.further.measured_seconds = 30;
    describe_try(few);
    INFO(few.verdict);
    CHECK(few.verdict.find("5 rounds are too few to judge them (6 needed): use --budget 120.") !=
          std::string::npos);

    run_row crashed;
    crashed.contender.name = crashed.contender.title = "pools";
    crashed.failure = "killed by SIGSEGV";
    const try_result broken = measured(crashed);
    CHECK(broken.answer == pool_answer::not_known);
    CHECK(broken.verdict ==
          "Pools for `order` and `trade` do not work: killed by SIGSEGV; the program runs without them.");
    CHECK(broken.plan.sites.empty());
}

TEST_CASE("an allocator that nothing can be claimed of after so few rounds is not said to save nothing") {
    try_result result = measured(row_of("pools", 0.881, 0.874, 0.888, verdict::better, 10.3));
    result.together.rows.back() = row_of("jemalloc", 0.78, 0.76, 0.81, verdict::no_difference, 12);
    const auto said = [&](std::size_t rounds) {
        result.together.complete_rounds = rounds;
        describe_try(result);
        return result.verdict.substr(result.verdict.rfind("; ") + 2);
    };
    CHECK(said(7) ==
          "jemalloc seems to save 22.0 % (19.0 to 24.0), but 7 rounds are too few to be certain (8 needed).");
    CHECK(said(8) == "no allocator tried saves as much as can be measured.");

    SUBCASE("nor hides one that is certain to save, though a little less") {
        result.together.rows.insert(result.together.rows.end() - 1,
                                    row_of("mimalloc", 0.8, 0.78, 0.82, verdict::better, 12));
        result.together.rows.push_back(row_of("tcmalloc", 0.9, 0.88, 0.92, verdict::better, 12));
        CHECK(said(12) == "mimalloc saves 20.0 % (18.0 to 22.0).");
    }
}

TEST_CASE("variants of the pools are what the counts promise") {
    try_candidates found;
    found.list = {candidate("order"), candidate("trade"), candidate("price")};
    found.modules = {{"shop", {1, 2}}};
    found.list[1].sites.front().call.offset = 0x2000;
    found.list[2].sites.front().call.offset = 0x3000;
    found.list[2].sites.front().size = 64;
    for (try_candidate& c : found.list) {
        c.counts = {{1000, 0, 100}};
    }
    const auto names = [&](const std::vector<std::size_t>& chosen) {
        std::vector<std::string> list;
        for (const try_variant& v : variants_of(found, chosen)) {
            list.push_back(v.name);
        }
        return list;
    };
    const scratch_folder folder;
    const auto read_back = [&](const try_variant& v) {
        const pool_plan plan = read_plan_file(folder.file(v.name, plan_text(v.plan)));
        CHECK(plan == v.plan);
        return plan;
    };
    SUBCASE("one size") {
        CHECK(names({0, 1, 2}) == std::vector<std::string>{"one-pool-a-size"});
        CHECK(names({0, 2}).empty());
        const try_variant v = variants_of(found, {0, 1, 2}).front();
        CHECK(v.why == "slots of `order` and `trade` have one size");
        const pool_plan plan = read_back(v);
        REQUIRE(plan.pools.size() == 2);
        REQUIRE(plan.sites.size() == 3);
        CHECK(plan.sites[0].pool == plan.sites[1].pool);
        CHECK(plan.sites[2].pool == "price");
    }
    SUBCASE("allocated in turns") {
        for (try_candidate& c : found.list) {
            c.counts[0].allocations = 1000;
        }
        found.list[1].sites.front().size = 96;
        found.turns = {{{"order", "trade"}, 499}, {{"order", "price"}, 600}};
        CHECK(names({0, 1, 2}) == std::vector<std::string>{"in-turns"});
        const try_variant v = variants_of(found, {0, 1, 2}).front();
        CHECK(v.why == "`order` and `price` are allocated in turns");
        const pool_plan plan = read_back(v);
        REQUIRE(plan.pools.size() == 2);
        CHECK(plan.sites[2].pool == "order");
        CHECK(plan.sites[1].pool == "trade");
        CHECK(names({0, 1}).empty()); // too seldom
        found.turns[0].count = 500;
        CHECK(variants_of(found, {0, 1, 2}).front().why ==
              "`order`, `trade` and `price` are allocated in turns");
        found.list[1].sites.front().size = 112; // slots of 112 and 48 are too unlike
        CHECK(names({0, 1}).empty());
        found.list[2].sites.front().size = 48; // of one size: one variant, not two
        CHECK(names({0, 2}) == std::vector<std::string>{"one-pool-a-size"});
    }
    SUBCASE("other threads free") {
        found.list[0].counts[0].remote_releases = 99;
        CHECK(names({0}).empty());
        found.list[0].counts[0].remote_releases = 100;
        found.list[2].counts[0].remote_releases = 1000; // has a cache line of its own anyway
        CHECK(names({0, 2}) == std::vector<std::string>{"padded"});
        const pool_plan plan = read_back(variants_of(found, {0, 2}).front());
        CHECK(plan.pools[0].is_padded);
        CHECK_FALSE(plan.pools[1].is_padded);
    }
    SUBCASE("large") {
        found.list[0].counts[0].peak_live = 10'000;
        CHECK(names({0, 2}).empty());
        CHECK_FALSE(plan_of_candidates(found, {0, 2}).pools[0].wants_huge_pages);
        found.list[0].counts[0].peak_live = (2 << 20) / 48 + 1;
        CHECK(is_worth_huge_pages(found.list[0].counts[0].peak_live, 48));
        CHECK_FALSE(is_worth_huge_pages(found.list[0].counts[0].peak_live - 1, 48));
        const pool_plan usual = plan_of_candidates(found, {0, 2});
        CHECK(usual.pools[0].wants_huge_pages);
        CHECK_FALSE(usual.pools[1].wants_huge_pages);
        CHECK(names({0, 2}) == std::vector<std::string>{"small-pages"});
        CHECK_FALSE(read_back(variants_of(found, {0, 2}).front()).pools[0].wants_huge_pages);
    }
    SUBCASE("small ones together are large") {
        found.list[0].counts[0].peak_live = found.list[1].counts[0].peak_live = (1 << 20) / 48 + 1;
        CHECK_FALSE(plan_of_candidates(found, {0, 1}).pools[0].wants_huge_pages);
        const try_variant v = variants_of(found, {0, 1}).front();
        CHECK(v.name == "one-pool-a-size");
        CHECK(v.plan.pools[0].wants_huge_pages);
    }
}

TEST_CASE("the plan is a variant where that is certain to be better than the pools as they are") {
    const run_row gaining = row_of("pools", 0.881, 0.874, 0.888, verdict::better, 10.3);
    const auto ask = [](const run_row& pools, double ratio) {
        try_result result = measured(pools);
        const double own = pools.estimates.at(cpu_metric).ratio;
        for (try_candidate& c : result.candidates.list) {
            c.counts = {{1000, 1000, 100}};
        }
        result.variants = variants_of(result.candidates, result.chosen);
        result.further.rows = {
            row_of(default_name, 1, 1, 1, verdict::no_difference, 10),
            row_of("pools", own, own, own, verdict::better, 10.3),
            row_of("one-pool-a-size", own * ratio, own * ratio, own * ratio, verdict::better, 10.5),
            row_of("padded", own, own, own, verdict::better, 10.3)};
        give_samples(result.further);
        result.findings.clear();
        describe_try(result);
        return result;
    };
    const try_result better = ask(gaining, 0.9);
    CHECK(better.plan_variant == "one-pool-a-size");
    CHECK(better.plan.pools.size() == 1);
    CHECK(better.findings.back() == "Better still: one pool for types of one size (slots of `order` and "
                                    "`trade` have one size); it saves 10.0 % "
                                    "(10.0 to 10.0) of what the pools take, and the plan is that.");
    const json all = json::parse(try_json(better, {"./shop"}));
    CHECK(all["plan_variant"] == "one-pool-a-size");
    REQUIRE(all["variants"].size() == 2);
    for (const char* name : {"row", "title", "why"}) {
        CHECK_MESSAGE(all["variants"][1].contains(name), name);
    }
    CHECK(all["litter"].is_null());
    CHECK(better.decisive()->contender.name == "one-pool-a-size");
    CHECK(better.verdict.starts_with(
        "Pools for `order` and `trade`, one pool for types of one size, save 20.7 %"));
    CHECK(better.verdict.find("; as they are they save 11.9 % (11.2 to 12.6); ") != std::string::npos);
    const try_result same = ask(gaining, 0.995);
    CHECK(same.plan_variant.empty());
    CHECK(same.plan.pools.size() == 2);
    CHECK(same.findings.back() == "No variant of the pools is certain to gain more.");

    // Pools of the types' own cost, or gain nothing; one pool for both does.
    const try_result only = ask(row_of("pools", 1.04, 1.03, 1.05, verdict::worse, 10.3), 0.8);
    CHECK(only.answer == pool_answer::yes);
    CHECK(
        only.verdict ==
        "Pools for `order` and `trade`, one pool for types of one size, save 16.8 % (16.8 to 16.8) of CPU "
        "time, peak memory +0.5 MiB; as they are they cost 4.0 % (3.0 to 5.0); jemalloc saves 7.0 % (6.0 to "
        "8.0).");
    CHECK(only.plan_variant == "one-pool-a-size");
    CHECK(only.plan.pools.size() == 1);
    CHECK(only.decisive()->contender.name == "one-pool-a-size");
    CHECK(ask(row_of("pools", 1.0, 0.992, 1.008, verdict::no_difference, 10.3), 0.8).answer ==
          pool_answer::yes);
    // They gain too little to be worth it, so the verdict is the variant's; a variant that costs as well is none.
    const try_result little = ask(row_of("pools", 0.99, 0.985, 0.995, verdict::better, 10.3), 0.8);
    CHECK(little.decisive_variant == "one-pool-a-size");
    CHECK(little.verdict.find("as they are they save 1.0 % (0.5 to 1.5)") != std::string::npos);
    try_result costs = only;
    costs.plan = {};
    costs.plan_variant = costs.decisive_variant = {};
    costs.further.rows[2].estimates[cpu_metric].call = verdict::worse;
    describe_try(costs);
    CHECK(costs.answer == pool_answer::no);
    CHECK(costs.plan.sites.empty());
    CHECK(costs.verdict.starts_with("No pool gains"));
}

TEST_CASE("all types may have one pool for each size, where only some were chosen") {
    try_candidates candidates;
    candidates.list = {candidate("order"), candidate("trade"), candidate("quote")};
    for (std::size_t i = 0; i != candidates.list.size(); ++i) {
        candidates.list[i].sites.front().call.offset = 0x1000 * (i + 1);
    }
    candidates.list[2].sites.front().size = 96;
    const std::optional<try_variant> all = all_by_size(candidates, {0, 1, 2});
    REQUIRE(all);
    CHECK(all->name == "all-by-size");
    CHECK(all->is_shared);
    CHECK(all->served == std::vector<std::size_t>{0, 1, 2});
    CHECK(all->plan.sites.size() == 3);
    CHECK(all->plan.pools.size() == 2);
    CHECK_FALSE(all_by_size(candidates, {0, 2}));

    try_result result = measured(row_of("pools", 0.99, 0.985, 0.995, verdict::better, 10.3));
    result.candidates = candidates;
    result.chosen = {0};
    result.variants = {*all};
    result.further.rows = {row_of(default_name, 1, 1, 1, verdict::no_difference, 10),
                           row_of("pools", 0.99, 0.985, 0.995, verdict::better, 10.3),
                           row_of("all-by-size", 0.85, 0.84, 0.86, verdict::better, 10.5),
                           row_of("both", 0.95, 0.94, 0.96, verdict::better, 12),
                           row_of("jemalloc", 0.93, 0.92, 0.94, verdict::better, 12)};
    give_samples(result.further);
    result.findings.clear();
    describe_try(result);
    CHECK(result.verdict ==
          "Pools for `order`, `trade` and `quote`, one pool for each size, save 15.0 % (14.0 to 16.0) of CPU "
          "time, peak memory +0.5 MiB; those of `order` alone save 1.0 % (0.5 to 1.5); jemalloc saves 7.0 % "
          "(6.0 to 8.0).");
    CHECK(result.plan_variant == "all-by-size");
    CHECK(json::parse(try_json(result, {"./shop"}))["variants"][0]["types"] ==
          json{"order", "trade", "quote"});
    CHECK(&result.judged() == &result.further);
    CHECK(result.findings.front().starts_with("Over jemalloc pools for `order` cost 2.2 %"));
}

TEST_CASE("a gain with huge pages is said to need the option in the source") {
    const auto ask = [](double ratio, double low, double high, verdict call, std::uint64_t live) {
        try_result result = measured(row_of("pools", ratio, low, high, call, 10.3));
        result.candidates.list[0].counts = {{1000, 0, live}};
        result.findings.clear();
        describe_try(result);
        return result;
    };
    const std::string said = "The pools of `order` had huge pages. In the source, give them the option "
                             "{.huge_pages = true}: without it a pool asks for huge pages from 64 MiB on.";
    const try_result large = ask(0.881, 0.874, 0.888, verdict::better, 100'000);
    CHECK(large.findings.back() == said);
    const json all = json::parse(try_json(large, {"./shop"}));
    CHECK(all["candidates"][0]["huge_pages"] == true);
    CHECK(all["candidates"][1]["huge_pages"] == false);
    const auto says_it = [&](const try_result& r) { return r.findings.back() == said; };
    CHECK_FALSE(says_it(ask(0.881, 0.874, 0.888, verdict::better, 1000)));
    CHECK_FALSE(says_it(ask(1.1, 1.05, 1.15, verdict::worse, 100'000)));
}

TEST_CASE("the pools for several sizes of one type are listed as one, and those of blocks as words") {
    try_candidates known;
    try_candidate blocks;
    blocks.types = {"256-byte blocks #1 of gawk"};
    blocks.addresses = {"gawk+0x5ccca"};
    known.list = {blocks};
    const auto listed = [&](const std::vector<std::string>& pools) { return listed_pools(known, pools); };
    CHECK(listed({"text", "text, 512 bytes", "text, 64 bytes", "order"}) == "`text` and `order`");
    CHECK(listed({"text, 512 bytes", "order"}) == "`text, 512 bytes` and `order`");
    CHECK(listed({"a", "a, 64 bytes", "b", "c", "d", "e"}) == "`a`, `b`, `c` and 2 more");
    CHECK(listed({"order", "256-byte blocks #1 of gawk"}) == "`order` and 256-byte blocks #1 of gawk");
}

TEST_CASE("linn.try/1 keeps its fields, and the table says the verdict") {
    try_result result = measured(row_of("pools", 0.881, 0.874, 0.888, verdict::better, 10.3));
    result.candidates.left_out = {{"text", "its blocks have many sizes", 0.2}};
    const json all = json::parse(try_json(result, {"./shop", "7"}));
    CHECK(all["schema"] == "linn.try/1");
    for (const char* name : {"version", "command", "trace", "complete", "problem", "verdict", "answer",
                             "findings", "warnings", "gained_alone", "candidates", "left_out", "plan",
                             "alone", "together", "further", "variants", "plan_variant", "litter"}) {
        CHECK_MESSAGE(all.contains(name), name);
    }
    REQUIRE(all["candidates"].size() == 2);
    for (const char* name : {"label", "types", "addresses", "allocations", "share", "sites", "pools", "hits",
                             "routed", "row", "huge_pages", "chosen"}) {
        CHECK_MESSAGE(all["candidates"][0].contains(name), name);
    }
    for (const char* name : {"type", "address", "reason", "share"}) {
        CHECK_MESSAGE(all["left_out"][0].contains(name), name);
    }
    CHECK(all["answer"] == "yes");
    CHECK(all["alone"].is_null());
    CHECK(all["together"]["schema"] == "linn.run/1");

    const std::string text = report::render_terminal(report::try_document(result, {"./shop", "7"}), {});
    CHECK(text.find("-11.9 %") != std::string::npos);
    CHECK(text.find("75.0 %") != std::string::npos); // served, of both together
    CHECK(text.find("left out: text (20.0 % of allocations): its blocks have many sizes") !=
          std::string::npos);
}

TEST_CASE("the CSV of try keeps its columns: those of run, and what is of a trial") {
    try_result result = measured(row_of("pools", 0.881, 0.874, 0.888, verdict::better, 10.3));
    result.alone.rows = {row_of(default_name, 1, 1, 1, verdict::no_difference, 10),
                         row_of("pools-1", 0.9, 0.89, 0.91, verdict::better, 10)};
    result.candidates.list[0].addresses = {"shop+0x1000"};
    for (run_result* run : {&result.alone, &result.together}) {
        for (run_row& row : run->rows) {
            row.samples = {{.round = 0, .values = {{"cpu_ns", 2e8}}}};
        }
    }
    const std::string text = report::render_csv(report::try_document(result, {"./shop", "7"}));
    CHECK(text.starts_with(
        "contender,title,metric,unit,rounds,median,low,high,min,ratio,ratio_low,ratio_high,p,"
        "p_adjusted,call,noise_floor,repeated,failure,command,complete,started,version,cpu,"
        "part,share,hits,routed,chosen,address\r\n"));
    const auto line_of = [&](const std::string& begin) {
        const std::size_t at = text.find("\r\n" + begin);
        REQUIRE(at != std::string::npos);
        return text.substr(at + 2, text.find('\r', at + 2) - at - 2);
    };
    CHECK(line_of("pools-1,pools-1,cpu_ns,ns,1,").ends_with(",alone,0.5,1000,1,true,shop+0x1000"));
    CHECK(line_of("pools-1,pools-1,cpu_ns,ns,1,").find(",0.9,0.89,0.91,") != std::string::npos);
    CHECK(line_of("pools,pools,cpu_ns,ns,1,").ends_with(",together,,,,,"));
}

TEST_CASE("every form of the trial says the verdict and the same figures") {
    try_result result = measured(row_of("pools", 0.881, 0.874, 0.888, verdict::better, 10.3));
    result.candidates.left_out = {{"te|xt", "its blocks have many sizes", 0.2, {}}};
    const std::vector<std::string> command{"./shop", "7"};
    const report::document d = report::try_document(result, command);
    const std::string markdown = report::render_markdown(d);
    CHECK(markdown.starts_with("**Pools for \\`order\\` and \\`trade\\` save 11.9 % (11.2 to 12.6)"));
    const std::string plain = report::render_terminal(d, {});
    const std::string page = report::render_html(d);
    for (const std::string figure :
         {"-11.9 %", "-12.6 to -11.2", "75.0 %", "+0.3", "its blocks have many sizes", "less"}) {
        CHECK_MESSAGE(plain.find(figure) != std::string::npos, figure);
        CHECK_MESSAGE(markdown.find(figure) != std::string::npos, figure);
    }
    for (const std::string figure :
         {"−11.9 %", "−12.6 to −11.2", "75.0 %", "+0.3", "its blocks have many sizes", "▼ less"}) {
        CHECK_MESSAGE(page.find(figure) != std::string::npos, figure);
    }
    CHECK(markdown.find("| **-11.9 %** |") != std::string::npos);
    CHECK(markdown.find("left out: te\\|xt") != std::string::npos);
    CHECK(page.find("class=\"lead\"") < page.find("−11.9 %"));
}

} // namespace linn::tool::try_findings_tests
