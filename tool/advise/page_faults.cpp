// SPDX-License-Identifier: Apache-2.0
#include "page_faults.hpp"

#include "../pools/plan_tables.hpp"
#include "huge_pages.hpp"
#include "verdict.hpp"

#include <algorithm>

namespace linn::tool {
namespace {

constexpr double bytes_of_page = 4096;
constexpr double dearest_fault = 5; // times the price that was measured: the least of a few tries

/// Live bytes of the types that are large enough for huge pages, and of one size that a plan can serve.
double bytes_for_pools(const std::vector<advised_type>& types) {
    double bytes = 0;
    for (const advised_type& type : types) {
        const site_statistics& s = type.statistics;
        if (type.is_uniform() && !s.sizes.empty() && s.sizes.front().first <= largest_planned_size &&
            is_worth_huge_pages(s.peak_live, preloaded_slot_bytes(s.sizes.front().first))) {
            bytes += static_cast<double>(s.peak_live_bytes);
        }
    }
    return bytes;
}

} // namespace

page_fault_cost page_faults_of(const trace_analysis& run, const std::vector<advised_type>& types,
                               double program_cpu_ns, double page_fault_ns) {
    page_fault_cost cost;
    cost.count = run.info.baseline_page_faults;
    if (cost.count == 0 || program_cpu_ns <= 0) {
        return cost;
    }
    const auto count = static_cast<double>(cost.count);
    const auto share = [&](double pages, double price) {
        return std::min(pages * price, run.info.baseline_system_ns) / program_cpu_ns;
    };
    const double live = static_cast<double>(run.all.peak_live_bytes) / bytes_of_page;
    cost.of_run = {share(std::min(count, live), page_fault_ns), share(count, page_fault_ns * dearest_fault)};
    cost.of_pools =
        share(std::min(count, bytes_for_pools(types) / bytes_of_page), page_fault_ns * dearest_fault);
    return cost;
}

bool are_large(const page_fault_cost& faults) noexcept {
    return faults.of_run.low >= worth_a_pool;
}

bool may_pools_save(const page_fault_cost& faults) noexcept {
    return are_large(faults) && faults.of_pools >= worth_a_pool;
}

} // namespace linn::tool
