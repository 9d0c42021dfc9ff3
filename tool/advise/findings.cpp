// SPDX-License-Identifier: Apache-2.0
#include "findings.hpp"

#include "../measure/quantity.hpp"
#include "../program/executable.hpp"
#include "../symbols/cxx_name.hpp"
#include "advice.hpp"
#include "type_groups.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace linn::tool {
namespace {

using figures::agreeing;
using figures::counted;

constexpr std::size_t most_of_a_kind = 10;
constexpr std::uint64_t few = 1000;    // allocations that no finding is made of
constexpr double notable_share = 0.01; // of all allocations
constexpr double mostly = 0.5;
constexpr std::size_t function_room = 60; // letters

symbol_frame first_place(const advised_type& type) {
    return type.places.empty() ? symbol_frame{} : type.places.front().frame;
}

bool is_unnamed(const advised_type& type) {
    return !type.named.blocks.what.empty();
}

std::string where(const advised_type& type) {
    symbol_frame frame = first_place(type);
    if (is_unnamed(type) && frame.line == 0) {
        return {}; // the function, which the label has
    }
    frame.function = short_type(frame.function, function_room);
    const std::string place = place_text(frame);
    return place.empty() ? std::string{} : " (" + place + ")";
}

/// Keeps the weightiest.
void add_ranked(std::vector<advice_finding>& to, std::vector<advice_finding> found, bool by_bytes) {
    std::sort(found.begin(), found.end(), [&](const advice_finding& a, const advice_finding& b) {
        // A block with a line of the user can be fixed; libraries keep most of the rest on purpose.
        if (a.place.file.empty() != b.place.file.empty()) {
            return b.place.file.empty();
        }
        if (const auto x = by_bytes ? a.bytes : a.count, y = by_bytes ? b.bytes : b.count; x != y) {
            return x > y;
        }
        return a.text < b.text;
    });
    found.resize(std::min(found.size(), most_of_a_kind));
    to.insert(to.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
}

/// "3 of 10 blocks of Config", "all 10 blocks of Config", "the only block of Config"; "3 of 10 of the 24-byte blocks of f".
std::string some_blocks(std::uint64_t count, const advised_type& type) {
    const std::uint64_t all = type.statistics.allocations;
    const std::string label = label_of(type);
    if (count < all) {
        return fmt::format("{} of {} {} {}", count, all, is_unnamed(type) ? "of the" : "blocks of", label);
    }
    if (all == 1) {
        return fmt::format("the only {} {}", is_unnamed(type) ? "one of the" : "block of", label);
    }
    return fmt::format("all {} {} {}", all, is_unnamed(type) ? "of the" : "blocks of", label);
}

/// What was not released: a leak, unless the program went on when the recording ended.
std::vector<advice_finding> leaks(const advice& a) {
    const bool ran_on = a.analysis.info.ran_on;
    std::vector<advice_finding> found;
    for (const advised_type& type : a.types) {
        const site_statistics& s = type.statistics;
        const std::uint64_t live = s.live_at_end - std::min(type.runtime_live, s.live_at_end);
        const std::uint64_t bytes =
            s.live_bytes_at_end - std::min(type.runtime_live_bytes, s.live_bytes_at_end);
        if (live == 0) {
            continue;
        }
        found.push_back({ran_on ? "live" : "leak",
                         fmt::format("{}: {}, {}{}",
                                     ran_on ? "live when the recording ended" : "not freed before the end",
                                     some_blocks(live, type), figures::bytes_text(bytes), where(type)),
                         first_place(type), bytes, live});
    }
    return found;
}

/// One note on everything that the runtime libraries keep, so that users do not look for it.
std::vector<advice_finding> runtime_note(const advice& a) {
    if (a.kept_by_runtime.empty()) {
        return {};
    }
    advice_finding note{"runtime", {}, {}, 0, 0};
    std::vector<std::string> parts;
    for (const runtime_blocks& blocks : a.kept_by_runtime) {
        note.count += blocks.count;
        note.bytes += blocks.bytes;
        parts.push_back(fmt::format("{} {} ({})", blocks.count, blocks.rule, blocks.what));
    }
    note.text =
        fmt::format("{}, {}, {} kept on purpose, not leaked: {}; 'linn trace --leaks --all-leaks' lists {}",
                    counted(note.count, "block of the C and C++ runtime", "blocks of the C and C++ runtime"),
                    figures::bytes_text(note.bytes), agreeing(note.count, "is", "are"),
                    fmt::join(parts, ", "), agreeing(note.count, "it", "them"));
    return {std::move(note)};
}

std::vector<advice_finding> temporaries(const advice& a) {
    std::vector<advice_finding> found;
    for (const advised_type& type : a.types) {
        const site_statistics& s = type.statistics;
        if (s.temporary < few || type.share < notable_share ||
            static_cast<double>(s.temporary) < mostly * static_cast<double>(s.allocations)) {
            continue;
        }
        found.push_back({"temporary",
                         fmt::format("temporary: {} are released by the very next call{}",
                                     some_blocks(s.temporary, type), where(type)),
                         first_place(type), s.bytes, s.temporary});
    }
    return found;
}

/// The modules whose types or places are not known, by what they allocate.
std::vector<advice_finding> modules_without_symbols(const advice& a, const naming& names) {
    std::map<std::string, std::pair<missing_symbols, std::uint64_t>> missing;
    for (const advised_type& type : a.types) {
        for (const advised_place& place : type.places) {
            if (!lacks_names(type.named, place.frame)) {
                continue;
            }
            for (const std::uint32_t index : place.sites) {
                const analysed_site& site = a.analysis.sites[index];
                if (const auto why = why_unnamed(a.analysis.info, site.stack, names)) {
                    auto& [what, count] = missing[why->module];
                    what = *why;
                    count += site.statistics.allocations;
                }
            }
        }
    }
    std::vector<advice_finding> found;
    for (const auto& [module, one] : missing) {
        const auto& [what, count] = one;
        if (static_cast<double>(count) >= notable_share * static_cast<double>(a.analysis.all.allocations)) {
            found.push_back({"symbols", what.text(count, "allocation"), {}, 0, count});
        }
    }
    return found;
}

std::vector<advice_finding> page_faults(const advice& a) {
    const allocation_time& time = a.analysis.time;
    if (!time.is_known() || time.page_faults <= 0 || time.page_faults < a.threshold) {
        return {};
    }
    return {
        {"page-faults",
         fmt::format("page faults of heap memory take {} of the CPU time; huge pages avoid some: 'linn run "
                     "--only glibc-huge-pages' measures that, and 'linn try' measures pools on huge pages",
                     share_text(time.page_faults)),
         {},
         0,
         time.faults}};
}

bool is_of_system(const std::string& path) {
    return path.starts_with("/usr/") || path.starts_with("/lib");
}

std::string symbols_fix(const trace_module& module, const module_symbols& symbols) {
    if (!symbols.problem.empty()) {
        return symbols.problem;
    }
    const char* const lacks = symbols.known == module_symbols::level::none
                                  ? "nothing is known of its code"
                                  : "it has symbols but no debug information";
    return fmt::format("{}; {}", lacks,
                       is_of_system(module.path)
                           ? "install its -dbgsym package, or use --debuginfod"
                           : "compile it with -g1, which changes nothing but the file's size");
}

/// The innermost module that is none of the system's, or the innermost of all.
std::uint32_t users_module(const trace_info& info, const std::vector<code_address>& stack) {
    for (const code_address& at : stack) {
        if (at.module < info.modules.size() && !is_of_system(info.modules[at.module].path)) {
            return at.module;
        }
    }
    return stack.empty() ? code_address::unknown_module : stack.front().module;
}

} // namespace

std::vector<advice_finding> find_findings(const advice& a, const naming& names) {
    std::vector<advice_finding> all;
    add_ranked(all, page_faults(a), false);
    add_ranked(all, leaks(a), true);
    add_ranked(all, temporaries(a), false);
    add_ranked(all, modules_without_symbols(a, names), false);
    add_ranked(all, runtime_note(a), false);
    return all;
}

std::vector<std::string> find_warnings(const advice& a) {
    const trace_analysis& run = a.analysis;
    const trace_info& info = run.info;
    std::vector<std::string> warnings;
    for (const std::string& missing : info.missing) {
        warnings.push_back("the trace is not whole: " + missing);
    }
    if (!info.missing.empty()) {
        warnings.emplace_back(
            "counts and shares are too low, and blocks whose release is missing count as not "
            "freed");
    }
    if (info.cut_stacks * 1000 > info.stacks.size()) {
        warnings.push_back(fmt::format(
            "{} of {} {} before the outermost call, because a function's unwind information is of "
            "a rare kind: the outer callers of these allocations are not known",
            info.cut_stacks, counted(std::max<std::size_t>(info.stacks.size(), 1) - 1, "stack"),
            agreeing(info.cut_stacks, "ends", "end")));
    }
    if (info.attached_pid != 0) {
        warnings.push_back(fmt::format(
            "recorded when process {} had run for {}: what it allocated before is not known{}",
            info.attached_pid, figures::written(figures::unit::nanoseconds, info.attached_age_ns),
            run.unknown_releases == 0
                ? ""
                : fmt::format(", and {} left out", counted(run.unknown_releases, "release of such a block is",
                                                           "releases of such blocks are"))));
    } else if (run.unknown_releases * 1000 > run.all.releases + run.unknown_releases) {
        warnings.push_back(fmt::format(
            "{} not in the trace: a block was released twice, another allocator is at work besides "
            "the recorded one, or events were lost",
            counted(run.unknown_releases, "release is of a block whose allocation is",
                    "releases are of blocks whose allocation is")));
    }
    if (run.unseen_releases * 1000 > run.all.releases + run.unseen_releases) {
        warnings.push_back(
            fmt::format("{} again although no release was seen",
                        counted(run.unseen_releases, "block was allocated", "blocks were allocated")));
    }
    if (info.sample_bytes != 0) {
        warnings.push_back(fmt::format("recorded with --sample {}: counts, bytes and what is live are "
                                       "estimates from {}, with 95 % intervals for bytes; blocks "
                                       "released at once and arrays that grow are not known",
                                       info.sample_bytes, counted(run.all.spread.blocks, "block")));
    }
    std::set<std::string> programs;
    for (const trace_process& p : info.processes) {
        if (!programs.insert(p.executable).second) {
            continue;
        }
        if (const std::string heap = inspect_executable(p.executable).private_heap; !heap.empty()) {
            warnings.push_back(
                fmt::format("{} has {} compiled in: what that does not take from malloc is not in the trace",
                            p.executable, heap));
        }
    }
    if (run.failures != 0) {
        warnings.push_back(counted(run.failures, "allocation") + " failed");
    }
    if (cost_of_program(info).cpu_ns <= 0 && info.events != 0) {
        warnings.emplace_back("the trace has no CPU time: shares of the run are not known");
    }
    return warnings;
}

std::string missing_symbols::text(std::uint64_t count, const char* what) const {
    return fmt::format("{}: the types or lines of {} are not known: {}", module, counted(count, what),
                       reason);
}

bool lacks_names(const named_type& type, const symbol_frame& place) {
    // A line of strdup() stands for that of its caller, which nothing names.
    return type.rule == type_rule::none || place.line == 0 || (!place.is_own && !place.is_foreign);
}

std::optional<missing_symbols> why_unnamed(const trace_info& info, std::uint32_t stack, const naming& names) {
    if (!names.about || stack >= info.stacks.size()) {
        return std::nullopt;
    }
    const std::uint32_t index = users_module(info, info.stacks[stack]);
    if (index >= info.modules.size()) {
        return std::nullopt;
    }
    const trace_module& module = info.modules[index];
    const module_symbols symbols = names.about(module.path, module.build_id);
    if (symbols.known >= module_symbols::level::lines && symbols.problem.empty()) {
        return std::nullopt;
    }
    return missing_symbols{module.path, symbols_fix(module, symbols), is_of_system(module.path)};
}

} // namespace linn::tool
