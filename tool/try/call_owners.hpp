// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../advise/advice.hpp"
#include "candidates.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace linn::tool {

/// Allocations of one size by one call, or by one call of a wrapper.
using call_key = std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>; // module, address, size
using wrapped_key = std::pair<call_key, std::pair<std::uint32_t, std::uint64_t>>;

/// What one call allocates, by the number of the type.
struct owners {
    std::map<std::size_t, std::uint64_t> by_type;
    std::uint64_t all = 0;

    void add(std::size_t type, std::uint64_t count) {
        by_type[type] += count;
        all += count;
    }
    /// Nearly all of it is one type's.
    bool belongs_to(std::size_t type) const;
};

/// What types that cannot be told apart allocate by one call, of one size.
struct shared_call {
    std::set<std::size_t> types; ///< of those
    std::uint64_t theirs = 0;    ///< of their allocations
    std::uint64_t allocations = 0;
    bool is_freed_elsewhere = false; ///< some of it, in a way that the recorder did not see
    pool_counts counts;
    std::vector<std::uint32_t> sites;
    const site_statistics* largest = nullptr;
    std::vector<code_address> stack; ///< one of them
};

/// Which types a trace's calls allocate.
class call_owners {
public:
    explicit call_owners(const advice& a);

    const owners& of(const std::vector<code_address>& stack, std::uint64_t size) const {
        return calls_.at(key_of(stack, size));
    }
    const owners& of(const call_key& call) const { return calls_.at(call); }
    /// Likewise for the call and its caller. @pre the stack has two
    const owners& of_caller(const std::vector<code_address>& stack, std::uint64_t size) const {
        return wrapped_.at(wrapped_key_of(stack, size));
    }
    const std::vector<code_address>& stack_of(std::size_t site) const;

    /// The calls by which these types allocate blocks that a plan can serve.
    std::map<call_key, shared_call> shared_by(const std::set<std::size_t>& types) const;

private:
    static call_key key_of(const std::vector<code_address>& stack, std::uint64_t size) {
        return {stack[0].module, stack[0].address, size};
    }
    static wrapped_key wrapped_key_of(const std::vector<code_address>& stack, std::uint64_t size) {
        return {key_of(stack, size), {stack[1].module, stack[1].address}};
    }

    const advice& a_;
    std::map<call_key, owners> calls_;
    std::map<wrapped_key, owners> wrapped_;
};

/// Of so many allocations less than one is rare: a size, or a block that is freed in a way that the recorder did not see.
inline constexpr std::uint64_t rare = 1000;

bool is_aligned(allocation_call call);

} // namespace linn::tool
