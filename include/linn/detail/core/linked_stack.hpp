// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_LINKED_STACK_HPP
#define LINN_DETAIL_CORE_LINKED_STACK_HPP

#include <linn/config.hpp>

#include <cstddef>

namespace linn::inline LINN_ABI::detail {

/// What `pointer_stack<void>` does, as a list through the objects, by their member `next`: it needs no memory, so it refuses
/// nothing, but touches each object.
template <class T>
class linked_stack {
public:
    constexpr linked_stack() = default;
    linked_stack(const linked_stack&) = delete;
    linked_stack& operator=(const linked_stack&) = delete;

    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    [[nodiscard]] static constexpr bool reserve(std::size_t) noexcept { return true; }

    /// Puts `n` objects on top, the last one topmost. @returns `n`
    std::size_t push(void* const* from, std::size_t n) noexcept {
        for (std::size_t i = 0; i != n; ++i) {
            auto* const object = static_cast<T*>(from[i]);
            object->next = top_;
            top_ = object;
        }
        size_ += n;
        return n;
    }

    /// Takes the `n` topmost into `to`, in the order in which they were put. @pre `n <= size()`
    void pop(void** to, std::size_t n) noexcept {
        size_ -= n;
        while (n != 0) {
            to[--n] = top_;
            top_ = top_->next;
        }
    }

private:
    T* top_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace linn::inline LINN_ABI::detail

#endif
