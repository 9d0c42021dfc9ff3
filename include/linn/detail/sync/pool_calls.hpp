// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_POOL_CALLS_HPP
#define LINN_DETAIL_SYNC_POOL_CALLS_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/os/threads.hpp>
#include <linn/detail/sync/front.hpp>
#include <linn/types/pool_statistics.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

// What the code of a pool calls when its front has nothing to give or no room: declared here, so that a program that links
// `linn::compiled` compiles no more than this, and defined in thread_cache.hpp.

namespace linn::inline LINN_ABI::detail {

/// A pool as the slow paths see it.
template <class Policy>
struct pool_root {
    depot_place<Policy> depot_made{0};
    const pool_description* description = nullptr;
};

/// `attach_here` of the module that the code lies in which names a front: a default argument of the functions below belongs
/// to the code that calls them, while they themselves may be another module's.
template <class Policy>
using attach_function = bool (*)(front<Policy>&, depot<Policy>&) noexcept;

/// Attaches `f` if this thread may hold a cache. The janitor comes first: nothing may be cached that is
/// never flushed. For the same reason nothing is cached where `thread_local` variables end too early.
template <class Policy>
LINN_DETAIL_HIDDEN bool attach_here(front<Policy>& f, depot<Policy>& d) noexcept;

/// What `pool::allocate` does when the hot path has nothing. Null when there is no memory.
/// @param caller in checked builds, where in the user's code
/// @complexity O(1) amortised: one visit of the depot a magazine
template <class Policy>
[[LINN_DETAIL_SLOW]] void* allocate_slow(front<Policy>& f, pool_root<Policy>& root,
                                         const void* caller = nullptr,
                                         attach_function<Policy> attach = &attach_here<Policy>) noexcept;

/// As `allocate_slow`. @throws std::bad_alloc instead of null
template <class Policy>
[[LINN_DETAIL_SLOW, LINN_DETAIL_RETURNS_NONNULL]] void*
allocate_or_throw(front<Policy>& f, pool_root<Policy>& root, const void* caller,
                  attach_function<Policy> attach = &attach_here<Policy>);

/// What `pool::deallocate` does when the front is full.
template <class Policy>
[[LINN_DETAIL_SLOW]] void deallocate_slow(front<Policy>& f, pool_root<Policy>& root, void* object,
                                          const void* caller = nullptr,
                                          attach_function<Policy> attach = &attach_here<Policy>) noexcept;

/// Writes pointers to `count` objects into `out`, an array of pointers of any type.
/// @returns false when there is no memory for all; then none is taken
/// @complexity O(count): the front is emptied by copying
template <class Policy>
[[nodiscard]] bool allocate_run(front<Policy>& f, pool_root<Policy>& root, void* out, std::size_t count,
                                const void* caller = nullptr,
                                attach_function<Policy> attach = &attach_here<Policy>) noexcept;

/// Takes `count` objects back: what `objects`, an array of pointers of any type, holds from the first on.
/// @complexity O(count): the front is filled by copying
template <class Policy>
void deallocate_run(front<Policy>& f, pool_root<Policy>& root, const void* objects, std::size_t count,
                    const void* caller = nullptr,
                    attach_function<Policy> attach = &attach_here<Policy>) noexcept;

// The calls that are not for one object. They do as the functions of `pool` with these names say.

/// @returns false when there is no memory, or a limit forbids
template <class Policy>
[[nodiscard]] bool reserve(front<Policy>& f, pool_root<Policy>& root, std::size_t objects,
                           attach_function<Policy> attach = &attach_here<Policy>) noexcept;

template <class Policy>
std::size_t trim(front<Policy>& mine, pool_root<Policy>& root) noexcept;

template <class Policy>
[[nodiscard]] pool_statistics statistics(pool_root<Policy>& root) noexcept;

template <class Policy>
std::size_t check_objects(pool_root<Policy>& root) noexcept;

template <class Policy>
[[nodiscard]] bool owns(pool_root<Policy>& root, const void* p) noexcept;

/// Whether a slot of this pool starts at `p`, which may be any pointer.
template <class Policy>
[[nodiscard]] bool owns_slot(pool_root<Policy>& root, const void* p) noexcept;

/// Calls `visit(object, context)` for each object that is handed out. @returns how many
/// @throws std::bad_alloc before the first call, and what `visit` throws
template <class Policy>
std::size_t visit_live(pool_root<Policy>& root, void (*visit)(void* object, void* context), void* context);

/// The functions above for the system that the program runs on. With `extern` they are declared, not instantiated; with nothing they
/// are instantiated, as in linn::compiled.
#define LINN_DETAIL_POOL_FUNCTIONS(EXTERN)                                                                   \
    EXTERN template bool attach_here(front<platform>&, depot<platform>&) noexcept;                           \
    EXTERN template void* allocate_slow(front<platform>&, pool_root<platform>&, const void*,                 \
                                        attach_function<platform>) noexcept;                                 \
    EXTERN template void* allocate_or_throw(front<platform>&, pool_root<platform>&, const void*,             \
                                            attach_function<platform>);                                      \
    EXTERN template void deallocate_slow(front<platform>&, pool_root<platform>&, void*, const void*,         \
                                         attach_function<platform>) noexcept;                                \
    EXTERN template bool allocate_run(front<platform>&, pool_root<platform>&, void*, std::size_t,            \
                                      const void*, attach_function<platform>) noexcept;                      \
    EXTERN template void deallocate_run(front<platform>&, pool_root<platform>&, const void*, std::size_t,    \
                                        const void*, attach_function<platform>) noexcept;                    \
    EXTERN template bool reserve(front<platform>&, pool_root<platform>&, std::size_t,                        \
                                 attach_function<platform>) noexcept;                                        \
    EXTERN template std::size_t trim(front<platform>&, pool_root<platform>&) noexcept;                       \
    EXTERN template pool_statistics statistics(pool_root<platform>&) noexcept;                               \
    EXTERN template std::size_t check_objects(pool_root<platform>&) noexcept;                                \
    EXTERN template bool owns(pool_root<platform>&, const void*) noexcept;                                   \
    EXTERN template bool owns_slot(pool_root<platform>&, const void*) noexcept;                              \
    EXTERN template std::size_t visit_live(pool_root<platform>&, void (*)(void*, void*), void*);

#if defined(LINN_COMPILED) && !defined(LINN_DETAIL_COMPILING)
LINN_DETAIL_POOL_FUNCTIONS(extern)
#endif

} // namespace linn::inline LINN_ABI::detail

#if !defined(LINN_COMPILED) || defined(LINN_DETAIL_COMPILING)
#include <linn/detail/sync/thread_cache.hpp>
#endif

#endif
