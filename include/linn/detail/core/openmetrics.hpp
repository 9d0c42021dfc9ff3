// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_OPENMETRICS_HPP
#define LINN_DETAIL_CORE_OPENMETRICS_HPP

#include <linn/config.hpp>
#include <linn/types/pool_statistics.hpp>

#include <cstddef>
#include <string_view>

// Pools as OpenMetrics text. Nothing here allocates: also a library without the C++ runtime writes it.
namespace linn::inline LINN_ABI::detail {

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

/// A family of metrics: one sample for each pool.
struct pool_metric {
    const char* name;
    const char* unit; ///< empty: the name has none
    bool is_counter;
    const char* help;
    std::size_t (*value)(const pool_statistics&);
};

inline constexpr pool_metric pool_metrics[] = {
    {"linn_pool_live_objects", "", false, "Objects handed out to the program.",
     [](const pool_statistics& s) { return s.live; }},
    {"linn_pool_live_bytes", "bytes", false, "Slots of the objects handed out.",
     [](const pool_statistics& s) { return s.live * s.slot_bytes; }},
    {"linn_pool_peak_objects", "", false, "Most objects handed out at once.",
     [](const pool_statistics& s) { return s.peak; }},
    {"linn_pool_cached_objects", "", false, "Free objects held by threads, the pool and recyclers.",
     [](const pool_statistics& s) { return s.cached; }},
    {"linn_pool_caching_threads", "", false, "Threads that hold a cache of the pool.",
     [](const pool_statistics& s) { return s.threads; }},
    {"linn_pool_slabs", "", false, "Slabs mapped, empty ones included.",
     [](const pool_statistics& s) { return s.slabs; }},
    {"linn_pool_reserved_bytes", "bytes", false, "Address space of all slabs.",
     [](const pool_statistics& s) { return s.reserved_bytes; }},
    {"linn_pool_resident_bytes", "bytes", false, "Bytes of slabs that may be in memory.",
     [](const pool_statistics& s) { return s.resident_bytes; }},
    {"linn_pool_returned_bytes", "bytes", true, "Bytes returned to the system.",
     [](const pool_statistics& s) { return s.returned_bytes; }},
    {"linn_pool_depot_visits", "", true, "Calls that took the lock of the pool.",
     [](const pool_statistics& s) { return s.depot_visits; }},
    {"linn_pool_contended_visits", "", true, "Calls that found the lock of the pool taken.",
     [](const pool_statistics& s) { return s.contended; }},
};

/// Makes one of those that have the same labels, since a sample must be unique; returns how many are left.
/// @complexity O(count * count)
inline std::size_t merge_by_labels(pool_statistics* pools, std::size_t count) noexcept {
    std::size_t kept = 0;
    for (std::size_t i = 0; i != count; ++i) {
        const pool_statistics& from = pools[i];
        std::size_t at = 0;
        while (at != kept && (pools[at].object_bytes != from.object_bytes ||
                              pools[at].slot_bytes != from.slot_bytes || pools[at].type != from.type)) {
            ++at;
        }
        if (at == kept) {
            pools[kept++] = from;
            continue;
        }
        for (const numeric_member& field : numeric_members) {
            if (field.member != &pool_statistics::object_bytes &&
                field.member != &pool_statistics::slot_bytes) {
                pools[at].*field.member += from.*field.member;
            }
        }
    }
    return kept;
}

template <class Put>
void put_number(std::size_t number, Put& put) {
    char digits[24];
    std::size_t at = sizeof digits;
    do {
        digits[--at] = static_cast<char>('0' + number % 10);
        number /= 10;
    } while (number != 0);
    put(std::string_view{digits + at, sizeof digits - at});
}

/// The braces of a sample: `{type="order",object_bytes="16",slot_bytes="16"}`.
template <class Put>
void put_labels(const pool_statistics& s, Put& put) {
    put("{type=\"");
    for (const char& c : s.type) {
        if (c == '\n') {
            put("\\n");
            continue;
        }
        if (c == '\\' || c == '"') {
            put("\\");
        }
        put(std::string_view{&c, 1});
    }
    put("\",object_bytes=\"");
    put_number(s.object_bytes, put);
    put("\",slot_bytes=\"");
    put_number(s.slot_bytes, put);
    put("\"} ");
}

/// OpenMetrics text, in pieces: `put(std::string_view)`. It needs no memory, so also what has none can write it.
/// @pre no two of the pools have the same labels
template <class Put>
void put_openmetrics(const pool_statistics* pools, std::size_t count, Put put) {
    const auto write = [&put](auto... pieces) { (put(std::string_view{pieces}), ...); };
    for (const pool_metric& metric : pool_metrics) {
        write("# TYPE ", metric.name, metric.is_counter ? " counter\n" : " gauge\n");
        if (*metric.unit != '\0') {
            write("# UNIT ", metric.name, " ", metric.unit, "\n");
        }
        write("# HELP ", metric.name, " ", metric.help, "\n");
        for (std::size_t i = 0; i != count; ++i) {
            write(metric.name, metric.is_counter ? "_total" : "");
            put_labels(pools[i], put);
            put_number(metric.value(pools[i]), put);
            put("\n");
        }
    }
    put("# EOF\n");
}

} // namespace linn::inline LINN_ABI::detail

#endif
