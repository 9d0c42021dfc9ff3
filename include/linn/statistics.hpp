// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_STATISTICS_HPP
#define LINN_STATISTICS_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

#include <linn/detail/core/openmetrics.hpp>
#include <linn/detail/os/threads.hpp>
#include <linn/detail/sync/buffer_store.hpp>
#include <linn/detail/sync/idle_core.hpp>
#include <linn/detail/sync/registry.hpp>
#include <linn/detail/sync/resource_core.hpp>
#include <linn/types/pool_statistics.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// All pools of the process at one moment: as a range, as JSON, as a table, as OpenMetrics text, and the
/// objects that are still alive as a leak report. The hot paths count nothing; numbers come from the tops of caches and
/// from what slow paths note.
///
/// Every function: @threads any thread

namespace linn::inline LINN_ABI {

namespace detail {

/// The numbers of a pool as the program sees them: for the pool an object that is idle in a recycler is out, for the
/// program it is cached.
inline pool_statistics statistics_of(depot<platform>& d) noexcept {
    pool_statistics s = d.statistics();
    const std::size_t idle = recycler_core<platform>::idle_in(d);
    const std::size_t kept = idle < s.live ? idle : s.live; // others may use it between the two
    s.live -= kept;
    s.cached += kept;
    return s;
}

/// Appends the rows that `rows_of(member, add)` has for each member of the registry, where `add` takes one row.
/// Nothing is allocated while the registry is locked: `operator new` may come from one of its members.
template <class Registry, class RowsOf>
void append_rows(std::vector<pool_statistics>& all, Registry& members, RowsOf&& rows_of) {
    const std::size_t before = all.size();
    for (std::size_t room = 0;;) {
        std::size_t rows = 0;
        static_cast<void>(members.any([&](auto& member) {
            rows_of(member, [&](const pool_statistics& row) {
                if (rows++ < room) {
                    all.push_back(row);
                }
            });
            return false;
        }));
        if (rows <= room) {
            return;
        }
        all.resize(before);
        all.reserve(before + rows);
        room = rows;
    }
}

} // namespace detail

/// The numbers of every pool of the process: each `pool` that has been used so far, in order of first use; then a row for
/// each size class in use of every `pool_resource`, `linn::pool_resource`; then one for each `buffer_pool`,
/// `linn::buffer`, also where the pool is gone and buffers are out. What is idle in a recycler counts as cached. Pools
/// of type `local_pool`, `fixed_pool` and `handle_pool` are objects; ask them.
/// @complexity O(pools x (slabs + threads))
/// @threads any thread; exact when no other thread uses pools meanwhile
/// @throws std::bad_alloc when there is no memory
/// @snippet examples/05_statistics.cpp
[[nodiscard]] inline std::vector<pool_statistics> statistics() {
    using detail::platform;
    std::vector<pool_statistics> pools;
    for (auto* d = detail::registry<platform>::process().newest(); d != nullptr; d = d->older) {
        if (d->is_primary()) {
            pools.push_back(detail::statistics_of(*d));
        }
    }
    pools = {pools.rbegin(), pools.rend()};
    detail::append_rows(pools, detail::resource_core<platform>::registry_type::process(),
                        [](auto& resource, auto&& add) { resource.statistics(add); });
    detail::append_rows(pools, detail::buffer_store<>::registry::process(), [](auto& core, auto&& add) {
        add(static_cast<detail::buffer_store<>&>(core).statistics(core.counts()));
    });
    return pools;
}

namespace detail {

inline constexpr bool is_identifier_char(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Replaces each `from` that does not begin in the middle of a word.
inline void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos;) {
        if (at != 0 && is_identifier_char(text[at - 1]) && is_identifier_char(from.front())) {
            at += from.size();
        } else {
            text.replace(at, from.size(), to);
            at += to.size();
        }
    }
}

/// One past the template argument that begins at `at`: at its comma or closing bracket.
inline std::size_t end_of_argument(std::string_view text, std::size_t at) noexcept {
    int depth = 0;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (depth == 0 && (c == ',' || c == '>')) {
            break;
        }
        depth += c == '<' || c == '(' || c == '{' ? 1 : 0;
        depth -= c == '>' || c == ')' || c == '}' ? 1 : 0;
    }
    return at;
}

