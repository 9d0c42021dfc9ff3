// SPDX-License-Identifier: Apache-2.0
#include "modes.hpp"

#include "linn_pools.hpp"

#include <cstdlib>
#include <string_view>

namespace linn::tool::worker {
namespace {

template <class Source>
replay_report replay_touching(const program_view& program, Source source, const std::string& how) {
    if (how == "none") {
        return team<Source, touch::none>{program, source}.run();
    }
    if (how == "byte") {
        return team<Source, touch::byte>{program, source}.run();
    }
    if (how == "lines") {
        return team<Source, touch::lines>{program, source}.run();
    }
    if (how == "all") {
        return team<Source, touch::all>{program, source}.run();
    }
    if (how == "check") {
        return team<Source, touch::check>{program, source}.run();
    }
    replay_report wrong;
    wrong.failure = "there is no such way to touch blocks";
    return wrong;
}

} // namespace

replay_report replay(const program_view& program, const replay_order& order) {
    if (order.source == "system") {
        return replay_touching(program, system_source{}, order.how);
    }
    if (order.source == "linn") {
        return replay_touching(program, pooled_source<resource_pools, all_of_operator_new>{{}}, order.how);
    }
    constexpr std::string_view group_name = "group=";
    if (order.source.starts_with(group_name)) {
        char* end = nullptr;
        const auto first = std::strtoul(order.source.c_str() + group_name.size(), &end, 10);
        const auto last = *end == '-' ? std::strtoul(end + 1, nullptr, 10) : first;
        const group_range groups{static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(last - first)};
        return replay_touching(program, pooled_source<type_pools, group_range>{groups}, order.how);
    }
    replay_report wrong;
    if (order.source != "null") {
        wrong.failure = "there is no such source of memory";
        return wrong;
    }
    auto* const memory = static_cast<std::byte*>(map_memory(program.header().null_bytes, false));
    if (memory == nullptr) {
        wrong.failure = "there is not enough address space for the blocks of the null allocator";
        return wrong;
    }
    return replay_touching(program, null_source{memory, program.places()}, order.how);
}

} // namespace linn::tool::worker
