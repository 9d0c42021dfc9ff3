// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_SLAB_MEMORY_HPP
#define LINN_DETAIL_CORE_SLAB_MEMORY_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/linked_list.hpp>
#include <linn/detail/core/pointers.hpp>
#include <linn/detail/core/slab.hpp>
#include <linn/detail/core/slab_growth.hpp>
#include <linn/detail/core/slot_guard.hpp>
#include <linn/types/pool_statistics.hpp>

#include <cstddef>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

/// Through the slabs themselves. A slab is in one such list at most.
using slab_list = linked_list<slab, &slab::next, &slab::previous>;

/// The slabs of one set, by the place that each is in (`slab::place`), and which of them gives slots next.
///
/// The first of the available slabs gives until it is used up; those that others free into meanwhile queue behind it. A slab whose
/// slots have all come back when its turn comes is left to the end, so that in a pool that shrank it becomes cold.
class slab_states {
public:
    /// The slab to take from; null when all are full, empty or returned.
    /// @complexity constant but for slabs that became empty, which are looked at once
    slab* available() noexcept {
        slab* s = available_.front();
        while (s != nullptr && s->carved != 0 && s->is_unused()) {
            available_.remove(s);
            make_empty(s);
            s = available_.front();
        }
        return s;
    }

    /// What may be lent to threads that have slabs of their own: not the slab that the set's own threads take from, so that they
    /// do not write to the same cache lines. Null when there is none.
    [[nodiscard]] slab* spare() const noexcept {
        return available_.back() != available_.front() ? available_.back() : nullptr;
    }

    /// A slab that is in no list has slots to give, before all others.
    void make_available(slab* s) noexcept {
        s->where = slab::place::available;
        available_.push_front(s);
    }

    /// A slab that is in no list, and has nothing out, serves whichever home needs one first.
    [[LINN_DETAIL_SLOW]] void make_empty(slab* s) noexcept {
        s->reset();
        s->where = slab::place::empty;
        empty_.push_front(s);
    }

