// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_SLAB_SET_HPP
#define LINN_DETAIL_CORE_SLAB_SET_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/pointer_run.hpp>
#include <linn/detail/core/pointers.hpp>
#include <linn/detail/core/slab.hpp>
#include <linn/detail/core/slab_memory.hpp>
#include <linn/detail/core/slot_cache.hpp>
#include <linn/detail/core/slot_guard.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace linn::inline LINN_ABI::detail {
/// Slots that are neighbours in memory.
struct slot_stretch {
    std::byte* lowest;
    std::size_t count;

    /// How many of the objects are neighbours, from the first on, upwards or downwards. Slabs begin with a
    /// header, so a stretch never runs from one slab into the next. @pre `count` is not 0
    [[nodiscard]] static slot_stretch from(void* const* objects, std::size_t count,
                                           std::uintptr_t slot_bytes) noexcept {
        const auto at = [objects](std::size_t i) { return reinterpret_cast<std::uintptr_t>(objects[i]); };
        auto* first = static_cast<std::byte*>(objects[0]);
        if (count == 1) {
            return {first, 1};
        }
        const std::uintptr_t step = at(1) - at(0);
        if (step != slot_bytes && step != 0 - slot_bytes) {
            return {first, 1};
        }
        const std::size_t n = run_length(objects, count, step);
        return {step == slot_bytes ? first : static_cast<std::byte*>(objects[n - 1]), n};
    }
};

/// The slabs of one pool: takes slots out of them and gives slots back. No lock, no OS: the owner
/// serialises and `Pages` provides.
///
/// `Guards` compiles in what a guarded geometry needs; see slot_guard.hpp. Slots are then looked at
/// one by one, each time they change hands.
template <page_source Pages, bool Guards = checked_build>
class slab_set : public slab_memory<Pages, Guards> {
    using memory = slab_memory<Pages, Guards>;
    using memory::geometry_;
    using memory::headers_;
    using memory::out_;
    using memory::owner_;
    using memory::states_;

public:
    using memory::find;
    using memory::newest;
    using typename memory::growth;

    constexpr slab_set(const geometry& g, void* owner) noexcept
        : memory{g, owner},
          by_slot_bytes_{g.slot_bytes} {}
    /// Of a pool that is an object: no other pool takes its slots.
    explicit slab_set(const geometry& g) noexcept : slab_set{g, slab::mark_of(this)} {}

    /// Writes up to `want` slots from `begin` on, where there is room for as many, the lowest address last; mapping slabs if it may.
    /// On behalf of `by`. Free slots that were written to are told to `notice`.
    /// @returns how many; fewer than `want` only when it may not map, a limit is reached or the system has no memory left
    [[LINN_DETAIL_SLOW]] std::size_t fill(void** begin, std::size_t want, growth may_grow = growth::allowed,
                                          const call_trace& by = no_trace,
                                          slot_listener notice = {}) noexcept {
        void** const end = begin + want;
        std::size_t got = 0;
        if (want > geometry_.max_slots - out_) [[LINN_DETAIL_UNLIKELY]] {
            want = geometry_.max_slots - out_;
            this->note(shortage::limit);
        }
        while (got != want) {
            slab* s = may_grow == growth::lending ? states_.spare() : states_.available();
            s = s != nullptr ? s : this->open(may_grow);
            if (s == nullptr) [[LINN_DETAIL_UNLIKELY]] {
                break;
            }
            got += take_from(s, end - got, want - got, by, notice);
        }
        this->note_out(got);
        if (begin + got != end) {
            std::memmove(begin, end - got, got * sizeof(void*));
        }
        return got;
    }

    /// Loads slots into the empty cache, which has an array, and pops one. Null when there is none.
    /// A thread begins with few objects and asks for twice as many each time, so that types with
    /// few objects stay small.
    [[LINN_DETAIL_SLOW]] void* load(magazine_cache& f, growth may_grow = growth::allowed) noexcept {
        const std::size_t want = clamp(f.refill, 1, f.capacity() / 2);
        const std::size_t got = fill(f.entries(), want, may_grow);
        f.use(f.entries(), got, f.capacity());
        void* slot = nullptr;
        if (f.try_pop(slot)) {
            f.refill = static_cast<std::uint32_t>(2 * want);
        }
        return slot;
    }