/// A type's name as people write it: without the inline namespaces of the standard libraries and of
/// Linn, and without template arguments that are usually defaults: allocators, traits, comparisons and
/// hashes that come after the first argument. What is left may name several types; the full name
/// is in `pool_statistics::type`.
inline std::string readable_name(std::string_view name) {
    std::string text{name};
    replace_all(text, "__cxx11::", "");
    replace_all(text, "std::__1::", "std::");
    replace_all(text, "std::__debug::", "std::");
#define LINN_DETAIL_TEXT_(x) #x
#define LINN_DETAIL_TEXT(x) LINN_DETAIL_TEXT_(x)
    replace_all(text, "linn::" LINN_DETAIL_TEXT(LINN_ABI) "::", "linn::");
#undef LINN_DETAIL_TEXT
#undef LINN_DETAIL_TEXT_
    replace_all(text, "{anonymous}::", "");
    replace_all(text, "(anonymous namespace)::", "");
    replace_all(text, "> >", ">>");

    constexpr std::string_view defaults[] = {
        "std::allocator<", "std::char_traits<",    "std::less<",       "std::equal_to<",
        "std::hash<",      "std::default_delete<", "linn::allocator<", "__gnu_cxx::_S_atomic"};
    for (std::size_t comma = text.find(", "); comma != std::string::npos;) {
        bool cut = false;
        for (const std::string_view d : defaults) {
            cut = cut || std::string_view{text}.substr(comma + 2, d.size()) == d;
        }
        if (cut) {
            text.erase(comma, end_of_argument(text, comma + 2) - comma);
            comma = text.find(", ", comma);
        } else {
            comma = text.find(", ", comma + 2);
        }
    }
    replace_all(text, "> >", ">>");
    replace_all(text, "std::basic_string<char>", "std::string");
    replace_all(text, "std::basic_string_view<char>", "std::string_view");
    return text;
}

inline void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
            out += escaped;
        } else {
            out += c;
        }
    }
    out += '"';
}

} // namespace detail

/// One pool as a JSON object; keys are the member names of `pool_statistics`.
/// @throws std::bad_alloc
/// @complexity O(characters)
[[nodiscard]] inline std::string to_json(const pool_statistics& s) {
    std::string out = "{\"type\":";
    detail::append_json_string(out, s.type);
    for (const auto& field : detail::numeric_members) {
        out += ",\"";
        out += field.key;
        out += "\":";
        out += std::to_string(s.*field.member);
    }
    out += '}';
    return out;
}

/// Pools as a JSON object: `{"schema":"linn.statistics/1","pools":[...]}`.
/// @throws std::bad_alloc
/// @complexity O(characters)
[[nodiscard]] inline std::string to_json(const std::vector<pool_statistics>& pools) {
    std::string out = "{\"schema\":\"linn.statistics/1\",\"pools\":[";
    const char* separator = "";
    for (const pool_statistics& s : pools) {
        out += separator;
        out += to_json(s);
        separator = ",";
    }
    out += "]}";
    return out;
}

/// Pools as a table for people, one line a pool, the type last because its name may be long. Names are
/// shortened: no inline namespaces, no default template arguments; JSON has the full ones.
/// Memory is in KiB: what may be resident now, and what went back to the system so far.
/// @throws std::bad_alloc
/// @complexity O(characters)
[[nodiscard]] inline std::string to_table(const std::vector<pool_statistics>& pools) {
    constexpr std::size_t kib = 1024;
    std::string out =
        "    bytes       live       peak    cached  threads  slabs   resident   returned  type\n";
    for (const pool_statistics& s : pools) {
        char numbers[200];
        std::snprintf(numbers, sizeof numbers, "%9zu%11zu%11zu%10zu%9zu%7zu%10zuK%10zuK  ", s.object_bytes,
                      s.live, s.peak, s.cached, s.threads, s.slabs, s.resident_bytes / kib,
                      s.returned_bytes / kib);
        out += numbers;
        out += detail::readable_name(s.type);
        out += '\n';
    }
    return out;
}

/// The value of the HTTP header `Content-Type` for the text of `to_openmetrics`.
inline constexpr std::string_view openmetrics_content_type =
    "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Pools as OpenMetrics text, version 1.0, for Prometheus and other monitoring: the metrics `linn_pool_...` with the labels
