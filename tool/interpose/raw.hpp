// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

// Small things that the library does without the C++ runtime.
namespace linn::tool::preload {

/// The processor's time stamp counter, which all processors of a machine count together.
[[gnu::always_inline]] inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    std::uint64_t value;
    asm volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#else
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
#endif
}

/// About where the stack ends, of the function that this is written into; without forcing a frame pointer on it.
[[gnu::always_inline]] inline std::uintptr_t stack_pointer() noexcept {
#if defined(__x86_64__)
    std::uintptr_t value;
    asm volatile("mov %%rsp, %0" : "=r"(value));
    return value;
#else
    return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
#endif
}

inline std::uint32_t own_tid() noexcept {
    return static_cast<std::uint32_t>(::syscall(SYS_gettid));
}
inline std::uint32_t own_pid() noexcept {
    return static_cast<std::uint32_t>(::syscall(SYS_getpid)); // not what the C library remembers
}

/// The value of a variable of the environment; null: it is not there. The program may have a getenv of its own.
inline const char* variable(const char* name) noexcept {
    const std::size_t length = std::strlen(name);
    for (char** v = ::environ; v != nullptr && *v != nullptr; ++v) {
        if (std::strncmp(*v, name, length) == 0 && (*v)[length] == '=') {
            return *v + length + 1;
        }
    }
    return nullptr;
}

/// Pages that are zero and the library's own; null where there are none.
inline void* zeroed_memory(std::size_t bytes) noexcept {
    void* const p =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? nullptr : p;
}

/// Makes all words of a table zero. Memory that was never used is not touched.
template <typename Word, std::size_t Count>
void clear_used(std::atomic<Word> (&words)[Count]) noexcept {
    for (std::atomic<Word>& word : words) {
        if (word.load(std::memory_order_relaxed) != Word{}) {
            word.store(Word{}, std::memory_order_relaxed);
        }
    }
}

/// The program must not see that the recorder had errors.
class kept_errno {
public:
    kept_errno() noexcept : value_(errno) {}
    kept_errno(const kept_errno&) = delete;
    kept_errno& operator=(const kept_errno&) = delete;
    ~kept_errno() { errno = value_; }

private:
    int value_;
};

} // namespace linn::tool::preload