    /// Takes `count` objects back, on behalf of `by`. `reject` is told those refused.
    /// Neighbours that come in a row cost one look-up together.
    void give(void* const* objects, std::size_t count, slot_listener reject,
              const call_trace& by = no_trace) noexcept {
        if constexpr (Guards) {
            if (geometry_.guarded()) {
                for (std::size_t i = 0; i < count; ++i) {
                    give_guarded(static_cast<std::byte*>(objects[i]), reject, by);
                }
                count = 0;
            }
        }
        for (std::size_t i = 0; i < count;) {
            const slot_stretch run = slot_stretch::from(objects + i, count - i, geometry_.slot_bytes);
            if (run.count >= few) {
                give_stretch(run, reject);
                i += run.count;
                continue;
            }
            // Not in a row: the next ones are hardly either, so they are not compared.
            const std::size_t n = count - i < several ? count - i : several;
            const std::size_t given = give_scattered(objects + i, n);
            i += given;
            if (given != n) {
                give_stretch({static_cast<std::byte*>(objects[i++]), 1}, reject);
            }
        }
        if (out_ == 0) {
            states_.all_came_back();
        }
    }

    /// Appends each slot that is out but is not among `cached`, which may hold anything else too.
    /// @returns false when there is no memory for the list @complexity O(slots carved)
    bool collect_live(const pointer_set<Pages>& cached, pointer_list<Pages>& live) const noexcept {
        if (!live.reserve(live.size() + out_)) {
            return false;
        }
        for (const slab* s = newest(); s != nullptr; s = s->older) {
            for (std::size_t i = 0; i < s->carved; ++i) {
                void* const slot = s->address_of(i);
                if (!s->free_slots.contains(i) && !cached.contains(slot)) {
                    live.push(slot);
                }
            }
        }
        return true;
    }

    /// Checks all slots now: free ones that were written to, live ones whose fences changed. Each is reported
    /// once to `notice`, and its pattern restored. @complexity O(bytes of all slots that were ever used)
    void check_objects(slot_listener notice) noexcept {
        for (slab* s = newest(); Guards && geometry_.guarded() && s != nullptr; s = s->older) {
            check_slots(geometry_, s, notice);
        }
    }

    /// What is known of a slot of this set.
    [[nodiscard]] slot_evidence evidence_of(const void* object) const noexcept {
        const slab* s = Guards ? find(object) : nullptr;
        return s != nullptr ? evidence_in<Guards>(geometry_, s, object) : slot_evidence{};
    }

    /// Checks the sentences above `slab` and above this class. For tests. @complexity O(slabs)
    [[nodiscard]] bool consistent() const noexcept {
        std::size_t out = 0;
        std::size_t slabs = 0;
        for (const slab* s = newest(); s != nullptr; s = s->older, ++slabs) {
            if (!s->is_slab() || s->owner != owner_ || s->carved > s->capacity || s->touched < s->carved ||
                s->free_slots.count(s->capacity) != s->free_slots.count(s->carved) ||
                (s->where == slab::place::full && s->out() != s->capacity) ||
                ((s->where == slab::place::empty || s->where == slab::place::returned) && s->carved != 0)) {
                return false;
            }
            out += s->out();
        }
        return out == out_ && slabs == this->slab_count() && out_ <= this->peak();
    }

private:
    /// The slab that `object` belongs to if it is one of ours.
    [[LINN_DETAIL_ALWAYS_INLINE]] slab* slab_of(const void* object) const noexcept {
        return slab::of(object, geometry_.slab_align, geometry_.slab_offset);
    }

    /// Takes back objects that were freed in random order: from the first on, until there is anything unusual about one. Short,
    /// because in a pool larger than the caches of threads it is most of the cost of a free: `tests/golden` counts its instructions.
    /// @returns how many
    [[LINN_DETAIL_NOINLINE]] std::size_t give_scattered(void* const* objects, std::size_t count) noexcept {
        const slab_range headers = headers_;
        const exact_divider by = by_slot_bytes_;
        const void* const owner = owner_;
        const std::size_t mask = 0 - geometry_.slab_align;
        void* const* at = objects;
        for (void* const* const end = newest() != nullptr ? objects + count : at; at != end; ++at) {
            // All headers lie at the same offset from a multiple of `slab_align`.
            const std::uintptr_t from_lowest =
                (reinterpret_cast<std::uintptr_t>(*at) - headers.lowest) & mask;
            slab* s = reinterpret_cast<slab*>(headers.lowest + from_lowest);
            if (from_lowest > headers.span || s->owner != owner) [[LINN_DETAIL_UNLIKELY]] {
                break;
            }
            const std::size_t index = s->index_of(*at, by);
            if (index == slab::no_index ||
                !slot_bitmap::insert_at(s->words(), index, [this, s](std::size_t i) { note_first(s, i); }))
                [[LINN_DETAIL_UNLIKELY]] {
                break;
            }
        }
        const auto given = static_cast<std::size_t>(at - objects);
        out_ -= given;
        return given;
    }

