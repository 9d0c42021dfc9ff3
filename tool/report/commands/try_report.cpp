// SPDX-License-Identifier: Apache-2.0
#include "../../advise/advice.hpp"
#include "../../measure/process.hpp"
#include "../../measure/suggest.hpp"
#include "../../run/run.hpp"
#include "../../symbols/cxx_name.hpp"
#include "../../try/trial.hpp"
#include "../plots/plots.hpp"
#include "report_parts.hpp"
#include "reports.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool::report {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t name_letters = 44;

/// Arms that were measured in turns, and are compared with the same plain program.
struct trial_part {
    const char* name; ///< what the JSON calls it
    const char* heading;
    run_result try_result::* run;
};

constexpr trial_part all_parts[]{
    {"screening", "a short screening of allocators", &try_result::screening},
    {"deciding", "all pools together, and the best allocators", &try_result::deciding},
    {"explaining", "parts of them", &try_result::explaining}};

const metric_info& cpu_time() {
    return metric_named(cpu_metric);
}

std::optional<double> routed_together(const try_result& result, const std::vector<std::size_t>& candidates) {
    double served = 0;
    double all = 0;
    for (const std::size_t i : candidates) {
        const std::optional<double> share = result.routed(i);
        if (!share) {
            return std::nullopt;
        }
        const auto allocations = static_cast<double>(result.candidates.list[i].allocations);
        served += *share * allocations;
        all += allocations;
    }
    return all > 0 ? std::optional{served / all} : std::nullopt;
}

/// Percentages whose column says so.
constexpr scale percent{"%", 0.01, 1};

cell share_cell(const std::optional<double>& share) {
    return share ? cell{{}, figure_of(unit::share, *share, percent), " %"} : cell{};
}

cell served_cell(const try_result& result, const run_row& row) {
    const std::string_view name = row.contender.name;
    const bool is_all = name == chosen_arm || name == over_arm;
    const try_arm* const arm = is_all && !result.arms.empty() ? &result.arms.front() : result.find_arm(name);
    return arm == nullptr || arm->served.empty() ? cell{} : share_cell(routed_together(result, arm->served));
}

/// Peak memory: of the plain program itself, of the others by how much more.
cell memory_cell(const run_row& row, const run_row& plain) {
    const estimate* e = row.find_estimate("peak_rss_bytes");
    const estimate* before = plain.find_estimate("peak_rss_bytes");
    if (e == nullptr || before == nullptr) {
        return {};
    }
    if (row.contender.is_default()) {
        return figure_of(unit::bytes, e->median, mebibytes);
    }
    quantity more = figure_of(unit::bytes, e->median - before->median, mebibytes);
    more.is_signed = true;
    return more;
}

void add_arms(table& t, const try_result& result, const trial_part& part) {
    const run_result& run = result.*part.run;
    const run_row* plain = run.find(default_name);
    if (plain == nullptr || plain->find_estimate(cpu_metric) == nullptr) {
        return;
    }
    t.add_heading(part.heading);
    for (const run_row& r : run.rows) {
        const estimate* e = r.find_estimate(cpu_metric);
        if (e == nullptr) {
            continue;
        }
        const bool is_default = r.contender.is_default();
        const cell said = verdict_cell(r, *e, cpu_metric);
        quantity bounds = bounds_of(unit::change, e->ratio_low - 1, e->ratio_high - 1);
        bounds.in = percent;
        bounds.is_signed = true;
        t.add({r.contender.title, figure_of(unit::nanoseconds, e->median, {"ms", 1e6, 1}),
               is_default ? cell{} : cell{figure_of(unit::change, e->ratio - 1)}.styled(said.style),
               is_default ? cell{} : cell{bounds}, said, memory_cell(r, *plain), served_cell(result, r)},
              r.contender.is_control()     ? emphasis::muted
              : e->call == verdict::better ? emphasis::good
                                           : emphasis::none);
    }
}

