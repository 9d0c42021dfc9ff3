// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../program_format.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace linn::tool::worker {

using replay_format::op;

/// What an op asks for, or gives back.
struct request {
    std::size_t bytes;
    std::size_t alignment; ///< 0: the default
    std::uint32_t slot;
    std::uint8_t group;
};

constexpr bool is_operator_new(op what) noexcept {
    return (what >= op::new_object && what <= op::new_array_aligned) || what >= op::delete_object;
}

// What follows is inlined into the loop over the words of a program by force: a call more or less for a request
// is as much as a fast allocator takes.

/// The functions that the recorded program called, of whatever allocator this process runs on.
struct system_source {
    static constexpr bool keeps_content = true;
    static constexpr bool zeroes = true;

    template <op What>
    [[gnu::always_inline]] void* allocate(const request& r) const {
        const std::size_t alignment = std::max<std::size_t>(r.alignment, sizeof(void*));
        if constexpr (What == op::malloc) {
            return std::malloc(r.bytes);
        } else if constexpr (What == op::calloc) {
            return std::calloc(1, r.bytes);
        } else if constexpr (What == op::aligned) {
            void* p = nullptr;
            return ::posix_memalign(&p, alignment, r.bytes) == 0 ? p : nullptr;
        } else if constexpr (What == op::new_object) {
            return ::operator new(r.bytes);
        } else if constexpr (What == op::new_array) {
            return ::operator new[](r.bytes);
        } else if constexpr (What == op::new_aligned) {
            return ::operator new(r.bytes, std::align_val_t{alignment});
        } else {
            return ::operator new[](r.bytes, std::align_val_t{alignment});
        }
    }

    template <op What>
    [[gnu::always_inline]] void release(void* p, const request& r) const noexcept {
        const std::size_t alignment = std::max<std::size_t>(r.alignment, sizeof(void*));
        if constexpr (What == op::free) {
            std::free(p);
        } else if constexpr (What == op::delete_object) {
            ::operator delete(p, r.bytes);
        } else if constexpr (What == op::delete_array) {
            ::operator delete[](p);
        } else if constexpr (What == op::delete_aligned) {
            ::operator delete(p, std::align_val_t{alignment});
        } else {
            ::operator delete[](p, std::align_val_t{alignment});
        }
    }

    void* reallocate(void* p, const request&, const request& now) const { return std::realloc(p, now.bytes); }
};

/// From `Pools` what `Chosen` says, the rest from the system. `Pools` has allocate(bytes, alignment) and
/// release(p, bytes, alignment).
template <class Pools, class Chosen>
struct pooled_source {
    static constexpr bool keeps_content = true;
    static constexpr bool zeroes = true;

    Chosen chosen;
    system_source rest{};

    template <op What>
    [[gnu::always_inline]] void* allocate(const request& r) const {
        if (!chosen.template is<What>(r)) {
            return rest.allocate<What>(r);
        }
        void* const p = Pools::allocate(r.bytes, r.alignment);
        if constexpr (What == op::calloc) {
            std::memset(p, 0, r.bytes);
        }
        return p;
    }

    template <op What>
    [[gnu::always_inline]] void release(void* p, const request& r) const noexcept {
        if (chosen.template is<What>(r)) {
            Pools::release(p, r.bytes, r.alignment);
        } else {
            rest.release<What>(p, r);
        }
    }

    /// Pools do not resize: a block is copied into another one.
    void* reallocate(void* p, const request& before, const request& now) const {
        if (!chosen.template is<op::realloc>(before) && !chosen.template is<op::realloc>(now)) {
            return rest.reallocate(p, before, now);
        }
        void* const to = allocate<op::malloc>(now);
        if (to == nullptr) {
            return nullptr;
        }
        std::memcpy(to, p, std::min(before.bytes, now.bytes));
        release<op::free>(p, before);
        return to;
    }
};

/// What the program asks of operator new: a C++ library of pools cannot serve what calls malloc.
struct all_of_operator_new {
    template <op What>
    constexpr bool is(const request&) const noexcept {
        return is_operator_new(What);
    }
};

/// One group or several in a row, whatever they call. One costs what several do: a control of either fits both.
struct group_range {
    std::uint8_t first;
    std::uint8_t more; ///< behind the first

    template <op>
    constexpr bool is(const request& r) const noexcept {
        return static_cast<std::uint8_t>(r.group - first) <= more;
    }
};

/// An allocator that costs nothing: where each block is was decided before.
struct null_source {
    static constexpr bool keeps_content = false;
    static constexpr bool zeroes = false;

    std::byte* memory;
    const std::uint64_t* places;

    template <op What>
    [[gnu::always_inline]] void* allocate(const request& r) const noexcept {
        return memory + places[r.slot];
    }
    template <op What>
    void release(void*, const request&) const noexcept {}
    void* reallocate(void*, const request&, const request& now) const noexcept {
        return memory + places[now.slot];
    }
};

} // namespace linn::tool::worker
