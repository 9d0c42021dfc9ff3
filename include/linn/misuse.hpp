// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_MISUSE_HPP
#define LINN_MISUSE_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

/// @file
/// What a pool does when it notices an error of the program: `misuse`, `misuse_kind`,
/// `set_misuse_handler`. Release builds look when objects return to their slabs, once in a
/// magazine; `LINN_CHECKED` builds look at every deallocation.

#include <linn/detail/sync/handlers.hpp>
#include <linn/detail/sync/module.hpp>
#include <linn/types/misuse.hpp>

#include <cstdio>

namespace linn::inline LINN_ABI {

/// Writes a report of several lines to `file`, as the default handler does to standard error. Allocates
/// nothing.
/// @complexity constant, and the names of callers
/// @threads any thread
inline void print_misuse(std::FILE* file, const misuse& m) noexcept {
    detail::write_misuse(file, m);
}

/// Installs what is called on misuse; null brings the default back, which prints to standard error
/// and aborts (for `objects_alive` it prints only). A handler that returns makes the pool ignore
/// the offending call. It is called without any lock held and may use pools, except the `local_pool` or `handle_pool` that
/// noticed. When the shared library that calls this is unloaded and the handler lies in it, the default is back.
/// @returns the handler before
/// @complexity constant
/// @threads any thread
inline misuse_handler set_misuse_handler(misuse_handler handler) noexcept {
    const misuse_handler before = detail::exchange_handler<detail::current_misuse_handler>(
        handler != &detail::default_misuse_handler ? handler : nullptr);
    return before != nullptr ? before : &detail::default_misuse_handler;
}

} // namespace linn::inline LINN_ABI

#endif
#endif
