// SPDX-License-Identifier: Apache-2.0
#include "analysis_text.hpp"

#include "../trace/redaction.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace linn::tool {
namespace {

using nlohmann::json;

constexpr int version = 1;

/// The plain numbers of a site, in the order in which they are written.
constexpr std::array numbers{&site_statistics::allocations,
                             &site_statistics::bytes,
                             &site_statistics::smallest,
                             &site_statistics::largest,
                             &site_statistics::releases,
                             &site_statistics::remote_releases,
                             &site_statistics::temporary,
                             &site_statistics::reallocations,
                             &site_statistics::live_at_end,
                             &site_statistics::live_bytes_at_end,
                             &site_statistics::peak_live,
                             &site_statistics::peak_live_bytes,
                             &site_statistics::longest_burst,
                             &site_statistics::threads,
                             &site_statistics::fills,
                             &site_statistics::filled_bytes,
                             &site_statistics::fill_ns,
                             &site_statistics::outgrown,
                             &site_statistics::temporary_bytes,
                             &site_statistics::live_at_peak,
                             &site_statistics::live_bytes_at_peak};
constexpr std::size_t first_numbers =
    17; ///< that the first traces have; the others came later, one after the other

/// Place and count of what is not zero.
json to_json(const log2_histogram& h) {
    json out = json::array();
    for (std::size_t i = 0; i != h.size(); ++i) {
        if (h[i] != 0) {
            out.push_back({i, h[i]});
        }
    }
    return out;
}

log2_histogram histogram_of(const json& j) {
    log2_histogram h{};
    for (const json& entry : j) {
        h.at(entry.at(0).get<std::size_t>()) = entry.at(1).get<std::uint64_t>();
    }
    return h;
}

json to_json(const site_statistics& s) {
    json counts = json::array();
    for (const auto member : numbers) {
        counts.push_back(s.*member);
    }
    json out{{"counts", counts},
             {"sizes", s.sizes},
             {"resized", s.resized},
             {"size_histogram", to_json(s.size_histogram)},
             {"lifetimes", to_json(s.lifetimes)}};
    if (s.spread.blocks != 0) {
        out["sample"] = {s.spread.blocks, s.spread.bytes, s.spread.missing, s.spread.variance};
    }
    return out;
}

site_statistics statistics_of(const json& j) {
    site_statistics s;
    const json& counts = j.at("counts");
    for (std::size_t i = 0; i != numbers.size(); ++i) {
        if (i < counts.size() || i < first_numbers) {
            s.*numbers[i] = counts.at(i).get<std::uint64_t>();
        }
    }
    s.sizes = j.at("sizes").get<decltype(s.sizes)>();
    s.resized = j.value("resized", decltype(s.resized){}); // the first traces lack it
    s.size_histogram = histogram_of(j.at("size_histogram"));
    s.lifetimes = histogram_of(j.at("lifetimes"));
    if (const auto sample = j.find("sample"); sample != j.end()) {
        s.spread = {sample->at(0).get<std::uint64_t>(), sample->at(1).get<double>(),
                    sample->at(2).get<double>(), sample->at(3).get<double>()};
    }
    return s;
}

json tables_of(const trace_info& info) {
    json out{{"modules", json::array()}, {"processes", json::array()}, {"threads", json::array()},
             {"stacks", json::array()},  {"rtti", info.rtti},          {"events", info.events}};
    for (const trace_module& m : info.modules) {
        out["modules"].push_back({m.path, m.build_id});
    }
    for (const trace_process& p : info.processes) {
        out["processes"].push_back({p.pid, p.parent, static_cast<int>(p.began), p.executable, p.arguments,
                                    p.began_at, p.events, p.dropped});
    }
    for (const trace_thread& t : info.threads) {
        out["threads"].push_back({t.process, t.tid, t.name, t.events});
    }
    for (const std::vector<code_address>& stack : info.stacks) {
        json frames = json::array();
        for (const code_address& at : stack) {
            frames.push_back({at.module, at.address});
        }
        out["stacks"].push_back(std::move(frames));
    }
    return out;
}

void take_tables(trace_info& info, const json& j) {
    info.events = j.at("events").get<std::uint64_t>();
    info.rtti = j.at("rtti").get<std::vector<std::string>>();
    info.modules.clear();
    for (const json& m : j.at("modules")) {
        info.modules.push_back({m.at(0).get<std::string>(), m.at(1).get<std::string>()});
    }
    info.processes.clear();
    for (const json& p : j.at("processes")) {
        trace_process process;
        process.pid = p.at(0).get<std::uint32_t>();
        process.parent = p.at(1).get<std::uint32_t>();
        process.began = static_cast<trace_process::origin>(std::clamp(p.at(2).get<int>(), 0, 2));
        process.executable = p.at(3).get<std::string>();
        process.arguments = p.at(4).get<std::vector<std::string>>();
        process.began_at = p.at(5).get<std::uint64_t>();
        process.events = p.at(6).get<std::uint64_t>();
        process.dropped = p.at(7).get<std::uint64_t>();
        info.processes.push_back(std::move(process));
    }
    info.threads.clear();
    for (const json& t : j.at("threads")) {
        info.threads.push_back({t.at(0).get<std::uint32_t>(), t.at(1).get<std::uint32_t>(),
                                t.at(2).get<std::string>(), t.at(3).get<std::uint64_t>()});
    }
    info.stacks.clear();
    for (const json& stack : j.at("stacks")) {
        std::vector<code_address> frames;
        for (const json& at : stack) {
            frames.push_back({at.at(0).get<std::uint32_t>(), at.at(1).get<std::uint64_t>()});
        }
        info.stacks.push_back(std::move(frames));
    }
}

/// Whether every index leads somewhere: the text may come from anywhere, and what shows an analysis does not look.
bool is_consistent(const trace_analysis& a) {
    const trace_info& info = a.info;
    const auto is_process = [&](std::uint32_t index) { return index < info.processes.size(); };
    const auto is_stack = [&](std::uint32_t index) { return index < info.stacks.size(); };
    const auto is_known = [&](const code_address& at) {
        return at.module == code_address::unknown_module || at.module < info.modules.size();
    };
    return !info.stacks.empty() && info.stacks[0].empty() && info.rtti.size() == info.stacks.size() &&
           a.over_time.live_bytes.size() == a.over_time.events.size() &&
           a.over_time.live_blocks.size() == a.over_time.events.size() &&
           std::ranges::all_of(info.processes, is_process, &trace_process::parent) &&
           std::ranges::all_of(info.threads, is_process, &trace_thread::process) &&
           std::ranges::all_of(info.stacks,
                               [&](const auto& stack) { return std::ranges::all_of(stack, is_known); }) &&
           std::ranges::all_of(a.sites, is_stack, &analysed_site::stack) &&
           std::ranges::all_of(a.sites, is_stack, &analysed_site::fill_stack);
}

} // namespace

