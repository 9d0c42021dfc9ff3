// SPDX-License-Identifier: Apache-2.0
#include "stack_memory.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace linn::tool::unwind {
namespace {

/// A system call that does not touch errno, which belongs to the program. Minus the error where it fails.
long raw_call(long number, long a, long b, long c, long d, long e = 0, long f = 0) noexcept {
#if defined(__x86_64__)
    long result;
    register long r10 asm("r10") = d;
    register long r8 asm("r8") = e;
    register long r9 asm("r9") = f;
    asm volatile("syscall"
                 : "=a"(result)
                 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                 : "rcx", "r11", "memory");
    return result;
#else
    const int before = errno;
    const long result = syscall(number, a, b, c, d, e, f);
    const long error = errno;
    errno = before;
    return result == -1 ? -error : result;
#endif
}

} // namespace

void* map_pages(std::size_t bytes) noexcept {
    const long result = raw_call(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return result < 0 && result > -4096 ? nullptr : reinterpret_cast<void*>(result);
}

void unmap_pages(void* memory, std::size_t bytes) noexcept {
    raw_call(SYS_munmap, reinterpret_cast<long>(memory), static_cast<long>(bytes), 0, 0);
}

bool probe_word(std::uintptr_t address) noexcept {
    // The kernel copies the new mask before it looks at the impossible way to apply it: EINVAL if it could read.
    // Null would be no mask at all, so nothing to copy; nothing is mapped in the first page.
    constexpr std::uintptr_t page = std::uintptr_t{1} << readable_pages::page_shift;
    constexpr long no_such_way = -1;
    constexpr long kernel_mask_bytes = 8;
    return address >= page && raw_call(SYS_rt_sigprocmask, no_such_way, static_cast<long>(address), 0,
                                       kernel_mask_bytes) != -EFAULT;
}

bool readable_pages::learn(std::uintptr_t address) noexcept {
    constexpr std::uintptr_t page_size = std::uintptr_t{1} << page_shift;
    // Frames are seldom larger. What is further away begins a range of its own.
    constexpr std::uintptr_t most_gap = 64 * page_size;
    const std::uintptr_t page = address & ~(page_size - 1);
    std::uintptr_t first = page;
    std::uintptr_t last = page;
    if (page - (begin_ + size_) < most_gap) {
        first = begin_ + size_;
    } else if (begin_ - (page + page_size) < most_gap) {
        last = begin_ - page_size;
    }
    for (std::uintptr_t probed = first; probed <= last; probed += page_size) {
        if (!probe_word(probed)) {
            if (first == last) {
                return false;
            }
            first = last = page; // a guard page lies between: another stack
            probed = page - page_size;
        }
    }
    if (size_ != 0 && first == begin_ + size_) {
        size_ += last + page_size - first;
    } else if (size_ != 0 && last + page_size == begin_) {
        size_ += begin_ - first;
        begin_ = first;
    } else {
        begin_ = first;
        size_ = last + page_size - first;
    }
    if (begin_ >> page_shift >> (64 - count_bits) == 0 && size_ >> page_shift <= most_pages) {
        word_.store(begin_ >> page_shift << count_bits | size_ >> page_shift, std::memory_order_relaxed);
    }
    return true;
}

} // namespace linn::tool::unwind
