// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "advice.hpp"

#include <functional>
#include <string>
#include <vector>

namespace linn::tool {

/// Where the names of types and the state of modules come from: type_namer and symbolizer, or a test's own.
struct naming {
    std::function<named_type(const allocation_site&)> name;
    std::function<module_symbols(const std::string& module, const std::string& build_id)> about;
};

/// The type of each site. Of stacks that differ far out only, the callers are those of one of them.
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
/// The same behind a name: " at app.cpp:52", " in f(int)"; empty where it is not known.
std::string at_place(const symbol_frame& frame);

/// What is allocated again with nearly every object of a type: allocations within its constructors, or by the same
/// function, about as often and as long-lived. The label of the most frequent such type; empty where there is none.
std::string owned_with(const advised_type& type, const std::vector<advised_type>& types);

} // namespace linn::tool
