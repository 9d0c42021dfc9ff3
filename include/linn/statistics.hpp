// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_STATISTICS_HPP
#define LINN_STATISTICS_HPP

#include <linn/config.hpp>
#include <linn/detail/core/pool_statistics.hpp>
#include <linn/detail/sync/registry.hpp>

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// All pools of the process at one moment: as a range, as JSON, as a table, and the objects that are
/// still alive as a leak report. The hot paths count nothing; numbers come from magazine tops and
/// from what slow paths note.

namespace linn::inline LINN_ABI {

/// The numbers of every `pool` that has been used so far, in order of first use. Pools of type
/// `local_pool` are objects; ask them.
/// @complexity O(pools x (slabs + threads))
/// @threads any thread; exact when no other thread uses pools meanwhile
/// @throws std::bad_alloc
/// @snippet examples/05_statistics.cpp
[[nodiscard]] inline std::vector<pool_statistics> statistics() {
    std::vector<pool_statistics> pools;
    auto* newest = detail::registry<detail::platform>::process().newest();
    for (auto* d = newest; d != nullptr; d = d->older) {
        pools.push_back(d->statistics());
    }
    return {pools.rbegin(), pools.rend()};
}

namespace detail {

struct numeric_member {
    const char* key;
    std::size_t pool_statistics::* member;
};

inline constexpr numeric_member numeric_members[] = {
    {"object_bytes", &pool_statistics::object_bytes},
    {"slot_bytes", &pool_statistics::slot_bytes},
    {"live", &pool_statistics::live},
    {"peak", &pool_statistics::peak},
    {"cached", &pool_statistics::cached},
    {"threads", &pool_statistics::threads},
    {"slabs", &pool_statistics::slabs},
    {"reserved_bytes", &pool_statistics::reserved_bytes},
    {"resident_bytes", &pool_statistics::resident_bytes},
    {"returned_bytes", &pool_statistics::returned_bytes},
    {"depot_visits", &pool_statistics::depot_visits},
    {"contended", &pool_statistics::contended},
};

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

inline void append_right(std::string& out, std::string_view text, std::size_t width) {
    out.append(text.size() < width ? width - text.size() : 0, ' ');
    out += text;
}

} // namespace detail

/// One pool as a JSON object; keys are the member names of `pool_statistics`.
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

/// Pools as a table for people, one line a pool, the type last because its name may be long.
/// Memory is in KiB: what may be resident now, and what went back to the system so far.
[[nodiscard]] inline std::string to_table(const std::vector<pool_statistics>& pools) {
    constexpr std::size_t kib = 1024;
    std::string out =
        "    bytes       live       peak    cached  threads  slabs   resident   returned  type\n";
    for (const pool_statistics& s : pools) {
        detail::append_right(out, std::to_string(s.object_bytes), 9);
        detail::append_right(out, std::to_string(s.live), 11);
        detail::append_right(out, std::to_string(s.peak), 11);
        detail::append_right(out, std::to_string(s.cached), 10);
        detail::append_right(out, std::to_string(s.threads), 9);
        detail::append_right(out, std::to_string(s.slabs), 7);
        detail::append_right(out, std::to_string(s.resident_bytes / kib) + 'K', 11);
        detail::append_right(out, std::to_string(s.returned_bytes / kib) + 'K', 11);
        out += "  ";
        out += s.type;
        out += '\n';
    }
    return out;
}

/// The pools that have objects alive, as lines such as
/// `linn: 3 objects of 48 bytes alive: order`. Empty when there are none.
///
/// Called at the end of main it names the types that leak; static objects that are still to be
/// destroyed count as alive.
[[nodiscard]] inline std::string leak_report() {
    std::string out;
    for (const pool_statistics& s : statistics()) {
        if (s.live != 0) {
            out += "linn: " + std::to_string(s.live) + (s.live == 1 ? " object of " : " objects of ") +
                   std::to_string(s.object_bytes) + " bytes alive: ";
            out += s.type;
            out += '\n';
        }
    }
    return out;
}

} // namespace linn::inline LINN_ABI

#endif
