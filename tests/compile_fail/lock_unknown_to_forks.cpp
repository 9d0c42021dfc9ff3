// SPDX-License-Identifier: Apache-2.0
// A lock names the object that a fork stops; without one, a child of a fork could find it taken for ever.
// LINES: 30
#include <linn/detail/sync/module.hpp>

struct counter {
    explicit counter(linn::detail::fork_stopper& owner) noexcept
#if !defined(LINN_CASE_unknown) // (no matching function for call to|constructor for)
        : lock{owner}
#endif
    {
        static_cast<void>(owner);
    }
    linn::detail::mutex lock;
};