/// `type` (the full name), `object_bytes` and `slot_bytes`. Pools that have all three in common are one sample, their sum. The
/// text ends with `# EOF`; remove that line to append metrics of your own. Memory is in bytes.
/// @throws std::bad_alloc
/// @complexity O(characters + pools * pools)
/// @snippet examples/38_openmetrics.cpp
[[nodiscard]] inline std::string to_openmetrics(const std::vector<pool_statistics>& pools) {
    std::vector<pool_statistics> sums = pools;
    std::string out;
    detail::put_openmetrics(sums.data(), detail::merge_by_labels(sums.data(), sums.size()),
                            [&out](std::string_view piece) { out += piece; });
    return out;
}

namespace detail {

/// In checked builds, where up to three of the objects that are alive were allocated.
inline void append_allocation_sites(std::string& out, depot<platform>& d) {
    constexpr std::size_t most = 3;
    std::size_t looks = 1000; // enough to meet the usual ones
    std::vector<call_trace> shown;
    pointer_list<platform::pages> live;
    pointer_set<platform::pages> idle;
    if (!d.collect_live(live) || !recycler_core<platform>::append_idle_in(d, idle)) {
        return; // no memory for the lists: the line above says what matters
    }
    for (void* object : live) {
        if (idle.contains(object)) {
            continue;
        }
        if (looks-- == 0) {
            return;
        }
        const call_trace by = d.evidence_of(object).allocated;
        if (by.size() == 0 || std::find(shown.begin(), shown.end(), by) != shown.end()) {
            continue;
        }
        if (shown.size() == most) {
            out += "linn:   and by others\n";
            return;
        }
        shown.push_back(by);
        out += "linn:   allocated by\n";
        for (const void* caller : callers(by)) {
            char text[512];
            describe_caller(text, sizeof text, caller);
            out += "linn:     ";
            out += text;
            out += '\n';
        }
    }
}

} // namespace detail

/// The pools that have objects alive, as lines such as
/// `linn: 3 objects of 48 bytes alive: order`. Empty when there are none. Checked builds add where
/// up to three of them were allocated.
///
/// Called at the end of main it names the types that leak; static objects that are still to be
/// destroyed count as alive: see `report_leaks_at_exit`.
/// @throws std::bad_alloc
/// @complexity O(pools x (slabs + threads)); in checked builds also O(objects ever live at once)
[[nodiscard]] inline std::string leak_report() {
    std::string out;
    for (auto* d = detail::registry<detail::platform>::process().newest(); d != nullptr; d = d->older) {
        const pool_statistics s = d->is_primary() ? detail::statistics_of(*d) : pool_statistics{};
        if (s.live != 0) {
            std::string lines =
                "linn: " + std::to_string(s.live) + (s.live == 1 ? " object of " : " objects of ") +
                std::to_string(s.object_bytes) + " bytes alive: " + detail::readable_name(s.type) + '\n';
            if constexpr (detail::checked_build) {
                detail::append_allocation_sites(lines, *d);
            }
            out.insert(0, lines); // the oldest first
        }
    }
    return out;
}

namespace detail {

LINN_DETAIL_HIDDEN inline void report_leaks_now() {
    std::fputs(leak_report().c_str(), stderr);
}

/// Of the modules that share it the one reports that it lies in, the last to end: others may still use the objects.
struct leak_reporter {
    module_record* module;
    void (*report)(); ///< of that module
};
inline constinit leak_reporter the_leak_reporter{&this_module, &report_leaks_now};

} // namespace detail

/// Prints `leak_report()` to standard error when the program ends by `exit` or by return from main: after all
/// `atexit` functions and destructors of static objects, so what static containers hold is no leak.
/// Prints nothing when nothing is alive. Only plugins asked for it, and not the program? Then it is printed when the first of them
/// is unloaded that shares its pools with the others.
/// @complexity O(1) now; that of `leak_report` at the end
/// @threads any; may be called more than once, from main or before
/// @snippet examples/22_leaks.cpp
inline void report_leaks_at_exit() noexcept {
    static_cast<void>(&detail::at_program_end<&detail::end_module>); // odr-use registers it
    detail::set_flag(detail::the_leak_reporter.module->last_words, detail::the_leak_reporter.report);
}

/// `pool<T>::check()` for every pool of the process. Checked builds do it themselves when the program ends.
/// @returns the number of reports
/// @complexity O(bytes of all pools)
inline std::size_t check_pools() noexcept {
    return detail::check_all_depots<detail::platform>();
}

} // namespace linn::inline LINN_ABI

#endif
#endif
