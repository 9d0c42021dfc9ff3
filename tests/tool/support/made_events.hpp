// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/event.hpp"

#include <cstdint>

namespace linn::tool::testing {

inline event allocation(std::uint64_t address, std::uint64_t bytes, std::uint64_t time,
                        std::uint32_t thread = 0, std::uint32_t stack = 1) {
    event e;
    e.kind = event_kind::allocation;
    e.call = allocation_call::operator_new;
    e.address = address;
    e.bytes = bytes;
    e.time = time;
    e.thread = thread;
    e.stack = stack;
    return e;
}

inline event release(std::uint64_t address, std::uint64_t time, std::uint32_t thread = 0) {
    event e;
    e.kind = event_kind::release;
    e.call = allocation_call::operator_delete;
    e.address = address;
    e.time = time;
    e.thread = thread;
    return e;
}

} // namespace linn::tool::testing
