// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../symbols/symbolizer.hpp"

#include <string>
#include <string_view>

namespace linn::tool {

/// What holds a block, as far as a remedy depends on it.
enum class container_kind {
    none,          ///< new T, malloc
    node,          ///< of list, map, set, unordered_…: one element a block
    hash_buckets,  ///< the array of an unordered container
    array,         ///< vector, deque
    text,          ///< string
    shared_ptr,    ///< make_shared: control block and object
    control_block, ///< of shared_ptr(new T): a second block
    unique_ptr,
    function, ///< std::function, std::any
    pmr,      ///< a memory resource's own chunks
    thread,
    other, ///< a container that is not the standard library's
};

container_kind kind_of(const named_type& named);

/// "unordered_map" for "std::unordered_map<int, Order>"; empty for what is no template of std.
std::string_view std_template(std::string_view container);

/// Whether a type is a container or string of the standard library's, which holds blocks of its own.
bool is_std_holder(std::string_view type);

/// "nlohmann::basic_json" for "nlohmann::basic_json<std::map, ...>".
std::string_view plain_type(std::string_view type);

/// "Order" for "shop::Order"; template arguments are left away.
std::string_view last_component(std::string_view type);

} // namespace linn::tool