table arms_table(const try_result& result) {
    table t{"CPU time, peak memory, and what the pools served",
            {{.heading = "pools for",
              .is_text = true,
              .shorten = cut::type,
              .least = name_letters,
              .most = name_letters},
             {.heading = "ms", .group = "CPU time", .droppable = 2},
             {.heading = "change", .group = "CPU time"},
             {.heading = "95 %", .group = "CPU time"},
             {.heading = "verdict", .is_text = true},
             {.heading = "MiB", .group = "peak memory", .droppable = 1},
             {.heading = "served"}}};
    for (const trial_part& part : all_parts) {
        add_arms(t, result, part);
    }
    return t;
}

std::vector<std::string> how_it_was_measured(const try_result& result,
                                             const std::vector<std::string>& command) {
    std::vector<std::string> lines{
        "medians of the runs; changes against the default in the same round, with the 95 % interval of their "
        "median; served: share of the recorded allocations of the types that have pools, counted in a run "
        "that is not timed"};
    const run_result& run = result.decisive_run();
    lines.push_back(noise_remark(run, {cpu_metric}));
    lines.emplace_back("in every run, malloc was proven to come from the right library, and the environment "
                       "had the same size");
    lines.push_back(fmt::format("{}: {}", shell_words(command), counted(run.complete_rounds, "round")));
    std::erase(lines, "");
    return lines;
}

void add_left_out(document& d, const try_result& result) {
    list lines;
    for (const try_left_out& l : result.candidates.left_out) {
        lines.lines.push_back(fmt::format("left out: {} ({} of allocations): {}",
                                          short_type(l.type, name_letters),
                                          share_cell(l.share).words(lettering::plain), l.reason));
    }
    d.add_section("left-out", "Left out, and why", forms::page).add(std::move(lines));
}

picture changes_of(const run_result& run) {
    return {[&run] { return html::metrics_plot(run, {&cpu_time()}); },
            "CPU time against the plain program. Each dot is a run by the plain run of the same round; left "
            "is less. The upright mark is the median, written at the end of the line, the bar its interval. "
            "Shaded: the noise floor, what two copies of the plain program differ by."};
}

ordered_json lines_of(const try_result& result) {
    ordered_json lines = ordered_json::array();
    const run_row* const decisive = result.decisive();
    for (const trial_part& part : all_parts) {
        const run_result& run = result.*part.run;
        for (ordered_json line : run_lines(run)) {
            line["part"] = part.name;
            line["decides"] = decisive == run.find(line["contender"].get<std::string>());
            lines.push_back(std::move(line));
        }
    }
    return lines;
}

ordered_json candidate_json(const try_result& result, std::size_t i) {
    const try_candidate& c = result.candidates.list[i];
    const pool_plan plan = arm_of_types(result.candidates, {i}).plan;
    return {{"label", c.label},
            {"types", c.types},
            {"addresses", list_json(c.addresses, text_or_null)},
            {"allocations", c.allocations},
            {"share", c.share},
            {"time_share", positive_or_null(c.time_share)},
            {"sites", c.sites.size()},
            {"pools", c.pools.size()},
            {"hits", i < result.hits.size() ? ordered_json(result.hits[i]) : ordered_json{}},
            {"routed", value_or_null(result.routed(i))},
            {"huge_pages", std::ranges::any_of(plan.pools, &plan_pool::wants_huge_pages)}};
}

/// Bounds that are not known are no numbers, which JSON has as null.
ordered_json saving_json(const interval& s) {
    return {{"saved", s.middle}, {"low", s.low}, {"high", s.high}};
}

ordered_json best_json(const best_arm& best) {
    ordered_json json = saving_json(best.saved);
    json.update({{"row", best.name}, {"rounds", best.rounds}, {"unanimous", best.is_unanimous}});
    return json;
}

/// The form that they vary is in both lists of rows, and has no entry of its own.
ordered_json arms_json(const try_result& result) {
    ordered_json all = ordered_json::array();
    for (const std::vector<try_arm>* list : {&result.arms, &result.parts}) {
        for (const try_arm& arm : *list) {
            all.push_back(
                {{"row", arm.name},
                 {"part", list == &result.arms ? "deciding" : "explaining"},
                 {"title", arm.title},
                 {"mode", arm.mode},
                 {"pools", arm.plan.serves_every_call ? arm.plan.sites.size() : arm.plan.pools.size()},
                 {"candidates", arm.served}});
        }
    }
    return all;
}

