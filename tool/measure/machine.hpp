// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// The machine and the build that the figures hold for.
struct machine_info {
    std::string cpu_model;
    unsigned cpus = 0;
    std::string kernel;
    std::string huge_pages; ///< the selected word of transparent_hugepage/enabled
    std::string compiler;
    std::string build;
    std::string counter;
    double ticks_per_ns = 1;
    std::vector<std::string> environment; ///< variables set that steer allocators
};

/// Describes this machine, within two milliseconds.
machine_info inspect_machine();

/// The CPUs that this process, and so its children, may run on; empty where that is not known.
std::vector<unsigned> usable_cpus();

/// The CPUs of a list as taskset reads it: "0", "0-1,3"; nothing where it is no such list.
std::optional<std::vector<unsigned>> cpus_in(std::string_view list);

/// Now in UTC, as ISO 8601: "2026-11-23T01:16:16Z".
std::string time_stamp();

/// Touches fresh pages and gives them back: so many bytes, at least 1 MiB and at most 1 GiB. A virtual machine returns idle pages to its host; without this the
/// first contender after a pause would pay for fetching them again.
void touch_memory(std::size_t bytes);

/// What the first write to a page of new memory takes here, in nanoseconds of CPU time; the least of a few tries, which take
/// milliseconds. 0: it cannot be measured.
double measure_page_fault_ns();

} // namespace linn::tool
