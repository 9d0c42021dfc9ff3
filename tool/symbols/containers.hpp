// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "call_chain.hpp"
#include "symbolizer.hpp"

#include <string>

namespace linn::tool {

/// What a block of a type holds for its user: `std::_List_node<T>` is a T of a std::list<T>. All in readable names;
/// `container` is a guess from the node alone.
named_type content_of(const std::string& allocated);

/// Fills in the container of a type from the functions between the allocator and the user's code, which know more than
/// the node: map or multimap, hash and comparison.
void name_container(const call_chain& chain, std::size_t from, named_type& type);

/// What a container's own function allocates, where only its name is known: `std::vector<T>::_M_realloc_insert`.
/// An empty type: it is none.
named_type content_of_function(const known_frame& frame);

/// What functions without a scope allocate, by the headers of libstdc++ that they stand in and the element that is
/// constructed behind them.
named_type content_of_headers(const call_chain& chain, std::size_t from, const std::string& element);

} // namespace linn::tool
