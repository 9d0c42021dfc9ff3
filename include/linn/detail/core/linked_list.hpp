// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_LINKED_LIST_HPP
#define LINN_DETAIL_CORE_LINKED_LIST_HPP

#include <linn/config.hpp>

namespace linn::inline LINN_ABI::detail {

/// A doubly linked list through its members, by those two pointers of theirs. A member is in one list at most by each pair.
/// AddressSanitizer may have been told that members are poison.
template <class Member, auto Next, auto Previous>
class linked_list {
public:
    [[nodiscard]] Member* front() const noexcept { return front_; }
    [[nodiscard]] Member* back() const noexcept { return back_; }

    [[LINN_DETAIL_SLOW]] LINN_DETAIL_UNCHECKED("address") void push_front(Member* m) noexcept {
        m->*Previous = nullptr;
        m->*Next = front_;
        (front_ != nullptr ? front_->*Previous : back_) = m;
        front_ = m;
    }
    [[LINN_DETAIL_SLOW]] LINN_DETAIL_UNCHECKED("address") void push_back(Member* m) noexcept {
        m->*Next = nullptr;
        m->*Previous = back_;
        (back_ != nullptr ? back_->*Next : front_) = m;
        back_ = m;
    }

    /// @pre `m` is in this list
    [[LINN_DETAIL_SLOW]] LINN_DETAIL_UNCHECKED("address") void remove(Member* m) noexcept {
        (m->*Previous != nullptr ? m->*Previous->*Next : front_) = m->*Next;
        (m->*Next != nullptr ? m->*Next->*Previous : back_) = m->*Previous;
        m->*Next = m->*Previous = nullptr;
    }

    /// Null when empty.
    Member* pop_front() noexcept {
        Member* m = front_;
        if (m != nullptr) {
            remove(m);
        }
        return m;
    }

private:
    Member* front_ = nullptr;
    Member* back_ = nullptr;
};

} // namespace linn::inline LINN_ABI::detail

#endif
