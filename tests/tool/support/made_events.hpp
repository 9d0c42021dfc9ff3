// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/event.hpp"

#include <cstdint>

namespace linn::tool::testing {

inline event allocation(std::uint64_t address, std::uint64_t bytes, std::uint64_t time,
                        std::uint32_t thread = 0, std::uint32_t stack = 1) {
    return {.kind = event_kind::allocation,
            .call = allocation_call::operator_new,
            .thread = thread,
            .stack = stack,
            .time = time,
            .address = address,
            .bytes = bytes};
}

inline event release(std::uint64_t address, std::uint64_t time, std::uint32_t thread = 0) {
    return {.kind = event_kind::release,
            .call = allocation_call::operator_delete,
            .thread = thread,
            .time = time,
            .address = address};
}

} // namespace linn::tool::testing