std::string analysis_text(const trace_analysis& a) {
    json out{{"version", version},
             {"tables", tables_of(a.info)},
             {"all", to_json(a.all)},
             {"sites", json::array()},
             {"step_ns", a.over_time.step_ns},
             {"live_bytes", a.over_time.live_bytes},
             {"live_blocks", a.over_time.live_blocks},
             {"events", a.over_time.events},
             {"peak_ns", a.peak_ns},
             {"unknown_releases", a.unknown_releases},
             {"unseen_releases", a.unseen_releases},
             {"inherited_releases", a.inherited_releases},
             {"failures", a.failures}};
    for (const analysed_site& site : a.sites) {
        out["sites"].push_back(
            {site.stack, static_cast<int>(site.call), to_json(site.statistics), site.fill_stack});
    }
    return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<trace_analysis> read_analysis_text(std::string_view text, trace_info info) {
    try {
        const json in = json::parse(text);
        if (in.at("version") != version) {
            return std::nullopt;
        }
        trace_analysis a;
        take_tables(info, in.at("tables"));
        a.info = std::move(info);
        a.all = statistics_of(in.at("all"));
        for (const json& site : in.at("sites")) {
            a.sites.push_back({site.at(0).get<std::uint32_t>(),
                               static_cast<allocation_call>(std::clamp(site.at(1).get<int>(), 0, 11)),
                               statistics_of(site.at(2)), site.at(3).get<std::uint32_t>()});
        }
        a.over_time = {in.at("step_ns").get<std::uint64_t>(),
                       in.at("live_bytes").get<std::vector<std::uint64_t>>(),
                       in.at("live_blocks").get<std::vector<std::uint64_t>>(),
                       in.at("events").get<std::vector<std::uint64_t>>()};
        a.knows_peak = in.contains("peak_ns"); // earlier versions did not write it
        a.peak_ns = in.value("peak_ns", std::uint64_t{0});
        a.unknown_releases = in.at("unknown_releases").get<std::uint64_t>();
        a.unseen_releases = in.at("unseen_releases").get<std::uint64_t>();
        a.inherited_releases = in.at("inherited_releases").get<std::uint64_t>();
        a.failures = in.at("failures").get<std::uint64_t>();
        if (!is_consistent(a)) {
            return std::nullopt;
        }
        return a;
    } catch (const std::exception&) { // of the JSON library's, and at() of a histogram
        return std::nullopt;
    }
}

std::string redacted_analysis_text(std::string_view text) {
    std::optional<trace_analysis> analysis = read_analysis_text(text, {});
    if (!analysis) {
        return {};
    }
    for (trace_module& m : analysis->info.modules) {
        m.path = file_name_of(m.path);
    }
    for (trace_process& p : analysis->info.processes) {
        p.executable = file_name_of(p.executable);
        p.arguments.resize(std::min<std::size_t>(p.arguments.size(), 1));
        for (std::string& own_name : p.arguments) {
            own_name = file_name_of(own_name);
        }
    }
    return analysis_text(*analysis);
}

} // namespace linn::tool
