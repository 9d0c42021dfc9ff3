// SPDX-License-Identifier: Apache-2.0
// What other programs read: a field of "linn.bench/2" or "linn.run/1" that goes away or changes its name turns this red.
// A new field is no error here; add it to the list when it is documented. ("linn.compare/1": tests/tool/compare_cases.py.)
#include "fake_bench.hpp"
#include "report/commands/bench_report.hpp"
#include "report/commands/run_report.hpp"
#include "report/render/render.hpp"

#include <nlohmann/json.hpp>

#include <initializer_list>
#include <string>

namespace linn::tool::schemas_tests {

using nlohmann::json;

void require_fields(const json& object, std::initializer_list<const char*> names) {
    for (const char* name : names) {
        CAPTURE(name);
        CHECK(object.contains(name));
    }
}

json bench_of(const char* name) {
    fake_bench run{name};
    const std::map<std::string, double> metrics{{"receiver_idle", 0.5}};
    run.add("glibc", {}, 100, metrics);
    run.add("glibc-again", {}, 100, metrics);
    run.add("linn", run.scenario().what->comparisons.front().ours, 100, metrics);
    run.result.missing.push_back({"hoard", "", "not installed", ""});
    return json::parse(report::bench_json(run.judged()));
}

run_result small_run() {
    run_result result;
    result.verdict = "No difference";
    result.what.command = {"prog", "a,b"};
    for (const char* name : {default_name, default_again_name, "=jem|alloc"}) {
        run_row row;
        row.contender.name = row.contender.title = name;
        for (std::size_t round = 0; round != 3; ++round) {
            row.samples.push_back({round, {{"wall_ns", 2e6}, {"major_faults", 0}}});
        }
        row.estimates["wall_ns"] = {{2e6, 1e6, 3e6, 0.9, 0.8, 1.1}, 0.5, 0.6, verdict::no_difference};
        result.rows.push_back(row);
    }
    result.noise_floor["wall_ns"] = {1, 0.9, 1.1, 0.4, 0.02};
    result.left_out.push_back({"hoard", "not installed"});
    return result;
}

TEST_CASE("linn.bench/2 keeps its fields") {
    for (const char* name : {"object", "pipeline"}) {
        CAPTURE(name);
        const json result = bench_of(name);
        CHECK(result["schema"] == "linn.bench/2");
        require_fields(result, {"version", "started", "seconds", "complete", "complete_rounds", "options",
                                "machine", "contenders", "scenarios", "left_out", "summary", "findings"});
        require_fields(result["options"], {"rounds", "warm_up_rounds", "seed", "cpu", "timeout_s",
                                           "container", "n", "objects", "object_bytes", "work"});
        require_fields(result["machine"], {"cpu", "cpus", "kernel", "transparent_huge_pages", "compiler",
                                           "build", "counter", "cycles_per_ns", "environment"});
        require_fields(result["contenders"][0],
                       {"name", "title", "kind", "library", "proof", "notes", "environment"});
        require_fields(result["contenders"][0]["proof"], {"preload_mapped", "providers"});
        require_fields(result["left_out"][0], {"name", "scenario", "variant", "reason"});
        const json& scenario = result["scenarios"][0];
        require_fields(scenario,
                       {"name", "summary", "operation", "group", "phases", "noise_floor", "claim_threshold",
                        "baseline", "variants", "rows", "comparisons", "published"});
        const json& row = scenario["rows"][0];
        require_fields(row, {"contender", "variant", "rounds", "repeated", "disturbed", "peak_rss_bytes",
                             "ratio_to_glibc", "phases"});
        const json& phase = row["phases"].front();
        require_fields(phase, {"cycles", "ns", "page_faults", "ratio_to_glibc", "metrics", "published"});
        require_fields(phase["cycles"], {"median", "low", "high", "minimum", "samples"});
        require_fields(phase["ns"], {"median", "low", "high", "minimum"});
        const json& comparison = scenario["comparisons"][0];
        require_fields(comparison, {"variant", "rivals", "phases"});
        require_fields(comparison["phases"].front(),
                       {"best_other", "best_other_variant", "speed_up", "uncertainty", "outcome"});
    }
}

TEST_CASE("linn.run/1 keeps its fields") {
    const json result = json::parse(report::run_json(small_run()));
    CHECK(result["schema"] == "linn.run/1");
    require_fields(result, {"version", "started", "seconds", "complete", "complete_rounds", "stopped",
                            "verdict", "findings", "warnings", "program", "options", "machine", "left_behind",
                            "why_no_counters", "metrics", "noise", "rows", "left_out"});
    require_fields(result["program"], {"command", "path", "arguments", "directory", "wrappers", "also_ran",
                                       "own_provider", "remarks"});
    require_fields(result["options"], {"only", "rounds", "least_rounds", "most_rounds", "warm_up_rounds",
                                       "precision", "level", "budget_s", "timeout_s", "seed", "cpus", "input",
                                       "prepare", "ready", "client", "compare_output", "ignore_exit_status"});
    require_fields(result["machine"], {"cpu", "cpus", "kernel", "transparent_huge_pages", "environment"});
    require_fields(result["metrics"][0], {"name", "title", "unit", "compared"});
    require_fields(result["noise"]["wall_ns"], {"ratio", "ratio_low", "ratio_high", "p", "floor"});
    const json& row = result["rows"][2];
    require_fields(row, {"name", "title", "version", "library", "environment", "providers", "notes",
                         "repeated", "failure", "last_output", "output_difference", "estimates", "samples"});
    require_fields(row["estimates"]["wall_ns"],
                   {"median", "low", "high", "ratio", "ratio_low", "ratio_high", "p", "p_adjusted", "call"});
    require_fields(row["samples"][0], {"round", "disturbed", "same_output", "values"});
    require_fields(result["left_out"][0], {"name", "reason"});
}

TEST_CASE("the CSV of run keeps its columns, and has a line a contender and metric") {
    const run_result result = small_run();
    const std::string text = report::render_csv(report::run_document(result));
    CHECK(text.starts_with(
        "contender,title,metric,unit,rounds,median,low,high,min,ratio,ratio_low,ratio_high,p,"
        "p_adjusted,call,noise_floor,repeated,failure,command,complete,started,version,cpu\r\n"));
    CHECK(text.find("default,default,wall_ns,ns,3,2000000,1000000,3000000,2000000,,,,,,,0.02,0,,\"prog "
                    "a,b\",true,") != std::string::npos);
    CHECK(
        text.find("'=jem|alloc,'=jem|alloc,wall_ns,ns,3,2000000,1000000,3000000,2000000,0.9,0.8,1.1,0.5,0.6,"
                  "no difference,0.02,") != std::string::npos);
    CHECK(text.find("'=jem|alloc,'=jem|alloc,major_faults,count,3,0,") != std::string::npos);
}

} // namespace linn::tool::schemas_tests
