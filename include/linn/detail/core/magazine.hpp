// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_MAGAZINE_HPP
#define LINN_DETAIL_CORE_MAGAZINE_HPP

#include <linn/config.hpp>

#include <cstddef>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

/// An array of pointers to free objects. The slots follow the struct in memory.
///
/// An array and not a list through the objects: neither putting nor getting touches the object, so
/// a cold object costs no cache miss, and no miss depends on the one before it.
///
/// @source Bonwick, Adams: Magazines and Vmem, USENIX 2001, section 3
struct magazine {
    magazine* next = nullptr;
    std::size_t count = 0;    ///< while it is loaded in a front, the front's `top` says it instead
    std::size_t capacity = 0; ///< places that its memory has

    static constexpr std::size_t bytes_for(std::size_t capacity) noexcept {
        return sizeof(magazine) + capacity * sizeof(void*);
    }
    void** entries() noexcept { return reinterpret_cast<void**>(this + 1); }

    /// The magazine whose slots() is `bottom`.
    static magazine* of(void** bottom) noexcept { return reinterpret_cast<magazine*>(bottom) - 1; }
};

/// Magazines, last in first out.
class magazine_stack {
public:
    void push(magazine* m) noexcept {
        m->next = head_;
        head_ = m;
    }
    /// Null when empty.
    magazine* pop() noexcept {
        magazine* m = head_;
        if (m != nullptr) {
            head_ = m->next;
            m->next = nullptr;
        }
        return m;
    }

    /// Appends what all magazines hold to a pointer_set. False when there is no memory for it.
    template <class Set>
    bool append_to(Set& set) const noexcept {
        for (magazine* m = head_; m != nullptr; m = m->next) {
            if (!set.append(m->entries(), m->count)) {
                return false;
            }
        }
        return true;
    }

private:
    magazine* head_ = nullptr;
};

} // namespace linn::inline LINN_ABI::detail

#endif
