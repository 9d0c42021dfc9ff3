// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../replay/results.hpp"

#include <optional>

namespace linn::tool {

/// True for a row that has figures.
inline bool is_measured(const replay_row& row) noexcept {
    return row.failure.empty() && !row.seconds.empty();
}

/// Nanoseconds of CPU time that a request costs beyond the null allocator; nothing where that one has no figures.
inline std::optional<double> cost_of_request(const replay_result& result, const replay_row& row) noexcept {
    const replay_row* const null = result.find(null_name);
    if (null == nullptr || !is_measured(*null) || !is_measured(row) || result.events == 0) {
        return std::nullopt;
    }
    return (row.median - null->median) * 1e9 / static_cast<double>(result.events);
}

} // namespace linn::tool
