// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_SUPPORT_FAILING_PAGES_HPP
#define LINN_TESTS_SUPPORT_FAILING_PAGES_HPP

#include <linn/detail/os/system.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace linn_test {

/// A page source that counts and that refuses on request. Each `Tag` has counters of its own, so
/// that tests cannot disturb each other. `Zeroed == false` hands out memory full of rubbish, as
/// `operator new` does.
template <class Tag, bool Zeroed = true>
struct failing_pages {
    static constexpr bool zeroed = Zeroed;
    static constexpr std::size_t never = SIZE_MAX;

    static inline std::atomic<std::size_t> maps{0};
    static inline std::atomic<std::size_t> refusals{0};
    static inline std::atomic<std::size_t> discards{0};
    static inline std::atomic<std::size_t> huge{0};
    static inline std::atomic<std::size_t> questions{0}; ///< whether memory can be read

    static void reset() {
        maps = refusals = discards = huge = questions = 0;
        work();
    }
    /// The n-th map from now, counted from 0, and all later ones fail.
    static void fail_from(std::size_t n) {
        until_failure = n;
        once = false;
    }
    /// Only the n-th map from now fails.
    static void fail_once(std::size_t n) {
        until_failure = n;
        once = true;
    }
    static void work() { until_failure = never; }

    static void* map(std::size_t bytes, std::size_t align) noexcept {
        if (const std::size_t left = until_failure; left == 0) {
            ++refusals;
            until_failure = once ? never : 0;
            return nullptr;
        } else if (left != never) {
            until_failure = left - 1;
        }
        void* p = linn::detail::system_pages::map(bytes, align);
        if (p != nullptr) {
            ++maps;
            if (!Zeroed) {
                std::memset(p, 0xa5, bytes);
            }
        }
        return p;
    }
    static void unmap(void* p, std::size_t bytes, std::size_t align) noexcept {
        linn::detail::system_pages::unmap(p, bytes, align);
    }
    static bool discard(void* p, std::size_t bytes) noexcept {
        if (!Zeroed) {
            return false;
        }
        ++discards;
        return linn::detail::system_pages::discard(p, bytes);
    }
    static bool readable(const void* p) noexcept {
        ++questions;
        return linn::detail::system_pages::readable(p);
    }
    static void prefer_huge(void*, std::size_t) noexcept { ++huge; }
    static void prefer_small(void*, std::size_t) noexcept {}

private:
    static inline std::atomic<std::size_t> until_failure{never};
    static inline std::atomic<bool> once{false};
};

} // namespace linn_test

#endif
