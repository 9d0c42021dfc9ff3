// SPDX-License-Identifier: Apache-2.0
#include "../../advise/advice.hpp"
#include "../../advise/type_groups.hpp"
#include "../../measure/suggest.hpp"
#include "../../measure/words.hpp"
#include "../document/document.hpp"
#include "profile_parts.hpp"
#include "report_parts.hpp"
#include "reports.hpp"

#include <nlohmann/json.hpp>

namespace linn::tool::report {
namespace {

using nlohmann::ordered_json;

/// Null where it is not known.
ordered_json time_json(const allocation_time& t) {
    if (!t.is_known()) {
        return {};
    }
    return {{"share", t.share},
            {"low", t.low},
            {"high", t.high},
            {"calls", t.calls},
            {"page_faults", t.page_faults},
            {"waiting", t.waiting},
            {"samples", t.samples},
            {"left_out", t.left_out},
            {"faults", t.faults},
            {"cpu_ns", t.cpu_ns}};
}

const char* to_word(time_unknown why) {
    return word_of(why, {"", "not-recorded", "no-counter", "counter-jumps", "few-samples", "no-cpu-time"});
}

/// A histogram without the empty places at its end.
ordered_json histogram_json(const log2_histogram& h) {
    std::size_t used = h.size();
    while (used != 0 && h[used - 1] == 0) {
        --used;
    }
    return ordered_json(std::vector<std::uint64_t>(h.begin(), h.begin() + static_cast<std::ptrdiff_t>(used)));
}

ordered_json statistics_json(const site_statistics& s) {
    const ordered_json sizes = list_json(s.sizes, [](const auto& entry) {
        return ordered_json{{"bytes", entry.first}, {"count", entry.second}};
    });
    // What lies next to each other is not in a sample.
    const bool is_sample = s.spread.blocks != 0;
    const auto of_neighbours = [&](std::uint64_t n) { return known_or_null(!is_sample, n); };
    return {{"allocations", s.allocations},
            {"bytes", s.bytes},
            {"sample", sample_json(s.spread, static_cast<double>(s.bytes))},
            {"smallest", s.smallest},
            {"largest", s.largest},
            {"sizes", sizes},
            {"uniformity", s.uniformity()},
            {"size_histogram", histogram_json(s.size_histogram)},
            {"releases", s.releases},
            {"remote_releases", s.remote_releases},
            {"temporary", of_neighbours(s.temporary)},
            {"reallocations", s.reallocations},
            {"outgrown", of_neighbours(s.outgrown)},
            {"lifetime_histogram_ns", histogram_json(s.lifetimes)},
            {"median_lifetime_ns", known_or_null(s.releases != 0, s.lifetime_quantile(0.5))},
            {"live_at_end", s.live_at_end},
            {"live_bytes_at_end", s.live_bytes_at_end},
            {"peak_live", s.peak_live},
            {"peak_live_bytes", s.peak_live_bytes},
            {"longest_burst", of_neighbours(s.longest_burst)},
            {"threads", s.threads},
            {"zero_fills", s.fills},
            {"zero_filled_bytes", s.filled_bytes},
            {"zero_fill_ns", s.fill_ns}};
}

ordered_json advised_place_json(const advised_place& p) {
    ordered_json place = frame_json(p.frame);
    place["share"] = p.share;
    place["callers"] = list_json(p.callers, frame_json);
    return place;
}

ordered_json type_json(const advised_type& t, bool is_time_known) {
    const time_share time = t.statistics.time.share();
    const auto of_time = [&](double share) { return known_or_null(is_time_known, share); };
    return {{"label", label_of(t)},
            {"type", t.name},
            {"address", text_or_null(t.named.blocks.address)},
            {"container", text_or_null(t.container)},
            {"allocated", text_or_null(t.named.allocated)},
            {"instantiations", t.instantiations},
            {"named_by", to_string(t.named.rule)},
            {"is_array", t.named.is_array},
            {"declared", t.named.declared.file.empty() ? ordered_json{}
                                                       : ordered_json{{"file", t.named.declared.file},
                                                                      {"line", t.named.declared.line}}},
            {"takes_allocator", text_or_null(t.named.takes_allocator)},
            {"share", t.share},
            {"time_share", of_time(time.value)},
            {"time_low", of_time(time.low)},
            {"time_high", of_time(time.high)},
            {"remedy", to_string(t.what)},
            {"rule", t.rule},
            {"use", text_or_null(t.use.text)},
            {"runtime", text_or_null(t.runtime)},
            {"huge_pages", t.wants_huge_pages},
            {"why", t.why},
            {"change", text_or_null(t.snippet)},
            {"places", list_json(t.places, advised_place_json)},
            {"statistics", statistics_json(t.statistics)}};
}

ordered_json trace_json(const trace_info& info) {
    ordered_json json = recorded_json(info);
    json.update({{"event_cost_ns", info.event_cost_ns},
                 {"baseline_cpu_ns", positive_or_null(info.baseline.cpu_ns)},
                 {"contents", info.contents},
                 {"sample_bytes", info.sample_bytes},
                 {"events", info.events},
                 {"dropped", info.dropped},
                 {"processes", info.processes.size()},
                 {"threads", info.threads.size()},
                 {"damage", info.missing}});
    return json;
}

ordered_json advice_finding_json(const advice_finding& f) {
    const bool has_place = !f.place.file.empty() || !f.place.function.empty();
    return {{"kind", f.kind},
            {"text", f.text},
            {"bytes", f.bytes},
            {"count", f.count},
            {"place", known_or_null(has_place, frame_json(f.place))}};
}

ordered_json runtime_json(const runtime_blocks& blocks) {
    return {{"rule", blocks.rule}, {"what", blocks.what}, {"count", blocks.count}, {"bytes", blocks.bytes}};
}

} // namespace

data_table advise_data(const advice& a) {
    ordered_json lines = ordered_json::array();
    for (const advised_type& t : a.types) {
        ordered_json line = type_json(t, a.analysis.time.is_known());
        line.update(ordered_json(line["statistics"])); // a copy: it grows the object that holds them
        line.update({{"command", shell_words(a.analysis.info.command)},
                     {"started", a.analysis.info.started},
                     {"version", version_text()},
                     {"answer", to_string(a.answer)}});
        lines.push_back(std::move(line));
    }
    return data_of(lines,
                   "label type container allocations share time_share time_low time_high bytes "
                   "most_frequent_size=sizes/0/bytes uniformity smallest largest releases remote_releases "
                   "temporary peak_live peak_live_bytes live_at_end live_bytes_at_end median_lifetime_ns "
                   "threads zero_filled_bytes remedy rule use file=places/0/file line=places/0/line "
                   "function=places/0/function command started version runtime answer address");
}

std::string advise_json(const advice& a) {
    const trace_analysis& run = a.analysis;
    const program_cost cost = cost_of_program(run.info);
    return result_text(
        "linn.advise/2",
        {{"complete", run.info.missing.empty()},
         {"verdict", a.verdict},
         {"answer", to_string(a.answer)},
         {"to_know", text_or_null(a.to_know)},
         {"pool_needed", a.answer == pool_answer::yes},
         {"threshold", a.threshold},
         {"allocation_time", time_json(run.time)},
         {"time_unknown", known_or_null(!run.time.is_known(), to_word(run.time.why_not))},
         {"pools",
          run.time.is_known() ? ordered_json{{"low", a.pools.low}, {"high", a.pools.high}} : ordered_json{}},
         {"program_cpu_ns", positive_or_null(cost.is_guess ? 0 : cost.cpu_ns)},
         {"trace", trace_json(run.info)},
         {"all", statistics_json(run.all)},
         {"unknown_releases", run.unknown_releases},
         {"unseen_releases", run.unseen_releases},
         {"inherited_releases", run.inherited_releases},
         {"failures", run.failures},
         {"timeline",
          {{"step_ns", run.over_time.step_ns},
           {"live_bytes", run.over_time.live_bytes},
           {"live_blocks", run.over_time.live_blocks},
           {"events", run.over_time.events}}},
         {"types",
          list_json(a.types, [&](const advised_type& t) { return type_json(t, run.time.is_known()); })},
         {"findings", list_json(a.findings, advice_finding_json)},
         {"kept_by_runtime", list_json(a.kept_by_runtime, runtime_json)},
         {"warnings", a.warnings}});
}

} // namespace linn::tool::report
