// SPDX-License-Identifier: Apache-2.0
#include "one_change.hpp"

#include "../symbols/short_name.hpp"
#include "container_kind.hpp"
#include "type_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace linn::tool {
namespace {

constexpr std::size_t name_room = 48; // of another type's name in a sentence
constexpr std::size_t most_named = 4;

} // namespace

bool is_served_by_alias(const advised_type& type) {
    const container_kind kind = kind_of(type.named);
    const bool takes_one =
        kind == container_kind::none || kind == container_kind::node || kind == container_kind::other;
    return takes_one && !type.named.takes_allocator.empty() && !type.named.is_array && type.is_uniform();
}

types_of_changes find_changes(const std::vector<advised_type>& types) {
    std::map<std::string, std::vector<std::size_t>> aliases;
    for (std::size_t i = 0; i != types.size(); ++i) {
        if (is_served_by_alias(types[i]) && types[i].runtime.empty()) {
            aliases[types[i].named.takes_allocator].push_back(i);
        }
    }
    types_of_changes changes(types.size());
    for (std::size_t i = 0; i != types.size(); ++i) {
        changes[i] = {i};
    }
    for (const auto& [alias, all] : aliases) {
        for (const std::size_t i : all) {
            changes[i] = all;
        }
    }
    return changes;
}

void leave_gain_to_first(std::vector<advised_type>& types, const types_of_changes& changes) {
    for (std::size_t i = 0; i != types.size(); ++i) {
        types[i].served_with.clear();
        types[i].serves = 1;
    }
    for (std::size_t i = 0; i != types.size(); ++i) {
        advised_type& first = types[i];
        if (first.what != remedy::pool_allocator || !first.served_with.empty()) {
            continue;
        }
        std::string others;
        for (const std::size_t other : changes[i]) {
            advised_type& type = types[other];
            if (other <= i || type.what != remedy::pool_allocator) {
                continue;
            }
            type.served_with = label_of(first);
            type.gain = {};
            if (++first.serves <= most_named + 1) {
                others += (others.empty() ? "" : ", ") + short_type(label_of(type), name_room);
            }
        }
        if (first.serves > most_named + 1) {
            others += fmt::format(" and {} more", first.serves - 1 - most_named);
        }
        if (first.serves > 1) {
            first.why += "; the gain is that of all of them, with " + others;
        }
    }
}

void place_behind_first(std::vector<advised_type>& types) {
    const auto others = std::stable_partition(types.begin(), types.end(),
                                              [](const advised_type& t) { return t.served_with.empty(); });
    std::vector<advised_type> moved(std::make_move_iterator(others), std::make_move_iterator(types.end()));
    types.erase(others, types.end());
    for (auto type = moved.rbegin(); type != moved.rend(); ++type) {
        const auto first = std::find_if(types.begin(), types.end(), [&](const advised_type& t) {
            return t.served_with.empty() && t.named.takes_allocator == type->named.takes_allocator &&
                   label_of(t) == type->served_with;
        });
        types.insert(first == types.end() ? first : first + 1, std::move(*type));
    }
}

std::string change_label(const advised_type& type) {
    return type.serves > 1 ? fmt::format("the allocator of {}", plain_type(type.named.takes_allocator))
                           : label_of(type);
}

} // namespace linn::tool
