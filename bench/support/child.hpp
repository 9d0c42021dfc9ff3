// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "allocators/proof.hpp"
#include "measure/interrupt.hpp"
#include "workload.hpp"

#include <filesystem>
#include <string>

namespace linn::bench {

/// How the driver asks its own program for one contender.
struct child_request {
    std::string contender;
    std::filesystem::path library; ///< to preload; empty for none
    bool quick = false;
};

/// Is that contender: measures, prints, returns the exit status. Runs in the child.
int be_contender(const child_request& request, const workload& w);

/// Starts this program again as one contender and adds what it printed to `r`, or sets `r.problem`.
/// @returns false when a signal asked to stop
bool run_contender(const child_request& request, const tool::interrupt_guard& guard, row& r);

} // namespace linn::bench
