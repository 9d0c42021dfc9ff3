// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_SLAB_STATES_HPP
#define LINN_DETAIL_CORE_SLAB_STATES_HPP

#include <linn/config.hpp>
#include <linn/detail/core/slab.hpp>
#include <linn/detail/core/slab_list.hpp>

#include <cstddef>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

/// Which state each slab of a set is in. Exactly one of these:
///   available  has slots to give and slots out, or was just opened
///   full       nothing to give; in no list
///   empty      no slot out; resident, kept for reuse
///   returned   no slot out, its pages are with the system; its addresses stay the set's
class slab_states {
public:
    /// The slab to take from; null when all are full, empty or returned.
    [[nodiscard]] slab* available() const noexcept { return available_.front(); }

    void make_available(slab* s) noexcept {
        available_.push_front(s);
        s->available = true;
    }

    /// An available slab has nothing left.
    void make_full(slab* s) noexcept {
        available_.remove(s);
        s->available = false;
    }

    /// An available or full slab has more to give.
    void after_give(slab* s) noexcept {
        if (s->out() == 0) {
            if (s->available) {
                available_.remove(s);
                s->available = false;
            }
            s->reset();
            empty_.push_front(s);
        } else if (!s->available) {
            make_available(s);
        }
    }

    /// A slab with nothing out, now in no list: a resident one before a `returned` one. Null when there is none.
    slab* take_unused() noexcept {
        slab* s = empty_.pop_front();
        if (s == nullptr) {
            s = returned_.pop_front();
        }
        return s;
    }

    /// Whether more memory than `retain_bytes` is empty, so that `next_to_return` is worth a look at the clock.
    [[nodiscard]] bool has_excess(std::size_t retain_bytes) const noexcept {
        return empty_.bytes() > retain_bytes;
    }

    /// An empty slab whose pages should go back, now in no list; null when there is none.
    /// That is the one unused for longest, when it was seen empty a second ago and the rest still
    /// makes up `retain_bytes`. Slabs are reused newest first, so those that reach that age are the
    /// ones below the low-water mark of the last second: a program that fills and empties its pool
    /// in shorter cycles never pays for page faults twice.
    slab* next_to_return(std::uint64_t now_ms, std::size_t retain_bytes) noexcept {
        for (slab* s = empty_.front(); s != nullptr && s->empty_since_ms == 0; s = s->next) {
            s->empty_since_ms = now_ms;
        }
        slab* oldest = empty_.back();
        if (!has_excess(retain_bytes) || now_ms - oldest->empty_since_ms < retain_ms) {
            return nullptr;
        }
        return take_empty();
    }

    /// Any empty slab, now in no list; null when there is none.
    slab* take_empty() noexcept {
        slab* s = empty_.back();
        if (s != nullptr) {
            empty_.remove(s);
            s->empty_since_ms = 0;
            s->returned = true; // from now on, while its owner has it
        }
        return s;
    }

    void put_returned(slab* s) noexcept {
        s->returned = true;
        returned_.push_front(s);
    }

    /// Takes a slab out of its list. @pre no slot of it is out, and it was not returned
    void withdraw(slab* s) noexcept {
        (s->available ? available_ : empty_).remove(s);
        s->available = false;
    }

    /// All slots came back at once. @param newest all slabs
    void reset_all(slab* newest) noexcept {
        available_ = empty_ = slab_list{};
        for (slab* s = newest; s != nullptr; s = s->older) {
            if (s->returned) {
                continue;
            }
            s->reset();
            s->available = false;
            empty_.push_front(s);
        }
    }

    void forget_all() noexcept { available_ = empty_ = returned_ = slab_list{}; }

private:
    static constexpr std::uint64_t retain_ms = 1000;

    slab_list available_;
    slab_list empty_;
    slab_list returned_;
};

} // namespace linn::inline LINN_ABI::detail

#endif
