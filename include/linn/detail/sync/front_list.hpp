// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_FRONT_LIST_HPP
#define LINN_DETAIL_SYNC_FRONT_LIST_HPP

#include <linn/config.hpp>
#include <linn/detail/core/magazine.hpp>
#include <linn/detail/sync/front.hpp>

#include <cstddef>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

/// The caches that threads hold of one pool. The depot's lock guards it.
template <class Policy>
class front_list {
public:
    using front_type = front<Policy>;

    /// @param most the capacity of the largest magazine
    explicit front_list(std::size_t most) noexcept : most_{most} {}

    void add(front_type& f) noexcept {
        f.previous_in_depot = nullptr;
        f.next_in_depot = first_;
        if (first_ != nullptr) {
            first_->previous_in_depot = &f;
        }
        first_ = &f;
    }

    void remove(front_type& f) noexcept {
        (f.previous_in_depot != nullptr ? f.previous_in_depot->next_in_depot : first_) = f.next_in_depot;
        if (f.next_in_depot != nullptr) {
            f.next_in_depot->previous_in_depot = f.previous_in_depot;
        }
        f.next_in_depot = f.previous_in_depot = nullptr;
    }

    struct numbers {
        std::size_t fronts = 0;
        std::size_t objects = 0; ///< cached in them; approximate while threads work
    };
    [[nodiscard]] numbers count() const noexcept {
        numbers n;
        for (const front_type* f = first_; f != nullptr; f = f->next_in_depot) {
            ++n.fronts;
            n.objects += f->shown_count(most_);
        }
        return n;
    }

    /// In the child of a fork: threads other than `survivor` are gone, and what they cached cannot be trusted, since
    /// each may have been in the middle of a swap.
    [[LINN_DETAIL_COLD]] void forget_threads_but(std::uintptr_t survivor) noexcept {
        for (front_type* f = first_; f != nullptr;) {
            front_type* next = f->next_in_depot;
            if (f->thread != survivor) {
                lost_ += f->shown_count(most_);
                f->leave_magazines_to(written_off_, most_);
                remove(*f);
            }
            f = next;
        }
    }
    /// Objects that such threads cached.
    [[nodiscard]] std::size_t lost() const noexcept { return lost_; }

    /// Appends what threads cache or cached to a pointer_list. False when there is no memory for it.
    /// @pre no other thread uses the pool meanwhile
    template <class List>
    bool append_to(List& list) const noexcept {
        for (const front_type* f = first_; f != nullptr; f = f->next_in_depot) {
            if (!f->append_to(list, most_)) {
                return false;
            }
        }
        return written_off_.append_to(list);
    }

private:
    front_type* first_ = nullptr;
    std::size_t most_;
    std::size_t lost_ = 0;
    magazine_stack written_off_; ///< where those are
};

} // namespace linn::inline LINN_ABI::detail

#endif
