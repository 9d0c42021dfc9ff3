// SPDX-License-Identifier: Apache-2.0
#include "call_owners.hpp"

#include "../pools/compiled_plan.hpp"

#include <algorithm>

namespace linn::tool {
namespace {

constexpr double clear_majority = 0.99; // of a call's allocations of one size: it is one type's
constexpr std::size_t no_type = ~std::size_t{0};

} // namespace

bool owners::belongs_to(std::size_t type) const {
    const auto mine = by_type.find(type);
    return mine != by_type.end() &&
           static_cast<double>(mine->second) >= clear_majority * static_cast<double>(all);
}

bool is_aligned(allocation_call call) {
    return call == allocation_call::aligned || call == allocation_call::operator_new_aligned ||
           call == allocation_call::operator_new_array_aligned;
}

call_owners::call_owners(const advice& a) : a_{a} {
    std::vector<std::size_t> type_of(a.analysis.sites.size(), no_type);
    for (std::size_t i = 0; i != a.types.size(); ++i) {
        for (const advised_place& place : a.types[i].places) {
            for (const std::uint32_t site : place.sites) {
                type_of[site] = i;
            }
        }
    }
    for (std::size_t i = 0; i != type_of.size(); ++i) {
        for (const auto& [size, count] : a.analysis.sites[i].statistics.sizes) {
            if (const std::vector<code_address>& stack = stack_of(i); !stack.empty()) {
                calls_[key_of(stack, size)].add(type_of[i], count);
                if (stack.size() > 1) {
                    wrapped_[wrapped_key_of(stack, size)].add(type_of[i], count);
                }
            }
        }
    }
}

const std::vector<code_address>& call_owners::stack_of(std::size_t site) const {
    static const std::vector<code_address> nothing;
    const std::uint32_t stack = a_.analysis.sites[site].stack;
    return stack < a_.analysis.info.stacks.size() ? a_.analysis.info.stacks[stack] : nothing;
}

std::map<call_key, shared_call> call_owners::shared_by(const std::set<std::size_t>& types) const {
    std::map<call_key, shared_call> calls;
    for (std::uint32_t site = 0; site != a_.analysis.sites.size(); ++site) {
        const std::vector<code_address>& stack = stack_of(site);
        const site_statistics& s = a_.analysis.sites[site].statistics;
        if (stack.empty() || is_aligned(a_.analysis.sites[site].call)) {
            continue;
        }
        for (const auto& [size, count] : s.sizes) {
            const owners& all = of(stack, size);
            const bool is_theirs = std::ranges::any_of(
                all.by_type, [&](const auto& owner) { return types.contains(owner.first); });
            if (!is_theirs || size == 0 || size > largest_planned_size) {
                continue;
            }
            shared_call& call = calls[key_of(stack, size)];
            for (const auto& [type, allocations] : all.by_type) {
                if (types.contains(type) && call.types.insert(type).second) {
                    call.theirs += allocations;
                }
            }
            call.allocations = all.all;
            call.is_freed_elsewhere |= s.unseen_releases * rare > s.allocations;
            call.counts.releases += s.releases;
            call.counts.remote_releases += s.remote_releases;
            call.counts.peak_live += s.peak_live;
            call.counts.allocations = all.all;
            call.sites.push_back(site);
            if (call.largest == nullptr || s.allocations > call.largest->allocations) {
                call.largest = &s;
            }
            call.stack = stack;
        }
    }
    return calls;
}

} // namespace linn::tool
