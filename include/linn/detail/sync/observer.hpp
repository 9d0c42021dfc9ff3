// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_OBSERVER_HPP
#define LINN_DETAIL_SYNC_OBSERVER_HPP

#include <linn/config.hpp>
#include <linn/detail/core/slab_growth.hpp>
#include <linn/detail/os/module_image.hpp>
#include <linn/detail/os/program_end.hpp>
#include <linn/detail/os/uncancelled.hpp>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <string_view>

namespace linn::inline LINN_ABI {

enum class pool_event_kind : unsigned char {
    slab_mapped,   ///< the pool took slabs from the system or its upstream, or uses returned ones again
    slab_returned, ///< their memory went back
    limit_reached, ///< a request failed at a limit of the pool
    out_of_memory, ///< a request failed because the system, or upstream, has no more memory
};

/// What a pool did, for a pool observer. What it refers to is valid during the call of the observer.
struct pool_event {
    pool_event_kind kind;
    std::string_view type; ///< as `pool_statistics::type` of the pool
    /// The `local_pool`, `pool_resource` or `buffer_pool`; null for a `pool<T>`, of which there is one.
    const void* pool = nullptr;
    std::size_t count = 0; ///< slabs, or buffers; when a request failed, the objects that it asked for
    std::size_t bytes = 0; ///< of these together
};

/// Words for people. @returns a static string
constexpr const char* to_string(pool_event_kind kind) noexcept {
    switch (kind) {
    case pool_event_kind::slab_mapped:
        return "slab mapped";
    case pool_event_kind::slab_returned:
        return "slab returned";
    case pool_event_kind::limit_reached:
        return "limit reached";
    case pool_event_kind::out_of_memory:
        return "out of memory";
    }
    return "unknown event";
}

using pool_observer = void (*)(const pool_event&) noexcept;

/// Writes a line to `file`. Allocates nothing.
inline void print_pool_event(std::FILE* file, const pool_event& e) noexcept {
    const detail::uncancelled until_the_end;
    std::fprintf(file, "linn: pool of %.*s: %s: %zu, %zu bytes\n", static_cast<int>(e.type.size()),
                 e.type.data(), to_string(e.kind), e.count, e.bytes);
}

namespace detail {

inline constinit std::atomic<pool_observer> current_pool_observer{nullptr};

/// Set while this thread is in the observer, whose own use of pools is not told to it.
inline constinit thread_local bool inside_observer = false;

/// Calls the observer, if there is one. @pre no lock is held
[[gnu::noinline, gnu::cold]] inline void tell_observer(const pool_event& e) noexcept {
    // acquire: pairs with the release in set_pool_observer, so that what the observer uses is there
    const pool_observer observer = current_pool_observer.load(std::memory_order_acquire);
    if (observer == nullptr || inside_observer) {
        return;
    }
    inside_observer = true;
    observer(e);
    inside_observer = false;
}

/// Tells what a set of slabs did under a lock, now that it is released.
/// @param refused of how many objects a request failed; 0: it did not
inline void tell_news(const slab_news& news, std::size_t refused, std::size_t object_bytes,
                      std::string_view type, const void* pool = nullptr) noexcept {
    if (news.slabs != 0) [[unlikely]] {
        tell_observer({pool_event_kind::slab_mapped, type, pool, news.slabs, news.bytes});
    }
    if (refused != 0) [[unlikely]] {
        const auto kind =
            news.why == shortage::limit ? pool_event_kind::limit_reached : pool_event_kind::out_of_memory;
        const bool overflows = refused > static_cast<std::size_t>(-1) / object_bytes;
        tell_observer(
            {kind, type, pool, refused, overflows ? static_cast<std::size_t>(-1) : refused * object_bytes});
    }
}

} // namespace detail

/// Installs what is called when a pool takes memory, gives it back, reaches its limit or finds none; null, as
/// in the beginning, nothing. It is called on the thread whose call did it, with no lock held, before that call
/// returns or throws: it may use any pool, also that one, without being told of that. It must not throw.
///
/// Other threads may still be in the observer that was there before. One that lies in a shared library which calls
/// this goes with it; no other thread may be inside then.
/// @returns the observer before
/// @threads any thread
/// @snippet examples/34_observer.cpp
inline pool_observer set_pool_observer(pool_observer observer) noexcept {
    static_cast<void>(
        &detail::at_program_end<&detail::take_along<detail::current_pool_observer>>); // odr-use registers it
    // acq_rel: pairs with the acquire in tell_observer
    return detail::current_pool_observer.exchange(observer, std::memory_order_acq_rel);
}

} // namespace linn::inline LINN_ABI

#endif
