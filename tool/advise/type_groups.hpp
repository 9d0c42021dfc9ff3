// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../symbols/symbolizer.hpp"
#include "advice.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

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

/// The type of each site.
std::vector<named_type> name_sites(const trace_analysis& analysis, const naming& names,
                                   const std::function<void(double)>& progress = {});

/// The sites, whose types are `named`, as one type each: equal type and container are one. Their `what`, `part`, `gain`, `why` and
/// `snippet` are left open. Most allocations first.
std::vector<advised_type> group_types(const trace_analysis& analysis, std::vector<named_type> named);

/// What there is to name of the stack with an index.
allocation_site site_of_stack(const trace_info& info, std::uint32_t stack);

/// Likewise for a site, with the sizes and the call, so that its type can be named.
allocation_site site_to_name(const trace_info& info, const analysed_site& site);

/// "std::list<Particle>" where there is a container, else "Particle"; what a table calls the type. A container that was
/// itself allocated alone is a "std::string object", several instantiations are "lazy<...> (53 types)".
std::string label_of(const advised_type& type);

/// "app.cpp:52"; where no line is known "in f(int)", "in libxml2.so.2"; empty where nothing is.
std::string place_text(const symbol_frame& frame);

/// The class is the user's own, and C++: one can change it where it stands.
bool is_users_class(const advised_type& type);

/// What is allocated again with nearly every object of a type: allocations within its constructors, or by the same
/// function, about as often and as long-lived. The label of the most frequent such type; empty where there is none.
std::string owned_with(const advised_type& type, const std::vector<advised_type>& types);

} // namespace linn::tool
