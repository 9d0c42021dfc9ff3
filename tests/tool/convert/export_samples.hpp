// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "profile/trace_profile.hpp"
#include "report/trace_export/trace_export.hpp"
#include "trace/event.hpp"
#include "trace/info.hpp"

#include <vector>

namespace linn::tool::samples {

/// A made-up trace that is small enough to be counted by hand, and what is hard about names in it.
struct export_sample {
    trace_info info;
    std::vector<event> events;
    address_names names;
};

/// Stack 1 gets 3 blocks of 100 bytes and releases 2, stack 3 one of 1000 bytes that a realloc of stack 2 makes 2000,
/// stack 4 one of 50 bytes released at once. Most is live (2300 bytes) at 6 µs; the run takes 10 µs.
export_sample make_export();

/// What `linn trace` makes of events whose types have no names.
trace_profile profile_of(const trace_info& info, const std::vector<event>& events);

} // namespace linn::tool::samples
