// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_SLAB_LIST_HPP
#define LINN_DETAIL_CORE_SLAB_LIST_HPP

#include <linn/config.hpp>
#include <linn/detail/core/slab.hpp>

namespace linn::inline LINN_ABI::detail {

/// A doubly linked list through the slabs themselves. A slab is in one list at most.
class slab_list {
public:
    [[nodiscard]] slab* front() const noexcept { return front_; }
    [[nodiscard]] slab* back() const noexcept { return back_; }

    void push_front(slab* s) noexcept {
        s->previous = nullptr;
        s->next = front_;
        (front_ != nullptr ? front_->previous : back_) = s;
        front_ = s;
    }

    void push_back(slab* s) noexcept {
        s->next = nullptr;
        s->previous = back_;
        (back_ != nullptr ? back_->next : front_) = s;
        back_ = s;
    }

    /// @pre `s` is in this list
    void remove(slab* s) noexcept {
        (s->previous != nullptr ? s->previous->next : front_) = s->next;
        (s->next != nullptr ? s->next->previous : back_) = s->previous;
        s->next = s->previous = nullptr;
    }

    /// Null when empty.
    slab* pop_front() noexcept {
        slab* s = front_;
        if (s != nullptr) {
            remove(s);
        }
        return s;
    }

private:
    slab* front_ = nullptr;
    slab* back_ = nullptr;
};

} // namespace linn::inline LINN_ABI::detail

#endif
