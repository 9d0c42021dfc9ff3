// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_REFUSED_ALLOCATOR_HPP
#define LINN_DETAIL_CORE_REFUSED_ALLOCATOR_HPP

#include <linn/config.hpp>
#include <linn/detail/core/element.hpp>

#include <memory>
#include <type_traits>

namespace linn::inline LINN_ABI::detail {

/// Goes on as an allocator for something else where T was refused, so that a container has nothing more to say.
template <class T>
struct refused_allocator : std::allocator<stand_in> {
    using value_type = std::conditional_t<std::is_function_v<T>, stand_in, std::remove_cvref_t<T>>;

    refused_allocator() = default;
    template <class... Any>
    explicit refused_allocator(Any&&...) noexcept {}
};

} // namespace linn::inline LINN_ABI::detail

#endif
