// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "containers.hpp"
#include "measure.hpp"
#include "object.hpp"
#include "options.hpp"

#include <string_view>

namespace linn::tool::worker {

/// One way of getting memory, put through every scenario.
struct contender {
    std::string_view id;
    outcome (*containers)(const options&);
    outcome (*object)(const options&);
};

/// Builds a contender from a policy, a class with
/// - `template <class T> static auto allocator()`: the standard allocator of `T` to give to a container;
/// - `template <std::size_t Bytes> struct object`: a class of that size, constructible from an integer, whose
///   `new` and `delete` are the ones to measure.
template <class Policy>
constexpr contender make_contender(std::string_view id) noexcept {
    return {id, &run_containers<Policy>, &run_object<Policy>};
}

// One function a file of contenders/; registry.cpp lists them.
contender general_contender();
contender pmr_unsynchronized_contender();
contender pmr_synchronized_contender();
contender boost_contender();
contender lecture_contender();
contender linn_contender();

/// The contender of that id, or null.
const contender* find_contender(std::string_view id);

} // namespace linn::tool::worker
