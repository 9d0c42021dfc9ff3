// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_SLAB_LIST_HPP
#define LINN_DETAIL_CORE_SLAB_LIST_HPP

#include <linn/config.hpp>
#include <linn/detail/core/slab.hpp>

#include <cstddef>

namespace linn::inline LINN_ABI::detail {

/// A doubly linked list through the slabs themselves. A slab is in one list at most.
class slab_list {
public:
    [[nodiscard]] slab* front() const noexcept { return front_; }
    [[nodiscard]] slab* back() const noexcept { return back_; }
    [[nodiscard]] bool empty() const noexcept { return front_ == nullptr; }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

    void push_front(slab* s) noexcept {
        s->previous = nullptr;
        s->next = front_;
        (front_ != nullptr ? front_->previous : back_) = s;
        front_ = s;
        ++count_;
        bytes_ += s->mapped_bytes;
    }

    /// @pre `s` is in this list
    void remove(slab* s) noexcept {
        (s->previous != nullptr ? s->previous->next : front_) = s->next;
        (s->next != nullptr ? s->next->previous : back_) = s->previous;
        s->next = s->previous = nullptr;
        --count_;
        bytes_ -= s->mapped_bytes;
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
    std::size_t count_ = 0;
    std::size_t bytes_ = 0;
};

} // namespace linn::inline LINN_ABI::detail

#endif
