// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_STANDARD_LIBRARY_HPP
#define LINN_DETAIL_OS_STANDARD_LIBRARY_HPP

#include <linn/config.hpp>

#include <cstddef>
#include <memory>

// Where standard libraries differ.

namespace linn::inline LINN_ABI::detail {

#if defined(_LIBCPP_VERSION)
/// Has room for one more: libc++ before 23 asks for up to seven bytes too few (llvm-project#169765). As visible as
/// `std::allocator`, and not for `std::byte`, which is hidden: control flow integrity checks hidden types, and libc++ casts
/// what is no object yet.
template <class T>
struct LINN_DETAIL_VISIBLE array_allocator : std::allocator<T> {
    array_allocator() noexcept = default;
    template <class U>
    array_allocator(const array_allocator<U>&) noexcept {} // NOLINT(google-explicit-constructor)

    T* allocate(std::size_t n) { return std::allocator<T>::allocate(n + 1); }
    void deallocate(T* p, std::size_t n) noexcept { std::allocator<T>::deallocate(p, n + 1); }
};
#else
template <class T>
using array_allocator = std::allocator<T>;
#endif

#if defined(__GLIBCXX__)
/// Of a lock in each control block of a shared_ptr: on some processors libstdc++ does not count by atomic instructions.
inline constexpr std::size_t control_block_lock =
    __gnu_cxx::__default_lock_policy == __gnu_cxx::_S_mutex ? sizeof(__gnu_cxx::__mutex) : 0;
#else
inline constexpr std::size_t control_block_lock = 0;
#endif

} // namespace linn::inline LINN_ABI::detail

#endif
