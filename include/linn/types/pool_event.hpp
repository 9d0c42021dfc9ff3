// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TYPES_POOL_EVENT_HPP
#define LINN_TYPES_POOL_EVENT_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

#include <cstddef>
#include <string_view>

namespace linn::inline LINN_ABI {

/// What a pool tells.
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
/// @complexity constant
/// @threads any thread
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

/// See `set_pool_observer`.
using pool_observer = void (*)(const pool_event&) noexcept;

} // namespace linn::inline LINN_ABI

#endif
#endif
