// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_FUZZ_FAILING_SCOPE_HPP
#define LINN_TESTS_FUZZ_FAILING_SCOPE_HPP

#include <atomic>
#include <cstddef>

namespace linn_fuzz {

/// The n-th request for memory from now, counted from 0, and all later ones fail while this lives: failing_mmap.hpp and
/// failing_new.hpp say which requests.
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
        const long left = until_failure_;
        refusals_ += left == 0 ? 1U : 0U;
        until_failure_ = left > 0 ? left - 1 : left;
        return left == 0;
    }

private:
    static constexpr long never = -1;
    static inline std::atomic<long> until_failure_{never};
    static inline std::atomic<std::size_t> refusals_{0};

    std::size_t before_;
};

} // namespace linn_fuzz

#endif
