// SPDX-License-Identifier: Apache-2.0
#include "walker.hpp"

#include "cfi.hpp"

#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include <cerrno>

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
        std::uintptr_t frame = 0;
        switch (way.kind()) {
        case rule_kind::stack_pointer:
            frame = stack_pointer_ + offset(way.cfa_offset());
            break;
        case rule_kind::frame_pointer:
            if (!load_frame_pointer()) {
                return false;
            }
            frame = frame_pointer_ + offset(way.cfa_offset());
            break;
        case rule_kind::saved_by_frame:
            if (!load_frame_pointer() || !load(frame_pointer_ + offset(way.cfa_offset()), frame)) {
                return false;
            }
            break;
        case rule_kind::none:
        case rule_kind::end:
            return false;
        case rule_kind::cut:
            return cut();
        }
        // The stack grows downwards, so a caller's frame lies above.
        if (frame <= stack_pointer_) {
            return cut();
        }
        switch (way.rbp()) {
        case saved_rbp::unchanged:
            break;
        case saved_rbp::below_cfa:
            frame_pointer_at_ = frame + offset(way.rbp_offset());
            break;
        case saved_rbp::by_frame_pointer:
            if (!load_frame_pointer()) {
                return false;
            }
            frame_pointer_at_ = frame_pointer_ + offset(way.rbp_offset());
            break;
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
        if (frame_pointer_at_ != 0) {
            const std::uintptr_t at = frame_pointer_at_;
            frame_pointer_at_ = 0;
            return load(at, frame_pointer_);
        }
        if (!frame_pointer_loaded_) {
            into_.used_frame_pointer = true;
        }
        frame_pointer_loaded_ = true;
        return true;
    }

    bool load(std::uintptr_t address, std::uintptr_t& value) {
        // Words below the first frame belong to the hook, which is still running and changes them.
        if (address < first_ || address % sizeof(std::uintptr_t) != 0 || !memory_.word(address)) {
            return cut();
        }
        frame_pointer_loaded_ = frame_pointer_loaded_ || &value == &frame_pointer_;
        value = *reinterpret_cast<const std::uintptr_t*>(address);
        note((address - first_) / sizeof(std::uintptr_t), value);
        return true;
    }

    void note(std::uint64_t distance, std::uintptr_t value) {
        if (distance > stack_word::most_distance || value > stack_word::value_mask ||
            into_.word_count == most_words(most_frames)) {
            into_.words_complete = false;
            return;
        }
        into_.words[into_.word_count++] = distance << stack_word::value_bits | value;
    }

    bool cut() {
        into_.result = walk::outcome::cut;
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
    bool frame_pointer_loaded_ =
        false; // frame_pointer_ is not the one of the start any more, or was noted as used
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

void walk_stack(const frame_start& start, unsigned depth, rule_table* table, readable_pages memory,
                walk& into) noexcept {
    into.result = walk::outcome::complete;
    into.used_frame_pointer = false;
    into.words_complete = true;
    into.word_count = 0;
#if defined(__x86_64__)
    walker{start, table, memory, into}.run(start.return_address, depth);
#else
    static_cast<void>(table);
    static_cast<void>(memory);
    walk_with_libgcc(start, depth, into);
#endif
}

} // namespace linn::tool::unwind