    /// An available slab has nothing left.
    void make_full(slab* s) noexcept {
        available_.remove(s);
        s->where = slab::place::full;
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
            s = a->carved != 0 && a->is_unused() ? a : nullptr; // not one that was only mapped now
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

/// The slabs of one pool as memory: where they come from, which of them has slots to give, and when their pages go back.
///
/// `slab_growth` knows all slabs and how large the next one is, `slab_states` which of them to use next. What is here
/// counts: `out = sum of the slots out of each slab <= peak`, `absent = sum of the slabs' hole_bytes`.
///
/// Slabs are never unmapped while the set lives: a slot's address is never reused for another type.
template <page_source Pages, bool Guards>
class slab_memory : public slab_growth<Pages> {
    using known = slab_growth<Pages>;
    using typename known::use;

public:
    using known::mapped_bytes;
    using known::newest;
    using known::note;
    using known::slab_count;

    /// Where slots may come from.
    enum class growth : unsigned char {
        allowed,   ///< what is here, then memory of the system
        forbidden, ///< what is here
        lending,   ///< for threads that have slabs of their own: see slab_states::spare
    };

    /// An empty slab, which has no owner until another set of the same geometry calls `take_over`; null when there is none.
    [[LINN_DETAIL_COLD]] slab* part_with_empty() noexcept {
        slab* s = states_.find_unused(few_slabs);
        if (s != nullptr) {
            states_.take_away(s);
            s->reset();
            forget(s);
            s->owner = nullptr;
        }
        return s;
    }
    [[LINN_DETAIL_COLD]] void take_over(slab* s) noexcept {
        s->owner = owner_;
        this->add(s);
        absent_bytes_ += s->hole_bytes;
        states_.make_available(s);
    }

    /// Maps slabs until `want` slots could be taken without asking the system.
    /// @returns false when a limit or the system refused; then nothing has changed. To keep what was mapped
    /// would leave the process with no mapping to spare for anything else.
    [[LINN_DETAIL_COLD]] bool reserve(std::size_t want) noexcept {
        if (want > geometry_.max_slots - out_) {
            note(shortage::limit);
            return false;
        }
        if (want > static_cast<std::size_t>(PTRDIFF_MAX) / geometry_.slot_bytes) {
            note(shortage::memory);
            return false;
        }
        slab* const newest_before = newest();
        std::size_t ready = 0;
        for (slab* s = newest(); s != nullptr; s = s->older) {
            ready += s->capacity;
        }
        ready -= out_;
        if (ready < want && !this->may_map((want - ready) * geometry_.slot_bytes)) {
            return false;
        }
        while (ready < want) {
            slab* s = this->map_slab(use::later);
            if (s == nullptr) {
                while (newest() != newest_before) {
                    unmap_newest();
                }
                return false;
            }
            states_.make_empty(s);
            ready += s->capacity;
        }
        return true;
    }

    /// Adds a slab in memory that the owner got elsewhere: for a set whose `Pages` map nothing.
    /// @pre where `sizes()` wants slabs, at most as large as `slab_align`, all zero if `zeroed`
    /// @returns false when not even one slot fits
    bool adopt(void* memory, std::size_t bytes, bool zeroed) noexcept {
        slab* s = this->add_slab(memory, bytes, zeroed);
        if (s != nullptr) {
            states_.make_available(s);
        }
        return s != nullptr;
    }

    /// Forgets a slab that is away; its memory is the caller's now.
    void disown(slab* s) noexcept {
        forget(s);
        s->magic = 0;
    }

    // -- memory goes back ------------------------------------------------------------------------

    /// Whether more free memory than `retain_bytes` is here, so that `take_cold` is worth a look at the clock.
    [[nodiscard]] bool has_excess() const noexcept {
        return mapped_bytes() - absent_bytes_ - out_ * geometry_.slot_bytes > geometry_.retain_bytes;
    }

    /// Notes in `leaving` pages to return: of a slab from which nothing was taken, and to which nothing was given, for a second.
    /// The slab is away until the caller, who discards without a lock if it has one, calls `put_cold`, or `disown` for a
    /// whole one. A visit looks at a bounded number of slabs, the next one goes on from there.
    ///
    /// Changes are seen by comparison, so that a free costs nothing for it. Where no slot was taken since the last visit, a slab that
    /// differs changed at that visit at the latest; otherwise it may have changed just now. A visit is all calls within `sweep_ms`.
    /// @returns whether there are any
    [[LINN_DETAIL_COLD]] bool take_cold(std::uint64_t now_ms, cold_pages& leaving) noexcept {
        const bool due = now_ms - swept_ms_ >= sweep_ms;
        if (taken_ || due) {
            before_ms_ = taken_ ? now_ms : visit_ms_;
        }
        taken_ = false;
        visit_ms_ = now_ms;
        if (due) {
            swept_ms_ = now_ms;
            sweep_at_ = sweep_at_ != nullptr ? sweep_at_ : newest();
        }
        for (std::size_t looked = 0; sweep_at_ != nullptr && looked != sweep_slabs && has_excess();
             ++looked) {
            slab* s = sweep_at_;
            const bool may_leave = s->where == slab::place::empty || s->where == slab::place::available;
            if (!may_leave || !s->unchanged_for(retain_ms, now_ms, before_ms_) || !cold_runs(s, leaving)) {
                sweep_at_ = s->older;
                continue;
            }
            return true;
        }
        return false;
    }

    /// An empty slab of any age, for an explicit trim. @returns whether there is one @complexity O(slabs)
    bool take_empty(cold_pages& leaving) noexcept {
        slab* s = states_.find_unused(SIZE_MAX);
        return s != nullptr && cold_runs(s, leaving);
    }

    /// Returns the pages to the system. Needs no serialisation: nothing is taken from the slab meanwhile.
    /// @returns how many bytes of addresses; the system refuses others, as it does for locked memory
    [[LINN_DETAIL_COLD]] static std::size_t discard(const cold_pages& leaving) noexcept {
        std::size_t bytes = 0;
        for (std::size_t i = 0; i != leaving.runs; ++i) {
            const cold_pages::stretch& run = leaving.run[i];
            bytes += Pages::discard(run.begin, run.bytes) ? run.bytes : 0;
        }
        if (bytes != 0 && leaving.of->huge) {
            Pages::prefer_small(leaving.of, leaving.of->mapped_bytes);
        }
        return bytes;
    }

    /// The slab of `take_cold` or `take_empty` is one of the set again. @param gone what `discard` returned
    /// @returns the bytes that went back
    [[LINN_DETAIL_COLD]] std::size_t put_cold(const cold_pages& leaving, std::size_t gone) noexcept {
        slab* s = leaving.of;
        const std::size_t before = returned_bytes_;
        if (!leaving.whole) {
            note_partly_absent(s, leaving, gone);
        } else if (gone != 0) {
            note_all_absent(s, s->touched_bytes());
        } else {
            s->kept_bytes = present_bytes(s);
            s->touched = 0;
        }
        states_.put_back(s, leaving.whole);
        return returned_bytes_ - before;
    }

    /// Returns those pages of `s` on which no slot is out. @pre no slot is allocated meanwhile
    [[LINN_DETAIL_COLD]] std::size_t discard_free_pages(slab* s) noexcept {
        const std::size_t before = returned_bytes_;
        if (s->is_unused()) {
            discard_kept(s);
        } else if (s->where == slab::place::available) {
            if (s->refused) {
                s->pass_end = 0; // asks for all of it again
            }
            for (cold_pages leaving; cold_runs(s, leaving); leaving = cold_pages{}) {
                put_cold(leaving, discard(leaving));
            }
        }
        return returned_bytes_ - before;
    }

    /// Each slab gets a turn to return its free pages, from the newest on. The owner may unlock in between: slabs come and go.
    void begin_trim() noexcept { trim_at_ = newest(); }
    /// @param bytes grows by those that went back; those of an empty slab are noted in `leaving`, as by `take_cold`
    /// @returns false when all slabs had their turn
    [[LINN_DETAIL_COLD]] bool trim_next(std::size_t& bytes, cold_pages& leaving) noexcept {
        slab* s = trim_at_;
        if (s == nullptr) {
            return false;
        }
        trim_at_ = s->older;
        if (s->where == slab::place::empty ||
            (s->where == slab::place::available && s->carved != 0 && s->is_unused())) {
            cold_runs(s, leaving);
        } else {
            bytes += discard_free_pages(s);
        }
        return true;
    }

    /// In the child of a fork: the thread that would bring a slab back is gone. @complexity O(slabs)
    [[LINN_DETAIL_COLD]] void put_back_all() noexcept {
        for (slab* s = newest(); s != nullptr; s = s->older) {
            if (s->where == slab::place::away) {
                states_.put_back(s, false);
            }
        }
    }

    /// Unmaps everything, whether slots are out or not.
    [[LINN_DETAIL_COLD]] void unmap_all() noexcept {
        for (slab* s = newest(); s != nullptr;) {
            slab* older = s->older;
            s->magic = 0;
            s->owner = nullptr;
            Pages::unmap(s, s->mapped_bytes, geometry_.slab_align);
            s = older;
        }
        forget_all();
    }

    /// Drops the slabs without unmapping them.
    void forget_all() noexcept {
        this->remove_all();
        states_ = {};
        out_ = absent_bytes_ = 0;
        sweep_at_ = trim_at_ = nullptr;
    }

    /// Takes every slot back at once and keeps the slabs.
    void reset_all() noexcept {
        states_.reset_all(newest());
        out_ = 0;
    }

    [[nodiscard]] std::size_t out() const noexcept { return out_; }
    [[nodiscard]] std::size_t peak() const noexcept { return peak_; }
    [[nodiscard]] std::size_t returned_bytes() const noexcept { return returned_bytes_; }

    /// Adds the numbers of the slabs, those of slots apart from the peak. @complexity O(slabs)
    void add_to(pool_statistics& s) const noexcept {
        s.peak += peak_;
        s.slabs += slab_count();
        s.reserved_bytes += mapped_bytes();
        s.resident_bytes += resident_bytes();
        s.returned_bytes += returned_bytes_;
    }

    /// Bytes that the slabs may occupy in memory now. @complexity O(slabs)
    [[nodiscard]] std::size_t resident_bytes() const noexcept {
        std::size_t bytes = 0;
        for (const slab* s = newest(); s != nullptr; s = s->older) {
            bytes += page_bytes + present_bytes(s);
        }
        return bytes;
    }

protected:
    using known::geometry_;
    using known::known;
    using known::owner_;
    ~slab_memory() = default;

    void note_out(std::size_t more) noexcept {
        out_ += more;
        taken_ = true;
        if (out_ > peak_) {
            peak_ = out_;
        }
    }

    /// A slab with nothing out becomes the one to take from: a resident one before a returned one, that before a new one.
    /// Null while lending, and where there is no memory.
    [[LINN_DETAIL_COLD]] slab* open(growth may_grow) noexcept {
        slab* s = may_grow != growth::lending ? states_.take_unused() : nullptr;
        if (s != nullptr && s->where == slab::place::returned) {
            absent_bytes_ -= s->hole_bytes;
            s->hole_bytes = 0;
            if (s->kept_bytes == 0) {
                this->note_used(s);
            }
        }
        if (s == nullptr && may_grow == growth::allowed) {
            s = this->map_slab(use::now);
        }
        if (s != nullptr) {
            states_.make_available(s);
        }
        return s;
    }

    /// `s` is in use again, and has no holes.
    [[LINN_DETAIL_COLD]] static void prefer_huge_again(slab* s) noexcept {
        s->small_pages = false;
        Pages::prefer_huge(s, s->mapped_bytes);
    }

    /// Notes in `leaving` pages of `s` that no slot is on and that did not go back yet, and takes `s` away.
    /// @pre it is available or empty
    /// @returns whether there are any
    [[LINN_DETAIL_COLD]] bool cold_runs(slab* s, cold_pages& leaving) noexcept {
        if (s->is_unused()) {
            s->reset();
            leaving.whole = true;
            leaving.add(s->returnable_begin(), s->returnable_bytes());
        } else {
            const bool guarded = Guards && geometry_.guarded();
            s->find_free_pages(leaving, guarded ? guard_fence_bytes : 0);
            // Now, so that it holds in a child that is forked before `put_cold`. Behind `carved` no slot is looked at again.
            for (std::size_t i = 0; guarded && i + (leaving.tail_bytes != 0 ? 1 : 0) < leaving.runs; ++i) {
                forget_slot_at(geometry_, s, leaving.run[i].begin + leaving.run[i].bytes);
            }
        }
        if (leaving.runs == 0) {
            return false;
        }
        leaving.of = s;
        s->small_pages = s->huge; // now, for a child that is forked before `put_cold`
        states_.take_away(s);
        return true;
    }

    /// No page of `s` but the first is in memory now. @param bytes that were
    void note_all_absent(slab* s, std::size_t bytes) noexcept {
        note_absent(s, s->mapped_bytes, bytes);
        s->kept_bytes = 0;
        s->touched = 0;
    }

    /// Of `s`, `hole_bytes` are with the system now, `bytes` of them since now.
    void note_absent(slab* s, std::size_t hole_bytes, std::size_t bytes) noexcept {
        absent_bytes_ += hole_bytes - s->hole_bytes;
        s->hole_bytes = hole_bytes;
        returned_bytes_ += bytes;
    }

    [[LINN_DETAIL_COLD]] void note_partly_absent(slab* s, const cold_pages& leaving,
                                                 std::size_t bytes) noexcept {
        std::size_t asked = 0;
        for (std::size_t i = 0; i != leaving.runs; ++i) {
            asked += leaving.run[i].bytes;
        }
        s->refused = bytes != asked;
        s->kept_bytes = bytes != 0 ? 0 : s->kept_bytes;
        if (leaving.tail_bytes != 0 && bytes >= leaving.tail_bytes) {
            s->touched = static_cast<std::uint32_t>(s->carved);
            returned_bytes_ += leaving.tail_bytes;
            bytes -= leaving.tail_bytes;
        }
        s->pass_bytes += bytes; // a part of it went back in an earlier pass
        if (s->pass_bytes > s->hole_bytes) {
            note_absent(s, s->pass_bytes, s->pass_bytes - s->hole_bytes);
        }
    }

    /// @pre the newest slab is empty, and none of its slots was ever handed out
    [[LINN_DETAIL_COLD]] void unmap_newest() noexcept {
        slab* s = newest();
        states_.take_away(s);
        forget(s);
        this->unmap_again(s);
    }

    [[LINN_DETAIL_COLD]] void forget(slab* s) noexcept {
        if (sweep_at_ == s) {
            sweep_at_ = s->older;
        }
        if (trim_at_ == s) {
            trim_at_ = s->older;
        }
        this->remove(s);
        absent_bytes_ -= s->hole_bytes;
    }

    slab_states states_;
    std::size_t out_ = 0;          ///< slots taken and not given back
    std::size_t absent_bytes_ = 0; ///< sum of the slabs' hole_bytes

private:
    /// What of `s` may be in memory besides its first page: what was touched, or all of it where the program locks what it
    /// maps, as the last page shows. The unused rest of a small slab is not worth the system call.
    [[LINN_DETAIL_COLD]] static std::size_t present_bytes(const slab* s) noexcept {
        constexpr std::size_t few_bytes = std::size_t{64} << 10;
        if constexpr (requires { Pages::is_resident(s); }) {
            if (s->kept_bytes == 0 && s->touched_end() + few_bytes < s->mapped_bytes &&
                Pages::is_resident(reinterpret_cast<const std::byte*>(s) + s->mapped_bytes - page_bytes)) {
                return s->returnable_bytes();
            }
        }
        return s->touched_bytes();
    }

    /// Asks the system to take the pages of a slab that were returned, or never used, and are in memory all the same: it
    /// refused once, or the program locks what it maps.
    void discard_kept(slab* s) noexcept {
        const std::size_t bytes = present_bytes(s);
        const bool locked = s->kept_bytes != 0 || bytes != s->touched_bytes();
        const bool here = s->where == slab::place::returned || s->where == slab::place::available;
        if (here && locked && Pages::discard(s->returnable_begin(), s->returnable_bytes())) {
            note_all_absent(s, bytes);
        }
    }
    static constexpr std::uint64_t retain_ms = 1000; ///< unchanged for so long, a slab is cold
    static constexpr std::uint64_t sweep_ms = 250;   ///< at most so often all slabs are looked at
    static constexpr std::size_t sweep_slabs = 16;   ///< looked at in a visit
    static constexpr std::size_t few_slabs = 4;      ///< looked at for an empty one

    std::size_t peak_ = 0; ///< highest `out_`
    std::size_t returned_bytes_ = 0;
    slab* sweep_at_ = nullptr;    ///< the next slab to look at; null: all were
    slab* trim_at_ = nullptr;     ///< the next one of `trim_next`
    std::uint64_t swept_ms_ = 0;  ///< when the last sweep began
    std::uint64_t visit_ms_ = 0;  ///< the last visit of `take_cold`
    std::uint64_t before_ms_ = 0; ///< when a slab that differs now changed at the latest
    bool taken_ = false;          ///< slots were, since that visit
};

} // namespace linn::inline LINN_ABI::detail

#endif
