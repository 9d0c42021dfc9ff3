// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_FUZZ_FAILING_MEMORY_HPP
#define LINN_TESTS_FUZZ_FAILING_MEMORY_HPP

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <new>

namespace linn_fuzz {

/// The n-th request for memory from now, counted from 0, and all later ones fail while this lives: what the headers ask the system
/// or the aligned operator new for that does not throw. Targets that include this are linked with --wrap of both.
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

// The linker knows them by these names only.
void* real_mmap(void* address, std::size_t bytes, int access, int flags, int file,
                off_t offset) asm("__real_mmap");
void* wrap_mmap(void* address, std::size_t bytes, int access, int flags, int file,
                off_t offset) asm("__wrap_mmap");
void* real_new(std::size_t bytes, std::align_val_t align, const std::nothrow_t& tag) noexcept
    asm("__real__ZnwmSt11align_val_tRKSt9nothrow_t");
void* wrap_new(std::size_t bytes, std::align_val_t align, const std::nothrow_t& tag) noexcept
    asm("__wrap__ZnwmSt11align_val_tRKSt9nothrow_t");

[[gnu::used]] inline void* wrap_mmap(void* address, std::size_t bytes, int access, int flags, int file,
                                     off_t offset) {
    if (linn_fuzz::failing_scope::refuses()) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return real_mmap(address, bytes, access, flags, file, offset);
}
[[gnu::used]] inline void* wrap_new(std::size_t bytes, std::align_val_t align,
                                    const std::nothrow_t& tag) noexcept {
    return linn_fuzz::failing_scope::refuses() ? nullptr : real_new(bytes, align, tag);
}

#endif
