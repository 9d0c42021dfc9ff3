// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_MAGAZINE_SHELVES_HPP
#define LINN_DETAIL_CORE_MAGAZINE_SHELVES_HPP

#include <linn/config.hpp>
#include <linn/detail/core/magazine.hpp>

#include <bit>
#include <cstddef>

namespace linn::inline LINN_ABI::detail {

/// The full magazines of a depot, in several stacks. Threads are spread over them, and each gets back what it gave as long as
/// there is any: objects that change threads change cores, and where cores have no cache in common, that costs more than all else
/// here. What others gave comes before fresh memory.
class magazine_shelves {
public:
    static constexpr std::size_t shelves = 8; ///< threads beyond that share them

    void push(magazine* m, std::size_t shelf) noexcept {
        shelves_[shelf].push(m);
        filled_ |= 1U << shelf;
    }

    /// The one that was pushed last to this shelf; to another, when this is empty; null when all are.
    magazine* pop(std::size_t shelf) noexcept {
        if (filled_ == 0) {
            return nullptr;
        }
        const std::size_t from = filled_from(shelf);
        return removed(from, shelves_[from].pop());
    }

    /// The one that was pushed longest ago to a shelf, each time of another one; null when all are empty.
    magazine* pop_oldest() noexcept {
        if (filled_ == 0) {
            return nullptr;
        }
        const std::size_t from = filled_from(oldest_);
        oldest_ = (from + 1) % shelves;
        return removed(from, shelves_[from].pop_oldest());
    }

    /// Appends what all magazines hold to a pointer_list. False when there is no memory for it.
    template <class List>
    bool append_to(List& list) const noexcept {
        for (const magazine_stack& s : shelves_) {
            if (!s.append_to(list)) {
                return false;
            }
        }
        return true;
    }

private:
    /// The first filled one from here on, around. @pre there is one
    [[nodiscard]] std::size_t filled_from(std::size_t shelf) const noexcept {
        const unsigned twice = filled_ | filled_ << shelves;
        return (shelf + static_cast<std::size_t>(std::countr_zero(twice >> shelf))) % shelves;
    }

    magazine* removed(std::size_t from, magazine* m) noexcept {
        if (shelves_[from].head() == nullptr) {
            filled_ &= ~(1U << from);
        }
        return m;
    }

    magazine_stack shelves_[shelves];
    unsigned filled_ = 0; ///< bit i: shelf i has one
    std::size_t oldest_ = 0;
};

} // namespace linn::inline LINN_ABI::detail

#endif
