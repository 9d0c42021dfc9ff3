// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_BYPASS_HPP
#define LINN_DETAIL_SYNC_BYPASS_HPP

#include <linn/config.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace linn::inline LINN_ABI::detail {

/// A pool that passes each object to `operator new`, so that a memory checker sees every one. It only
/// counts. @threads any thread
template <class Policy>
class bypass {
public:
    constexpr bypass(std::size_t object_bytes, std::size_t object_align) noexcept
        : bytes_{object_bytes},
          align_{object_align} {}

    /// @returns null when there is no memory
    void* take() noexcept {
        void* p = over_aligned() ? ::operator new(bytes_, std::align_val_t{align_}, std::nothrow)
                                 : ::operator new(bytes_, std::nothrow);
        if (p == nullptr) {
            return nullptr;
        }
        const std::ptrdiff_t live = live_.fetch_add(1, std::memory_order_relaxed) + 1;
        std::ptrdiff_t peak = peak_.load(std::memory_order_relaxed);
        while (live > peak && !peak_.compare_exchange_weak(peak, live, std::memory_order_relaxed,
                                                           std::memory_order_relaxed)) {
        }
        return p;
    }

    void put(void* object) noexcept {
        live_.fetch_sub(1, std::memory_order_relaxed);
        if (over_aligned()) {
            ::operator delete(object, std::align_val_t{align_});
        } else {
            ::operator delete(object);
        }
    }

    /// Never negative, though another module's pool may have allocated what this one freed.
    [[nodiscard]] std::size_t live() const noexcept {
        const std::ptrdiff_t n = live_.load(std::memory_order_relaxed);
        return n > 0 ? static_cast<std::size_t>(n) : 0;
    }
    [[nodiscard]] std::size_t peak() const noexcept {
        return static_cast<std::size_t>(peak_.load(std::memory_order_relaxed));
    }

private:
    [[nodiscard]] bool over_aligned() const noexcept { return align_ > __STDCPP_DEFAULT_NEW_ALIGNMENT__; }

    template <class T>
    using atomic = typename Policy::template atomic<T>;

    std::size_t bytes_;
    std::size_t align_;
    atomic<std::ptrdiff_t> live_{0};
    atomic<std::ptrdiff_t> peak_{0};
};

} // namespace linn::inline LINN_ABI::detail

#endif
