// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "event.hpp"
#include "sample_weight.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace linn::tool {

/// "allocation" …; a stable word for reports.
const char* to_string(event_kind kind) noexcept;
/// "malloc", "operator new[]" …; for an aligned allocation or none a word of ours.
const char* to_string(allocation_call call) noexcept;

/// How many events of each kind there are.
struct trace_counts {
    static constexpr std::size_t kinds = 5;
    static constexpr std::size_t calls = 12;

    std::uint64_t events = 0;
    std::array<std::uint64_t, kinds> of_kind{};
    std::array<std::array<std::uint64_t, calls>, kinds> of_call{}; ///< of each kind
    std::uint64_t bytes = 0; ///< asked for by allocations and reallocations

    /// Of a sampled trace: what the blocks in it stand for.
    double estimated_allocations = 0;
    double estimated_bytes = 0;
    sample_spread spread;

    void take(std::span<const event> events, const sample_weight& weight = {});
};

} // namespace linn::tool
