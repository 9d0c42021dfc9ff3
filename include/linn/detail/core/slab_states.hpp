// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_SLAB_STATES_HPP
#define LINN_DETAIL_CORE_SLAB_STATES_HPP

#include <linn/config.hpp>
#include <linn/detail/core/linked_list.hpp>
#include <linn/detail/core/slab.hpp>

#include <cstddef>
#include <cstdint>

// What a set of slabs knows of them besides their memory: where they lie, which of them gives slots next, and what to tell its owner.

namespace linn::inline LINN_ABI::detail {

/// Why there is no slot to be had.
enum class shortage : unsigned char {
    none,
    limit,  ///< the pool's own: max_slots or max_bytes
    memory, ///< the system's
};

/// What a set of slabs did since its owner last asked.
struct slab_news {
    std::size_t slabs = 0; ///< mapped, or used again after their memory was returned
    std::size_t bytes = 0; ///< of these
    shortage why = shortage::none;
};

/// Where the headers of slabs lie: from `lowest` on, `span` bytes further at most.
struct slab_range {
    std::uintptr_t lowest = UINTPTR_MAX;
    std::uintptr_t span = 0;

    [[nodiscard]] bool has(const slab* s) const noexcept {
        return reinterpret_cast<std::uintptr_t>(s) - lowest <= span;
    }
    void include(const slab* s) noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(s);
        const bool is_highest = lowest == UINTPTR_MAX || address > lowest + span;
        const std::uintptr_t highest = is_highest ? address : lowest + span;
        lowest = address < lowest ? address : lowest;
        span = highest - lowest;
    }
};

/// Through the slabs themselves. A slab is in one such list at most.
using slab_list = linked_list<slab, &slab::next, &slab::previous>;

/// The slabs of one set, by the place that each is in (`slab::place`), and which of them gives slots next.
///
/// The first of the available slabs gives what came back to it; those that others free into meanwhile queue behind it. A slab whose
/// slots have all come back when its turn comes is left to the end, so that in a pool that shrank it becomes cold.
class slab_states {
public:
    /// The slab to take from; null when all are full, empty or returned.
    /// @complexity constant but for slabs that became empty, which are looked at once
    slab* available() noexcept {
        while (available_.front() != nullptr && available_.front()->came_back()) {
            make_empty(available_.pop_front());
        }
        return available_.front();
    }

    /// What may be lent to threads that have slabs of their own: not the slab that the set's own threads take from, so that they
    /// do not write to the same cache lines. Null when there is none: one slab is available at most.
    [[nodiscard]] slab* spare() const noexcept {
        return available_.back() != available_.front() ? available_.back() : nullptr;
    }

    /// A slab that is in no list has slots to give, before all others.
    void make_available(slab* s) noexcept {
        s->where = slab::place::available;
        available_.push_front(s);
    }

    /// A slab that is in no list, and has nothing out, serves the first home that needs one.
    [[LINN_DETAIL_SLOW]] void make_empty(slab* s) noexcept {
        s->reset();
        s->where = slab::place::empty;
        empty_.push_front(s);
    }

    /// No slot that came back is left in an available slab. Fresh ones wait until the others have had their turn: they cost page
    /// faults, and all of the newest slab in use would be twice the memory.
    void used_up(slab* s) noexcept {
        available_.remove(s);
        s->where = s->carved != s->capacity ? slab::place::available : slab::place::full;
        if (s->where == slab::place::available) {
            available_.push_back(s);
        }
    }

    /// A slot of `s` came back.
    void after_give(slab* s) noexcept {
        if (s->where == slab::place::full) {
            s->where = slab::place::available;
            available_.push_back(s);
        }
    }

    /// No slot of any slab is out.
    void all_came_back() noexcept {
        while (slab* s = available_.pop_front()) {
            make_empty(s);
        }
    }

    /// A slab with nothing out, now in no list: a resident one before a returned one. Null when there is none.
    slab* take_unused() noexcept {
        slab* s = empty_.pop_front();
        if (s == nullptr) {
            s = returned_.pop_front();
        }
        return s;
    }

    /// A slab without slots out, the one that was empty for longest or one of `most` available ones; null when there is none.
    [[nodiscard]] slab* find_unused(std::size_t most) const noexcept {
        slab* s = empty_.back();
        for (slab* a = available_.front(); s == nullptr && a != nullptr && most != 0; a = a->next, --most) {
            s = a->came_back() ? a : nullptr; // not one that was only mapped now
        }
        return s;
    }

    /// Takes a slab out of its list. @pre it is available or empty
    void take_away(slab* s) noexcept {
        (s->where == slab::place::available ? available_ : empty_).remove(s);
        s->where = slab::place::away;
    }

    /// A slab that was away goes where it belongs. @param returned whether the system was given all its pages
    [[LINN_DETAIL_COLD]] void put_back(slab* s, bool returned) noexcept {
        if (returned) {
            s->where = slab::place::returned;
            returned_.push_front(s);
        } else if (s->is_unused()) {
            s->reset();
            s->where = slab::place::empty;
            empty_.push_back(s);
        } else {
            s->where = slab::place::available;
            available_.push_back(s);
        }
    }

    /// All slots came back at once. @param newest all slabs
    void reset_all(slab* newest) noexcept {
        available_ = empty_ = slab_list{};
        for (slab* s = newest; s != nullptr; s = s->older) {
            if (s->where != slab::place::returned) {
                make_empty(s);
            }
        }
    }

private:
    slab_list available_;
    slab_list empty_;
    slab_list returned_;
};

} // namespace linn::inline LINN_ABI::detail

#endif
