// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "call_times.hpp"

#include <cstdint>

namespace linn::tool {

/// Which function of the program asked. The values are those of the trace format: docs/reference/trace.md.
enum class allocation_call : std::uint8_t {
    none = 0,
    malloc = 1,
    calloc = 2,
    realloc = 3,
    aligned = 4, ///< posix_memalign, aligned_alloc, memalign, valloc, pvalloc
    operator_new = 5,
    operator_new_array = 6,
    operator_new_aligned = 7,
    operator_new_array_aligned = 8,
    free = 9,
    operator_delete = 10,
    operator_delete_array = 11,
};

/// What happened.
enum class event_kind : std::uint8_t {
    allocation,
    release,      ///< of a block; releases of null are not recorded
    reallocation, ///< `old_address` became `address`; both may be equal
    failure,      ///< the allocator returned null or threw; nothing changed
    fill, ///< the program wrote `bytes` zeros with memset into a block that this thread had just got; `stack` is
          ///< the memset's
};

/// One event of a trace, decoded.
struct event {
    event_kind kind = event_kind::allocation;
    allocation_call call = allocation_call::none;
    std::uint8_t alignment_log2 = 0; ///< asked for; 0: the default
    std::uint32_t process = 0;       ///< index of `trace_info::processes`
    std::uint32_t thread = 0;        ///< index of `trace_info::threads`
    std::uint32_t stack = 0;         ///< index of `trace_info::stacks`; 0 is the empty stack
    std::uint64_t time = 0;          ///< nanoseconds since the recording began
    std::uint64_t address = 0;
    std::uint64_t old_address = 0;   ///< of a reallocation; of a fill: the nanoseconds that it took
    std::uint64_t bytes = 0;         ///< asked for; 0 for a release
    call_timing timing = {};         ///< of an allocation or a reallocation
    call_timing release_timing = {}; ///< of the release that this thread made last
};

} // namespace linn::tool
