// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_FUZZ_FAILING_NEW_HPP
#define LINN_TESTS_FUZZ_FAILING_NEW_HPP

#include <cstddef>
#include <new>

// Targets that include this are linked with --wrap of that symbol, the aligned operator new that does not throw: the
// headers' own calls of it come here.
extern "C" void* __real__ZnwmSt11align_val_tRKSt9nothrow_t(std::size_t bytes, std::align_val_t align,
                                                           const std::nothrow_t& tag) noexcept;
extern "C" void* __wrap__ZnwmSt11align_val_tRKSt9nothrow_t(std::size_t bytes, std::align_val_t align,
                                                           const std::nothrow_t& tag) noexcept;

namespace linn_fuzz {

/// The n-th such request from now, counted from 0, and all later ones fail while this lives.
class failing_scope {
public:
    explicit failing_scope(std::size_t n) noexcept : before_{refusals_} {
        until_failure_ = static_cast<long>(n);
    }
    failing_scope(const failing_scope&) = delete;
    failing_scope& operator=(const failing_scope&) = delete;
    ~failing_scope() { until_failure_ = never; }

    [[nodiscard]] bool refused() const noexcept { return refusals_ != before_; }

    /// Whether the request that is being made is one that fails.
    static bool refuses() noexcept {
        if (until_failure_ == 0) {
            ++refusals_;
            return true;
        }
        until_failure_ -= until_failure_ > 0 ? 1 : 0;
        return false;
    }

private:
    static constexpr long never = -1;
    static inline long until_failure_ = never;
    static inline std::size_t refusals_ = 0;

    std::size_t before_;
};

} // namespace linn_fuzz

// Used by the linker only.
[[gnu::used]] inline void* __wrap__ZnwmSt11align_val_tRKSt9nothrow_t(std::size_t bytes,
                                                                     std::align_val_t align,
                                                                     const std::nothrow_t& tag) noexcept {
    return linn_fuzz::failing_scope::refuses() ? nullptr
                                               : __real__ZnwmSt11align_val_tRKSt9nothrow_t(bytes, align, tag);
}

#endif
