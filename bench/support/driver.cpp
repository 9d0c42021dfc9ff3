// SPDX-License-Identifier: Apache-2.0
#include "allocators/catalogue.hpp"
#include "allocators/finder.hpp"
#include "child.hpp"
#include "measure.hpp"
#include "measure/machine.hpp"
#include "print.hpp"
#include "report/progress.hpp"
#include "report/text_file.hpp"
#include "workload.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace linn::bench {
namespace {

/// Before every child: a virtual machine fetches pages from its host at the first touch, and the first contender
/// after a pause would pay for all.
constexpr std::size_t touched_bytes = std::size_t{192} << 20;

struct options {
    std::size_t rounds = 0;
    std::uint64_t seed = 1;
    std::vector<std::string> only;
    std::string json;
    std::string child;
    std::string preload;
    bool quick = false;
};

/// Every contender, those of the general role under every allocator that is known.
std::vector<row> plan_rows(const workload& w) {
    std::vector<row> rows;
    const std::vector<std::filesystem::path> directories = tool::library_directories();
    for (std::size_t i = 0; i != w.contenders.size(); ++i) {
        const contender& c = w.contenders[i];
        row r;
        r.kind = c.kind;
        r.contender = i;
        r.allocator = "glibc";
        r.label = c.kind == role::general ? r.allocator : c.name;
        rows.push_back(r);
        if (c.kind != role::general) {
            continue;
        }
        for (const tool::known_allocator& a : tool::known_allocators()) {
            const tool::found_library found = tool::find_library(a, directories);
            r.allocator = a.name;
            r.label = r.allocator;
            r.library = found.path;
            r.problem = found.problem;
            rows.push_back(r);
        }
    }
    return rows;
}

bool wanted(const row& r, const std::vector<std::string>& only) {
    return only.empty() || std::find(only.begin(), only.end(), r.label) != only.end();
}

/// The first name that no row has; empty when there is none.
std::string unknown_name(const std::vector<row>& rows, const std::vector<std::string>& only) {
    for (const std::string& name : only) {
        if (std::none_of(rows.begin(), rows.end(), [&](const row& r) { return r.label == name; })) {
            return name;
        }
    }
    return {};
}

/// Rounds of all rows, each round in an order of its own. @returns complete rounds
std::size_t measure(const workload& w, const options& o, const tool::interrupt_guard& guard, results& all) {
    random_numbers random{o.seed};
    tool::progress_line line;
    std::vector<std::size_t> order(all.rows.size());
    for (std::size_t i = 0; i != order.size(); ++i) {
        order[i] = i;
    }
    tool::work_progress progress;
    progress.total = o.rounds * order.size();
    for (std::size_t round = 0; round != o.rounds; ++round) {
        shuffle(order.data(), order.size(), random);
        for (const std::size_t i : order) {
            row& r = all.rows[i];
            progress.doing = r.label;
            line.show(progress);
            const child_request request{w.contenders[r.contender].name, r.library, o.quick};
            if (!o.quick) {
                tool::touch_memory(touched_bytes);
            }
            if (r.problem.empty() && !run_contender(request, guard, r)) {
                return round;
            }
            ++progress.done;
        }
    }
    return o.rounds;
}

int drive(const workload& w, const options& o) {
    results all;
    all.rows = plan_rows(w);
    if (const std::string unknown = unknown_name(all.rows, o.only); !unknown.empty()) {
        std::vector<std::string> known;
        for (const row& r : all.rows) {
            known.push_back(r.label);
        }
        fmt::print(stderr, "--only: there is no contender '{}'; there are: {}\n", unknown,
                   fmt::join(known, ", "));
        return 2;
    }
    std::erase_if(all.rows, [&](const row& r) { return !wanted(r, o.only); });
    const tool::machine_info machine = tool::inspect_machine();
    const tool::interrupt_guard guard;
    const std::size_t rounds = measure(w, o, guard, all);
    run_summary summary{w, all, machine, rounds, {}};
    // Targets compare with everything, so a selection has none.
    if (o.only.empty() && rounds != 0) {
        summary.verdicts = w.judge(all);
    }
    if (rounds != 0) {
        print_report(summary);
    }
    if (!o.json.empty()) {
        if (const std::string problem = tool::write_atomically(o.json, json_report(summary));
            !problem.empty()) {
            fmt::print(stderr, "{}: {}\n", o.json, problem);
            return 1;
        }
    }
    return rounds == o.rounds ? 0 : 130;
}

} // namespace

int run_workload(int argc, char** argv, const workload& w) {
    options o;
    o.rounds = w.rounds;
    CLI::App app{w.title, "linn-bench-" + w.name};
    app.add_option("--rounds", o.rounds, "Rounds; each starts every contender once")
        ->check(CLI::Range(1, 1000));
    app.add_option("--seed", o.seed, "Seed of the random order of contenders");
    app.add_option("--only", o.only,
                   "Measure these contenders only, by their names in the table (comma-separated)")
        ->delimiter(',');
    app.add_option("--json", o.json, "Write every sample to this file as well");
    app.add_flag("--quick", o.quick, "One round of less work: shows that it runs, measures nothing");
    app.add_option("--child", o.child)->group("");
    app.add_option("--preload", o.preload)->group("");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? 0 : 2;
    }
    try {
        if (!o.child.empty()) {
            return be_contender({o.child, o.preload, o.quick}, w);
        }
        if (o.quick) {
            o.rounds = 1;
        }
        return drive(w, o);
    } catch (const std::exception& e) {
        fmt::print(stderr, "{}\n", e.what());
        return 1;
    }
}

} // namespace linn::bench