ordered_json litter_json(const try_result& result) {
    const run_row* plain = result.littered();
    if (plain == nullptr) {
        return {};
    }
    const probe::litter& one = plain->samples.front().littered;
    return {{"blocks", one.blocks},
            {"freed", one.freed},
            {"bytes", one.bytes},
            {"resident_bytes", one.resident_bytes},
            {"cpu_ns", one.user_ns + one.sys_ns}};
}

ordered_json try_json(const try_result& result, const std::vector<std::string>& command) {
    const try_judgement& judged = result.judged;
    ordered_json json{{"command", command},
                      {"trace", text_or_null(result.trace)},
                      {"complete", result.interrupted_by == 0},
                      {"problem", text_or_null(result.problem)},
                      {"verdict", try_verdict(result)},
                      {"answer", to_string(judged.answer)},
                      {"open", text_or_null(to_string(judged.open))},
                      {"threshold", worth_a_pool},
                      {"gain", optional_json(judged.pools, best_json)},
                      {"allocator", optional_json(judged.allocator, best_json)},
                      {"over", optional_json(judged.over, saving_json)},
                      {"over_allocator", optional_json(judged.over_allocator, saving_json)},
                      {"better", optional_json(judged.better, best_json)},
                      {"findings", try_findings(result)},
                      {"warnings", try_warnings(result)}};
    json["candidates"] = ordered_json::array();
    for (std::size_t i = 0; i != result.candidates.list.size(); ++i) {
        json["candidates"].push_back(candidate_json(result, i));
    }
    json["left_out"] = list_json(result.candidates.left_out, [](const try_left_out& l) {
        return ordered_json{
            {"type", l.type}, {"address", text_or_null(l.address)}, {"reason", l.reason}, {"share", l.share}};
    });
    json["plan"] = result.plan.sites.empty() ? ordered_json{} : ordered_json(plan_text(result.plan));
    json["plan_row"] = text_or_null(result.plan_arm);
    json["arms"] = arms_json(result);
    for (const trial_part& part : all_parts) {
        const run_result& run = result.*part.run;
        json[part.name] = run.rows.empty() ? ordered_json{} : run_fields(run);
    }
    json["litter"] = litter_json(result);
    return result_json("linn.try/2", json);
}

} // namespace

document try_document(const try_result& result, const std::vector<std::string>& command) {
    const run_result& judged = result.decisive_run();
    document d{.command = "linn try",
               .subject = program_of(command),
               .question = fmt::format("What would pools save in {}?", program_of(command)),
               .started = judged.started,
               .machine = judged.machine.cpu_model,
               .lead = try_verdict(result),
               .warnings = try_warnings(result)};
    if (result.interrupted_by != 0) {
        d.alert = "partial: stopped by " + signal_name(result.interrupted_by);
    }
    if (!result.problem.empty()) {
        d.alert += (d.alert.empty() ? "partial: " : ": ") + result.problem;
    }
    d.add(changes_of(judged));
    d.add(list{try_findings(result)});
    table arms = arms_table(result);
    arms.remarks = how_it_was_measured(result, command);
    d.add_section("figures", "Every arm", forms::page).add(std::move(arms));
    add_left_out(d, result);
    if (!judged.rows.empty()) {
        d.add_section("others", "Other metrics").add(others_plot(judged, cpu_time()));
        d.add_section("machine", "Program, machine and options").add(facts_of(judged), forms::page);
        d.provenance =
            provenance_text(judged.started, judged.machine, fmt::format("seed {}", judged.options.seed));
    }
    d.json = [&] { return try_json(result, command); };
    d.data = [&result] { return data_of(lines_of(result), fmt::format("{} part decides", run_columns)); };
    return d;
}

} // namespace linn::tool::report
