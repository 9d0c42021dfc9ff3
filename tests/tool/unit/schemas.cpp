// SPDX-License-Identifier: Apache-2.0
// What other programs read. That a page names every field of the JSON: result_of in tests/tool/cases.py.
#include "report/commands/run_report.hpp"
#include "report/render/render.hpp"

#include <doctest/doctest.h>

#include <string>

namespace linn::tool::schemas_tests {

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
