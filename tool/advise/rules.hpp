// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "advice.hpp"
#include "type_groups.hpp"

#include <span>
#include <string>

namespace linn::tool {

/// What the rules look at.
struct type_facts {
    const advised_type& type;
    container_kind kind = container_kind::none;
    /// Share of the CPU time that its allocations take at most, with all that the same change serves.
    double cost = 0;
    bool is_cost_known = true;
    double run_ns = 0; ///< how long the run lasted
    bool is_operator_new = true;
    bool grows = false;   ///< a container that moves into larger blocks
    bool is_users = true; ///< its place is code of the user's
    bool is_type_known = true;
    /// What else is allocated with each object, such as "std::vector<int>"; empty: nothing.
    std::string owned = {};
};

/// One rule. The first that applies decides.
struct advice_rule {
    const char* name; ///< a stable word
    bool (*applies)(const type_facts& facts);
    remedy what;
    advised_use (*use)(const type_facts& facts); ///< null: nothing
    std::string (*why)(const type_facts& facts);
};

/// True for blocks of one size that a class template asked its allocator argument for: an alias of it serves them.
bool is_served_by_alias(const advised_type& type);

/// The table, in the order in which the rules are asked; the last one always applies. docs/guide/advise.md explains each.
std::span<const advice_rule> advice_rules();

/// The rule that decides.
const advice_rule& deciding_rule(const type_facts& facts);

} // namespace linn::tool
