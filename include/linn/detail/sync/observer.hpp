// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_OBSERVER_HPP
#define LINN_DETAIL_SYNC_OBSERVER_HPP

#include <linn/config.hpp>
#include <linn/detail/core/slab_growth.hpp>
#include <linn/detail/sync/race_checks.hpp>
#include <linn/types/pool_event.hpp>

#include <atomic>
#include <cstddef>
#include <string_view>

namespace linn::inline LINN_ABI::detail {

inline constinit std::atomic<pool_observer> current_pool_observer{nullptr};

/// Set while this thread is in the observer, whose own use of pools is not told to it.
inline constinit thread_local bool inside_observer = false;

/// Calls the observer, if there is one. @pre no lock is held
[[LINN_DETAIL_COLD]] inline void tell_observer(const pool_event& e) noexcept {
    // What the observer uses is there: see exchange_handler.
    const pool_observer observer = read_published(current_pool_observer);
    if (observer == nullptr || inside_observer) {
        return;
    }
    inside_observer = true;
    observer(e);
    inside_observer = false;
}

[[LINN_DETAIL_COLD]] inline void tell_some_news(const slab_news& news, std::size_t refused,
                                                std::size_t object_bytes, std::string_view type,
                                                const void* pool) noexcept {
    if (news.slabs != 0) {
        tell_observer({pool_event_kind::slab_mapped, type, pool, news.slabs, news.bytes});
    }
    if (refused != 0) {
        const auto kind =
            news.why == shortage::limit ? pool_event_kind::limit_reached : pool_event_kind::out_of_memory;
        const bool overflows = refused > static_cast<std::size_t>(-1) / object_bytes;
        tell_observer(
            {kind, type, pool, refused, overflows ? static_cast<std::size_t>(-1) : refused * object_bytes});
    }
}

/// Tells what a set of slabs did under a lock, now that it is released.
/// @param refused of how many objects a request failed; 0: it did not
inline void tell_news(const slab_news& news, std::size_t refused, std::size_t object_bytes,
                      std::string_view type, const void* pool = nullptr) noexcept {
    if (news.slabs != 0 || refused != 0) [[LINN_DETAIL_UNLIKELY]] {
        tell_some_news(news, refused, object_bytes, type, pool);
    }
}

} // namespace linn::inline LINN_ABI::detail

#endif
