// SPDX-License-Identifier: Apache-2.0
// The forms of an advice: what other programs read ("linn.advise/2", the CSV's columns), and what fits a terminal.
#include "advise/advice.hpp"
#include "report/commands/reports.hpp"
#include "report/render/render.hpp"
#include "unit.hpp"

#include <nlohmann/json.hpp>

namespace linn::tool::advise_report_tests {

using nlohmann::json;

advised_type make_type(const std::string& name, const std::string& container, remedy what,
                       const std::string& part) {
    advised_type t;
    t.name = t.named.type = name;
    t.container = t.named.container = container;
    t.named.rule = type_rule::allocator;
    t.what = what;
    t.rule = what == remedy::nothing ? "rare" : "node";
    t.use = {part, part, "use " + part};
    t.why = "a reason";
    t.share = 0.4;
    t.snippet = what == remedy::nothing ? "" : "- old\n+ new\n";
    site_statistics& s = t.statistics;
    s.allocations = 12'345'678;
    s.releases = 10'000'000;
    s.remote_releases = 2'500'000;
    s.bytes = 400;
    s.smallest = s.largest = 40;
    s.sizes = {{40, 12'345'678}};
    s.peak_live = 1000;
    s.lifetimes[10] = 10;
    s.time = {.calls = 0.25, .page_faults = 0.125, .systematic = 0.125};
    advised_place place;
    place.frame = {"work(int)", "/home/me/app.cpp", 52, 9, false};
    place.share = 1;
    place.callers = {place.frame, {"main", "/home/me/app.cpp", 90, 1, false}};
    t.places.push_back(place);
    return t;
}

advice make_advice() {
    advice a;
    a.verdict = "A pool would help: start | here.";
    a.answer = pool_answer::yes;
    a.analysis.info.baseline_cpu_ns = 4e8;
    a.analysis.time = {.why_not = time_unknown::none,
                       .share = 0.4,
                       .low = 0.36,
                       .high = 0.44,
                       .calls = 0.38,
                       .page_faults = 0.02,
                       .samples = 12'000,
                       .cpu_ns = 4e8};
    a.pools = {0.2, 0.44};
    a.analysis.info.command = {"./app", "a b"};
    a.analysis.info.threads.resize(2);
    a.analysis.all.allocations = 20'000'000;
    a.types.push_back(
        make_type("Particle", "std::list<Particle>", remedy::pooled_container, "linn::list<Particle>"));
    a.types.push_back(make_type("=Evil|<T>", "", remedy::nothing, ""));
    a.types.push_back(
        make_type("a::very::long::name::of::a::type::that::does::not::fit::any::terminal<int, int, long>", "",
                  remedy::pooled_class, "struct T : linn::pooled<T>"));
    a.findings.push_back({"leak", "not freed: one block", {}, 100, 1});
    a.warnings.emplace_back("something is weak");
    return a;
}

TEST_CASE("the JSON has the shares and remedies of the advice") {
    const json j = json::parse(report::advise_json(make_advice()));
    const json& type = j["types"][0];
    CHECK(type["remedy"] == "pooled-container");
    CHECK(type["time_share"] == 0.375);
    CHECK(type["time_high"] == 0.5);
    CHECK(j["allocation_time"]["share"] == 0.4);
    CHECK(type["statistics"]["lifetime_histogram_ns"].size() == 11);
    CHECK(j["types"][1]["remedy"] == "nothing");
}

TEST_CASE("the CSV has a line a type, and its columns stay") {
    const std::string text = report::render_csv(report::advise_document(make_advice(), {}));
    CHECK(text.starts_with("label,type,container,allocations,share,time_share,time_low,time_high,bytes,most_"
                           "frequent_size,uniformity,smallest,"
                           "largest,releases,remote_releases,temporary,peak_live,peak_live_bytes,live_at_end,"
                           "live_bytes_at_end,median_lifetime_ns,threads,zero_filled_bytes,remedy,rule,use,"
                           "file,line,function,command,started,version,"
                           "runtime,answer,address\r\n"));
    CHECK(std::count(text.begin(), text.end(), '\n') == 4);
    CHECK(text.find("\r\n'=Evil|<T>,'=Evil|<T>,,12345678,0.4,0.375,0.25,0.5,") != std::string::npos);
    CHECK(text.find(",pooled-container,node,linn::list<Particle>,/home/me/app.cpp,52,work(int),") !=
          std::string::npos);
}

TEST_CASE("--top and --type") {
    const advice a = make_advice();
    const std::string top =
        report::render_terminal(report::advise_document(a, {.top = 1, .only_type = {}}), {100, false});
    CHECK(top.find("2 more types") != std::string::npos);
    const std::string one =
        report::render_terminal(report::advise_document(a, {.top = 10, .only_type = "Evil"}), {100, false});
    CHECK(one.find("std::list<Particle>") == std::string::npos);
    CHECK(one.find("from /home/me/app.cpp:90, main") != std::string::npos);
    CHECK(
        report::render_terminal(report::advise_document(a, {.top = 10, .only_type = "nosuch"}), {100, false})
            .find("no type has 'nosuch' in its name") != std::string::npos);
}

} // namespace linn::tool::advise_report_tests
