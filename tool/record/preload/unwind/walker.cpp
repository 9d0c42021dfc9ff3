// SPDX-License-Identifier: Apache-2.0
#include "walker.hpp"

#include "cfi.hpp"

#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include <cerrno>
#include <utility>

namespace linn::tool::unwind {
namespace {

class walker {
public:
    walker(const frame_start& start, rule_table* table, readable_pages memory, walk& into)
        : table_(table),
          memory_(memory),
          into_(into),
          first_(start.stack_pointer),
          stack_pointer_(start.stack_pointer),
          frame_pointer_(start.frame_pointer) {}

    void run(std::uintptr_t return_address, unsigned depth) {
        into_.frames[0] = return_address;
        into_.frame_count = 1;
        while (into_.frame_count != depth && step(return_address)) {
            into_.frames[into_.frame_count++] = return_address;
        }
    }

private:
    /// Goes to the caller of the frame that `return_address` lies in; false if there is none.
    bool step(std::uintptr_t& return_address) {
        const rule way = rule_of(return_address);
        const rule_kind kind = way.kind();
        if (kind == rule_kind::none || kind == rule_kind::end) {
            return false;
        }
        if (kind == rule_kind::cut) {
            return cut();
        }
        const bool by_stack = kind == rule_kind::stack_pointer;
        if ((!by_stack || way.rbp() == saved_rbp::by_frame_pointer) && !load_frame_pointer()) {
            return false;
        }
        std::uintptr_t frame = (by_stack ? stack_pointer_ : frame_pointer_) + offset(way.cfa_offset());
        if (kind == rule_kind::saved_by_frame && !load(frame, frame)) {
            return false;
        }
        // The stack grows downwards, so a caller's frame lies above.
        if (frame <= stack_pointer_) {
            return cut();
        }
        if (way.rbp() != saved_rbp::unchanged) {
            frame_pointer_at_ =
                (way.rbp() == saved_rbp::below_cfa ? frame : frame_pointer_) + offset(way.rbp_offset());
        }
        if (!load(frame - sizeof(std::uintptr_t), return_address)) {
            return false;
        }
        stack_pointer_ = frame;
        return return_address != 0;
    }

    rule rule_of(std::uintptr_t return_address) {
        rule found = table_ != nullptr ? table_->find(return_address) : rule{};
        if (found.kind() == rule_kind::none) {
            found = compile_rule(return_address);
            if (table_ != nullptr) {
                table_->insert(return_address, found);
            }
        }
        return found;
    }

    /// Brings rbp of the present frame to frame_pointer_, which has been left where it was saved until needed: most
    /// functions do not, and what was not read need not be verified.
    bool load_frame_pointer() {
        if (frame_pointer_at_ == 0) {
            into_.used_frame_pointer = into_.used_frame_pointer || is_start_frame_pointer_;
            return true;
        }
        is_start_frame_pointer_ = false;
        return load(std::exchange(frame_pointer_at_, 0), frame_pointer_);
    }

    bool load(std::uintptr_t address, std::uintptr_t& value) {
        // Words below the first frame belong to the hook, which is still running and changes them.
        if (address < first_ || address % sizeof(std::uintptr_t) != 0 || !memory_.word(address)) {
            return cut();
        }
        value = *reinterpret_cast<const std::uintptr_t*>(address);
        const std::uint64_t distance = (address - first_) / sizeof(std::uintptr_t);
        if (distance > stack_word::most_distance || value > stack_word::value_mask ||
            into_.word_count == most_words(most_frames)) {
            into_.words_complete = false;
        } else {
            into_.words[into_.word_count++] = distance << stack_word::value_bits | value;
        }
        return true;
    }

    bool cut() {
        into_.is_cut = true;
        return false;
    }

    static std::uintptr_t offset(std::int64_t bytes) { return static_cast<std::uintptr_t>(bytes); }

    rule_table* table_;
    readable_pages memory_;
    walk& into_;
    std::uintptr_t first_;
    std::uintptr_t stack_pointer_;
    std::uintptr_t frame_pointer_;
    std::uintptr_t frame_pointer_at_ = 0; // 0: it is in frame_pointer_
    bool is_start_frame_pointer_ = true;  // what frame_pointer_ is
};

#if !defined(__x86_64__)

/// What the rules know is x86-64; elsewhere the unwinder of the compiler walks, several times slower. It says not what it
/// read, so the cache keeps no such walk.
void walk_with_libgcc(const frame_start& start, unsigned depth, walk& into) noexcept {
    struct progress {
        walk& into;
        std::uintptr_t first;
        unsigned depth;
        bool left_recorder; // the frames of the hook and its callees come first
    } at{into, start.return_address, depth, false};
    into.words_complete = false;
    into.frames[0] = start.return_address;
    into.frame_count = 1;
    _Unwind_Backtrace(
        [](_Unwind_Context* context, void* argument) {
            auto& p = *static_cast<progress*>(argument);
            const auto frame = static_cast<std::uintptr_t>(_Unwind_GetIP(context));
            if (!p.left_recorder) {
                p.left_recorder = frame == p.first;
                return _URC_NO_REASON;
            }
            if (frame == 0 || p.into.frame_count == p.depth) {
                return _URC_END_OF_STACK;
            }
            p.into.frames[p.into.frame_count++] = frame;
            return _URC_NO_REASON;
        },
        &at);
}

#endif

} // namespace

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
    const auto are_readable = [](std::uintptr_t from, std::uintptr_t end) {
        while (from != end && probe_word(from)) {
            from += page_size;
        }
        return from == end; // otherwise a guard page lies between: another stack
    };
    const std::uintptr_t page = address & ~(page_size - 1);
    const std::uintptr_t behind = page + page_size;
    if (!probe_word(page)) {
        return false;
    }
    if (const std::uintptr_t end = begin_ + size_; page - end < most_gap && are_readable(end, page)) {
        size_ = behind - begin_;
    } else if (begin_ - behind < most_gap && are_readable(behind, begin_)) {
        size_ += begin_ - page;
        begin_ = page;
    } else {
        begin_ = page;
        size_ = page_size;
    }
    if (begin_ >> page_shift >> (64 - count_bits) == 0 && size_ >> page_shift <= most_pages) {
        word_.store(begin_ >> page_shift << count_bits | size_ >> page_shift, std::memory_order_relaxed);
    }
    return true;
}

void walk_stack(const frame_start& start, unsigned depth, rule_table* table, readable_pages memory,
                walk& into) noexcept {
#if defined(__x86_64__)
    walker{start, table, memory, into}.run(start.return_address, depth);
#else
    static_cast<void>(table);
    static_cast<void>(memory);
    walk_with_libgcc(start, depth, into);
#endif
}

} // namespace linn::tool::unwind
