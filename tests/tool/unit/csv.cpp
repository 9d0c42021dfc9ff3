// SPDX-License-Identifier: Apache-2.0
// The CSV of the tool is read by spreadsheets and by scripts; what each of them stumbles over is quoted or kept out.
#include "bench/judgement.hpp"
#include "fake_bench.hpp"
#include "report/commands/reports.hpp"
#include "report/render/render.hpp"
#include "run/results.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <clocale>
#include <limits>
#include <string>
#include <vector>

namespace linn::tool::csv_tests {

using report::csv_line;

TEST_CASE("fields with commas, quotes, line ends or spaces at an end are quoted, others are not") {
    CHECK(csv_line({"plain", "two words"}) == "plain,two words\r\n");
    CHECK(csv_line({"a,b", "say \"hi\"", "line\nend", " led", "carriage\rreturn"}) ==
          "\"a,b\",\"say \"\"hi\"\"\",\"line\nend\",\" led\",\"carriage\rreturn\"\r\n");
    CHECK(csv_line({"", nullptr, NAN}) == ",,\r\n");
    CHECK(csv_line({"\"", ",", "\r\n"}) == "\"\"\"\",\",\",\"'\r\n\"\r\n");
}

TEST_CASE("text that a spreadsheet would run as a formula is made text") {
    CHECK(csv_line({"=1+1", "+x", "-x", "@SUM(A1)", "\tx", "a=b"}) == "'=1+1,'+x,'-x,'@SUM(A1),'\tx,a=b\r\n");
    CHECK(csv_line({"=HYPERLINK(\"x\",\"y\")"}) == "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\"\r\n");
    CHECK(csv_line({-1.5}) == "-1.5\r\n"); // a number is no formula
}

TEST_CASE("numbers keep every digit and their point in any locale") {
    const std::string before = std::setlocale(LC_ALL, nullptr);
    // Not every machine has one with a decimal comma; where it has, this is what breaks printf.
    for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"}) {
        if (std::setlocale(LC_ALL, name) != nullptr) {
            break;
        }
    }
    CHECK(csv_line({0.1, 1e6, 1234567.25, std::uint64_t{12345678901}, 7U, true, false}) ==
          "0.1,1000000,1234567.25,12345678901,7,true,false\r\n");
    CHECK(csv_line({1.0 / 3, 2.5}) == "0.3333333333333333,2.5\r\n");
    CHECK(csv_line({std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) ==
          ",\r\n");
    std::setlocale(LC_ALL, before.c_str());
}

TEST_CASE("the CSV of bench has a line a phase that was measured, and the columns that are documented") {
    bench_result result;
    result.machine.ticks_per_ns = 2;
    result.machine.cpu_model = "CPU, \"fast\"";
    result.started = "2026-01-01T00:00:00Z";
    for (const char* name : {"glibc", "glibc-again", "=mine"}) {
        contender c;
        c.name = c.title = name;
        result.contenders.push_back(c);
    }
    result.scenarios.push_back({&scenario_named("object")});
    for (std::size_t c = 0; c != 3; ++c) {
        row r;
        r.contender = c; // all of them in the first variant
        for (const double cycles : {20.0, 10.0, 30.0, 20.0, 10.0, 30.0}) {
            r.samples.push_back({.cycles = {cycles, cycles * static_cast<double>(c + 1), c == 2 ? 0 : cycles},
                                 .faults = {1, 0, 0.5},
                                 .peak_rss_bytes = 4096});
        }
        result.scenarios[0].rows.push_back(r);
    }
    judge(result);
    const std::string text = report::render_csv(report::bench_document(result));
    // Stable: docs/reference/csv.md. New columns go to the end.
    CHECK(
        text.starts_with("scenario,variant,contender,phase,operation,rounds,ns_median,ns_low,ns_high,ns_min,"
                         "cycles_median,cycles_min,ratio_to_glibc,noise_floor,claim_threshold,page_faults,"
                         "peak_rss_bytes,repeated,disturbed,metrics,complete,started,version,cpu\r\n"));
    CHECK(std::count(text.begin(), text.end(), '\n') == 1 + 8); // the third contender has no third phase
    // 60 cycles at 2 a nanosecond
    CHECK(text.find("object,general,'=mine,many,pair,6,30,15,45,15,60,30,3,") != std::string::npos);
    CHECK(text.ends_with(",true,2026-01-01T00:00:00Z," + version_text() + ",\"CPU, \"\"fast\"\"\"\r\n"));
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

} // namespace linn::tool::csv_tests
