// SPDX-License-Identifier: Apache-2.0
#include "print.hpp"

#include "report/table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <set>

namespace linn::bench {
namespace {

using statistic = double (*)(const row&, const std::string&);

constexpr std::size_t unlimited = 1000; // columns of text: a report never drops a contender

std::string number(double value) {
    if (value <= 0) {
        return "-";
    }
    return value < 10 ? fmt::format("{:.2f}", value) : fmt::format("{:.1f}", value);
}

std::string ratio(double numerator, double denominator) {
    return numerator > 0 && denominator > 0 ? fmt::format("{:.2f}", numerator / denominator) : "-";
}

/// A cell a line, a contender a column, and how Linn compares.
std::string values_table(const run_summary& s, statistic value, double scale) {
    std::vector<const row*> shown;
    for (const role kind : {role::ours, role::floor, role::peer, role::general}) {
        for (const row* r : s.measured.all(kind)) {
            shown.push_back(r);
        }
    }
    const row* ours = s.measured.find(role::ours);
    const row* floor = s.measured.find(role::floor);
    std::vector<tool::table_column> columns{{"", "", true}};
    for (const row* r : shown) {
        columns.push_back({r->label, "", false});
    }
    columns.push_back({"best rival", "", true});
    columns.push_back({"rival/ours", "", false});
    if (floor != nullptr) {
        columns.push_back({"ours/floor", "", false});
    }
    tool::table t{columns};
    for (const std::string& cell : s.what.cells) {
        std::vector<std::string> line{cell};
        const row* best = nullptr;
        for (const row* r : shown) {
            const double v = value(*r, cell);
            line.push_back(number(v * scale));
            const bool rival = r->kind == role::general || r->kind == role::peer;
            if (rival && v > 0 && (best == nullptr || v < value(*best, cell))) {
                best = r;
            }
        }
        const double mine = ours != nullptr ? value(*ours, cell) : 0;
        line.push_back(best != nullptr ? best->label : "-");
        line.push_back(ratio(best != nullptr ? value(*best, cell) : 0, mine));
        if (floor != nullptr) {
            line.push_back(ratio(mine, value(*floor, cell)));
        }
        t.add_row(line);
    }
    return t.render({unlimited, false});
}

void print_notes(const run_summary& s) {
    for (const row& r : s.measured.rows) {
        for (const std::string& note : r.notes) {
            fmt::print("{}: {}\n", r.label, note);
        }
    }
    std::set<std::string> said;
    for (const row& r : s.measured.rows) {
        if (!r.problem.empty() && said.insert(r.label).second) {
            fmt::print("left out: {}: {}\n", r.label, r.problem);
        }
    }
}

} // namespace

void print_report(const run_summary& s) {
    fmt::print("{}: {}\n{}, {} CPUs, {} rounds in random order, contenders in processes of their own; "
               "cycles are of the {}\n",
               s.what.name, s.what.title, s.machine.cpu_model, s.machine.cpus, s.rounds, s.machine.counter);
    const double scale = s.what.samples_are_ticks ? 1 / s.machine.ticks_per_ns : 1;
    fmt::print("\nminimum, {}\n{}", s.what.unit, values_table(s, minimum_of, scale));
    fmt::print("\nmedian, {}\n{}", s.what.unit, values_table(s, median_of, scale));
    if (s.what.samples_are_ticks) {
        fmt::print("\nminimum, cycles\n{}", values_table(s, minimum_of, 1));
    }
    fmt::print("\n");
    print_notes(s);
    for (const verdict& v : s.verdicts) {
        fmt::print("{}  {}: {}\n", v.pass ? "PASS" : "MISS", v.target, v.measured);
    }
}

std::string json_report(const run_summary& s) {
    using nlohmann::json;
    json j{{"schema", "linn-bench-micro/1"},
           {"workload", s.what.name},
           {"title", s.what.title},
           {"unit", s.what.samples_are_ticks ? "cycles" : s.what.unit},
           {"ticks_per_ns", s.machine.ticks_per_ns},
           {"counter", s.machine.counter},
           {"cpu", s.machine.cpu_model},
           {"cpus", s.machine.cpus},
           {"compiler", __VERSION__},
           {"rounds", s.rounds},
           {"rows", json::array()},
           {"targets", json::array()}};
    for (const row& r : s.measured.rows) {
        json cells = json::object();
        for (const auto& [cell, samples] : r.samples) {
            cells[cell] = {
                {"minimum", minimum_of(r, cell)}, {"median", median_of(r, cell)}, {"samples", samples}};
        }
        j["rows"].push_back({{"label", r.label},
                             {"allocator", r.allocator},
                             {"library", r.library.string()},
                             {"left_out", r.problem},
                             {"notes", r.notes},
                             {"cells", cells}});
    }
    for (const verdict& v : s.verdicts) {
        j["targets"].push_back({{"target", v.target}, {"measured", v.measured}, {"pass", v.pass}});
    }
    return j.dump(2, ' ', false, json::error_handler_t::replace) + '\n';
}

} // namespace linn::bench
