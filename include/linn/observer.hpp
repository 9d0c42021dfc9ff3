// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_OBSERVER_HPP
#define LINN_OBSERVER_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

/// @file
/// To be told when a pool takes memory, gives it back, reaches its limit or finds none: `set_pool_observer`,
/// `pool_event`.

#include <linn/detail/os/threads.hpp>
#include <linn/detail/sync/handlers.hpp>
#include <linn/detail/sync/module.hpp>
#include <linn/types/pool_event.hpp>

#include <cstdio>

namespace linn::inline LINN_ABI {

/// Writes a line to `file`. Allocates nothing.
/// @complexity constant
/// @threads any thread
inline void print_pool_event(std::FILE* file, const pool_event& e) noexcept {
    const detail::uncancelled until_the_end;
    std::fprintf(file, "linn: pool of %.*s: %s: %zu, %zu bytes\n", static_cast<int>(e.type.size()),
                 e.type.data(), to_string(e.kind), e.count, e.bytes);
}

/// Installs what is called when a pool takes memory, gives it back, reaches its limit or finds none; null, as
/// in the beginning, nothing. It is called on the thread whose call did it, with no lock held, before that call
/// returns or throws: it may use any pool, also that one, without being told of that. It must not throw.
///
/// Other threads may still be in the observer that was there before. One that lies in a shared library which calls
/// this goes with it; no other thread may be inside then.
/// @returns the observer before
/// @complexity constant
/// @threads any thread
/// @snippet examples/34_observer.cpp
inline pool_observer set_pool_observer(pool_observer observer) noexcept {
    return detail::exchange_handler<detail::current_pool_observer>(observer);
}

} // namespace linn::inline LINN_ABI

#endif
#endif
