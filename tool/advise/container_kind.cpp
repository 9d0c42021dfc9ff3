// SPDX-License-Identifier: Apache-2.0
#include "container_kind.hpp"

#include <algorithm>
#include <array>

namespace linn::tool {
namespace {

constexpr std::array<std::string_view, 10> node_containers{
    "list",          "forward_list",       "map",           "multimap",          "set", "multiset",
    "unordered_map", "unordered_multimap", "unordered_set", "unordered_multiset"};

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

} // namespace

std::string_view std_template(std::string_view container) {
    constexpr std::string_view prefix = "std::";
    if (!container.starts_with(prefix)) {
        return {};
    }
    container.remove_prefix(prefix.size());
    return container.substr(0, std::min(container.find('<'), container.size()));
}

bool is_std_holder(std::string_view type) {
    const std::string_view name = std_template(type);
    return is_one_of(name, node_containers) || name == "vector" || name == "deque" || name == "string" ||
           name == "wstring";
}

std::string_view plain_type(std::string_view type) {
    return type.substr(0, std::min(type.find('<'), type.size()));
}

std::string_view last_component(std::string_view type) {
    type = type.substr(0, std::min(type.find('<'), type.size()));
    const std::size_t colon = type.rfind("::");
    return colon == std::string_view::npos ? type : type.substr(colon + 2);
}

container_kind kind_of(const named_type& named) {
    if (named.container.empty()) {
        return container_kind::none;
    }
    if (named.type == "hash buckets") {
        return container_kind::hash_buckets;
    }
    if (named.container.starts_with("std::pmr::")) {
        return container_kind::pmr;
    }
    const std::string_view name = std_template(named.container);
    if (is_one_of(name, node_containers)) {
        return named.is_array ? container_kind::hash_buckets : container_kind::node;
    }
    if (name == "vector" || name == "deque" || name == "valarray") {
        return container_kind::array;
    }
    if (name == "string" || name == "basic_string" || name == "wstring" || name == "basic_stringbuf" ||
        name == "u8string" || name == "u16string" || name == "u32string") {
        return container_kind::text;
    }
    if (name == "shared_ptr") {
        return named.type.starts_with("control block of ") ? container_kind::control_block
                                                           : container_kind::shared_ptr;
    }
    if (name == "unique_ptr") {
        return container_kind::unique_ptr;
    }
    if (name == "function" || name == "any" || name == "move_only_function") {
        return container_kind::function;
    }
    if (name == "thread" || name == "jthread") {
        return container_kind::thread;
    }
    return container_kind::other;
}

} // namespace linn::tool
