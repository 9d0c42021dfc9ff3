// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_MISUSE_HPP
#define LINN_DETAIL_SYNC_MISUSE_HPP

#include <linn/config.hpp>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace linn::inline LINN_ABI {

enum class misuse_kind : unsigned char {
    double_free,      ///< the object is free already
    foreign_pointer,  ///< the memory never came from a pool
    interior_pointer, ///< the pointer does not point at the start of an object
    wrong_pool,       ///< the object belongs to another pool
    wrong_size,       ///< freed as of another size or alignment than it was allocated with
    objects_alive,    ///< a local_pool was destroyed before its objects
};

/// What went wrong, for a misuse handler.
struct misuse {
    misuse_kind kind;
    std::string_view type; ///< the type of the pool that noticed
    const void* address;   ///< the offending object; for objects_alive the local_pool
    std::size_t count;     ///< how many objects
};

/// A sentence for people. @returns a static string
constexpr const char* to_string(misuse_kind kind) noexcept {
    switch (kind) {
    case misuse_kind::double_free:
        return "freed twice";
    case misuse_kind::foreign_pointer:
        return "freed, but it never came from a pool";
    case misuse_kind::interior_pointer:
        return "freed, but no object starts at this address";
    case misuse_kind::wrong_pool:
        return "freed to a pool that it does not belong to";
    case misuse_kind::wrong_size:
        return "freed with another size or alignment than it was allocated with";
    case misuse_kind::objects_alive:
        return "still alive when their local_pool is destroyed";
    }
    return "misused";
}

using misuse_handler = void (*)(const misuse&) noexcept;

namespace detail {

/// Prints to standard error without allocating, and ends the program unless going on is harmless.
inline void default_misuse_handler(const misuse& m) noexcept {
    std::fprintf(stderr, "linn: %zu object%s of type %.*s at %p: %s\n", m.count, m.count == 1 ? "" : "s",
                 static_cast<int>(m.type.size()), m.type.data(), m.address, to_string(m.kind));
    if (m.kind != misuse_kind::objects_alive) {
        std::abort();
    }
}

inline constinit std::atomic<misuse_handler> current_misuse_handler{&default_misuse_handler};

inline void report(const misuse& m) noexcept {
    // acquire: pairs with the release in set_misuse_handler, so that what the handler uses is there
    current_misuse_handler.load(std::memory_order_acquire)(m);
}

} // namespace detail

/// Installs what is called on misuse; null brings the default back, which prints to standard error
/// and aborts (for `objects_alive` it prints only). A handler that returns makes the pool ignore
/// the offending call. It is called without any lock held and may use pools.
/// @returns the handler before
/// @threads any thread
inline misuse_handler set_misuse_handler(misuse_handler handler) noexcept {
    // acq_rel: pairs with the acquire in report
    return detail::current_misuse_handler.exchange(
        handler != nullptr ? handler : &detail::default_misuse_handler, std::memory_order_acq_rel);
}

} // namespace linn::inline LINN_ABI

#endif