    /// Slot `index` of `s` is the first one that comes back of 64 neighbours.
    [[LINN_DETAIL_NOINLINE]] void note_first(slab* s, std::size_t index) noexcept {
        s->free_slots.note_word(index);
        states_.after_give(s);
    }

    [[LINN_DETAIL_SLOW]] void give_stretch(slot_stretch run, slot_listener reject) noexcept {
        slab* s = slab_of(run.lowest);
        const bool readable = this->may_read(s);
        if (readable && s->is_slab() && s->owner == owner_) [[LINN_DETAIL_LIKELY]] {
            const std::size_t index = s->index_of(run.lowest, by_slot_bytes_);
            if (index != slab::no_index && run.count <= s->carved - index && s->give(index, run.count))
                [[LINN_DETAIL_LIKELY]] {
                out_ -= run.count;
                states_.after_give(s);
                return;
            }
            if (run.count != 1) { // something in it is wrong: find out which
                give_each(run, reject);
                return;
            }
        }
        reject_all(run, readable ? reason(s, run.lowest) : misuse_kind::foreign_pointer, reject);
    }

    [[LINN_DETAIL_COLD]] void give_each(slot_stretch run, slot_listener reject) noexcept {
        for (std::size_t i = 0; i < run.count; ++i) {
            give_stretch(slot_stretch{run.lowest + i * geometry_.slot_bytes, 1}, reject);
        }
    }

    [[LINN_DETAIL_COLD]] void reject_all(slot_stretch run, misuse_kind why, slot_listener reject) noexcept {
        for (std::size_t i = 0; i < run.count; ++i) {
            reject(why, run.lowest + i * geometry_.slot_bytes);
        }
    }

    [[nodiscard, LINN_DETAIL_COLD]] misuse_kind reason(const slab* s, const void* object) const noexcept {
        if (!s->is_slab() || !s->spans(object)) {
            return misuse_kind::foreign_pointer;
        }
        if (s->owner != owner_) {
            return misuse_kind::wrong_pool;
        }
        // Also where the slab became empty since, and so has forgotten what it had handed out.
        if (s->starts_slot(object)) {
            return misuse_kind::double_free;
        }
        return reinterpret_cast<std::uintptr_t>(object) % geometry_.object_align != 0
                   ? misuse_kind::misaligned_pointer
                   : misuse_kind::interior_pointer;
    }

    // -- guards ----------------------------------------------------------------------------------

    void give_guarded(std::byte* object, slot_listener reject, const call_trace& by) noexcept {
        slab* s = slab_of(object);
        if (!this->may_read(s)) {
            reject(misuse_kind::foreign_pointer, object);
            return;
        }
        const bool ours = s->is_slab() && s->owner == owner_;
        const std::size_t index = ours ? s->index_of(object, by_slot_bytes_) : slab::no_index;
        if (index == slab::no_index || s->free_slots.contains(index)) {
            reject(reason(s, object), object,
                   ours ? evidence_in<Guards>(geometry_, s, object) : slot_evidence{});
            return;
        }
        check_fences(geometry_, object, reject);
        slot_guard{geometry_, object}.close(by);
        s->give(index, 1);
        --out_;
        states_.after_give(s);
    }

    /// Takes from an available slab. @returns how many
    std::size_t take_from(slab* s, void** end, std::size_t want, [[maybe_unused]] const call_trace& by,
                          [[maybe_unused]] slot_listener notice) noexcept {
        const std::size_t touched = s->touched;
        const std::size_t holes = s->hole_bytes;
        const std::size_t carved = s->carved;
        const bool only = states_.spare() == nullptr;
        const std::size_t got = s->take(end, want, only);
        this->absent_bytes_ -= holes - s->hole_bytes;
        if (s->small_pages && s->hole_bytes == 0) [[LINN_DETAIL_UNLIKELY]] {
            s->small_pages = false;
            Pages::prefer_huge(s, s->mapped_bytes);
        }
        if constexpr (Guards) {
            if (geometry_.guarded()) {
                for (std::size_t i = 1; i <= got; ++i) {
                    open_slot(geometry_, s, touched, *(end - i), by, notice);
                }
            }
        }
        if (got != want || (s->carved != carved && !only)) { // the only one stays first, so it is not lent
            states_.used_up(s);
        }
        return got;
    }
    static constexpr std::size_t few = 8;      ///< neighbours that are worth a look-up together
    static constexpr std::size_t several = 64; ///< scattered ones that are taken back in one loop

    exact_divider by_slot_bytes_;
};

} // namespace linn::inline LINN_ABI::detail

#endif
