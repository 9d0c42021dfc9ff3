// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_FUZZ_FAILING_MMAP_HPP
#define LINN_TESTS_FUZZ_FAILING_MMAP_HPP

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

// Targets that include this are linked with --wrap=mmap: the headers' own calls of mmap come here.
extern "C" void* __real_mmap(void* address, std::size_t bytes, int access, int flags, int file, off_t offset);
extern "C" void* __wrap_mmap(void* address, std::size_t bytes, int access, int flags, int file, off_t offset);

namespace linn_fuzz {

/// Lets the system refuse memory.
struct failing_mmap {
    static constexpr long never = -1;
    static inline std::atomic<long> until_failure{never};
    static inline std::atomic<std::size_t> refusals{0};
};

/// The n-th mmap from now, counted from 0, and all later ones fail while this lives.
class failing_scope {
public:
    explicit failing_scope(std::size_t n) noexcept : before_{failing_mmap::refusals} {
        failing_mmap::until_failure = static_cast<long>(n);
    }
    failing_scope(const failing_scope&) = delete;
    failing_scope& operator=(const failing_scope&) = delete;
    ~failing_scope() { failing_mmap::until_failure = failing_mmap::never; }

    [[nodiscard]] bool refused() const noexcept { return failing_mmap::refusals != before_; }

private:
    std::size_t before_;
};

} // namespace linn_fuzz

// Used by the linker only.
[[gnu::used]] inline void* __wrap_mmap(void* address, std::size_t bytes, int access, int flags, int file,
                                       off_t offset) {
    using linn_fuzz::failing_mmap;
    if (const long left = failing_mmap::until_failure; left == 0) {
        ++failing_mmap::refusals;
        errno = ENOMEM;
        return MAP_FAILED;
    } else if (left > 0) {
        failing_mmap::until_failure = left - 1;
    }
    return __real_mmap(address, bytes, access, flags, file, offset);
}

#endif
