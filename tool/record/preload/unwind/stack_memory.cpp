// SPDX-License-Identifier: Apache-2.0
#include "stack_memory.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace linn::tool::unwind {

bool probe_word(std::uintptr_t address) noexcept {
    // The kernel copies the new mask before it looks at the impossible way to apply it: EINVAL if it could read.
    // Null would be no mask at all, so nothing to copy; nothing is mapped in the first page.
    constexpr std::uintptr_t page = std::uintptr_t{1} << readable_pages::page_shift;
    constexpr long no_such_way = -1;
    constexpr long kernel_mask_bytes = 8;
    return address >= page &&
           (::syscall(SYS_rt_sigprocmask, no_such_way, address, nullptr, kernel_mask_bytes) == 0 ||
            errno != EFAULT);
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
