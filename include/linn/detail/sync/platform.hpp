// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_PLATFORM_HPP
#define LINN_DETAIL_SYNC_PLATFORM_HPP

#include <linn/config.hpp>

#include <atomic>

namespace linn::inline LINN_ABI::detail {

struct system_pages;
struct coarse_clock;
class mutex;
struct parking;

/// What the engine takes from outside: where pages come from, what time it is, how it locks and waits, what an
/// atomic is. Named here; mutex.hpp and parking.hpp say what they are.
/// Tests put others in its place, to make pages fail, threads stumble and orders be enumerated.
struct platform {
    using pages = system_pages;
    using clock = coarse_clock;
    using mutex = detail::mutex;
    using parking = detail::parking;
    template <class T>
    using atomic = std::atomic<T>;
};

} // namespace linn::inline LINN_ABI::detail

#endif
