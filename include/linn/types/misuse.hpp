// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TYPES_MISUSE_HPP
#define LINN_TYPES_MISUSE_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

#include <cstddef>
#include <span>
#include <string_view>

namespace linn::inline LINN_ABI {

/// What a pool notices.
enum class misuse_kind : unsigned char {
    double_free,      ///< the object is free already
    foreign_pointer,  ///< the memory came from no pool that is known here; a `local_pool` knows no other one
    interior_pointer, ///< the pointer does not point at the start of an object
    misaligned_pointer, ///< the same, and the type could not be there for its alignment
    wrong_pool,         ///< the object belongs to another `pool` or resource
    wrong_size,         ///< freed as of another size or alignment than it was allocated with
    write_after_free,   ///< the memory changed while it was free; checked builds only
    overrun,            ///< the memory behind the object changed; checked builds, and a `handle_pool` always
    underrun,           ///< the memory before the object changed; checked builds only
    objects_alive,      ///< a local_pool was destroyed before its objects
};

/// What went wrong, for a misuse handler. What it refers to is valid during the call of the handler.
struct misuse {
    misuse_kind kind;
    std::string_view type; ///< the type of the pool that noticed
    const void* address;   ///< the offending pointer or object; for objects_alive the local_pool
    std::size_t count;     ///< how many objects

    std::size_t object_bytes = 0; ///< size of an object of the pool that noticed
    /// Where the object starts that `address` points to or into; null where there is none, or where
    /// release builds do not know.
    const void* object = nullptr;
    /// From the start of the object: of the first changed byte (write_after_free, overrun; negative
    /// for underrun), or of `address` (interior_pointer, misaligned_pointer).
    std::ptrdiff_t offset = 0;
    /// For wrong_pool: the type of the pool that the object belongs to, where that is known.
    std::string_view belongs_to = {};
    /// Callers of the last allocation and of the last free: return addresses, the innermost first.
    /// Checked builds only; empty if unknown.
    std::span<const void* const> allocated_by = {};
    std::span<const void* const> freed_by = {};
};

/// A sentence for people. @returns a static string
/// @complexity constant
/// @threads any thread
constexpr const char* to_string(misuse_kind kind) noexcept {
    switch (kind) {
    case misuse_kind::double_free:
        return "freed twice";
    case misuse_kind::foreign_pointer:
        return "freed, but it never came from a pool";
    case misuse_kind::interior_pointer:
        return "freed, but no object starts at this address";
    case misuse_kind::misaligned_pointer:
        return "freed, but no object can start at this address, which is not aligned for one";
    case misuse_kind::wrong_pool:
        return "freed to a pool that it does not belong to";
    case misuse_kind::wrong_size:
        return "freed with another size or alignment than it was allocated with";
    case misuse_kind::write_after_free:
        return "written to after it was freed";
    case misuse_kind::overrun:
        return "written to beyond its end";
    case misuse_kind::underrun:
        return "written to before its start";
    case misuse_kind::objects_alive:
        return "still alive when their pool is destroyed";
    }
    return "misused";
}

/// Called on the thread that noticed; see `set_misuse_handler`.
using misuse_handler = void (*)(const misuse&) noexcept;

} // namespace linn::inline LINN_ABI

#endif
#endif
