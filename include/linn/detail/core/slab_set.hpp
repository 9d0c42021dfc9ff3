// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_SLAB_SET_HPP
#define LINN_DETAIL_CORE_SLAB_SET_HPP

#include <linn/config.hpp>
#include <linn/detail/core/call_trace.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/page_source.hpp>
#include <linn/detail/core/pointer_list.hpp>
#include <linn/detail/core/slab.hpp>
#include <linn/detail/core/slab_directory.hpp>
#include <linn/detail/core/slab_growth.hpp>
#include <linn/detail/core/slab_states.hpp>
#include <linn/detail/core/slot_checks.hpp>
#include <linn/detail/core/slot_guard.hpp>
#include <linn/detail/core/slot_stretch.hpp>

#include <cstddef>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

/// The slabs of one pool: takes slots out of them and gives slots back. No lock, no OS: the owner
/// serialises and `Pages` provides.
///
/// `slab_directory` knows all slabs, `slab_states` which of them to use next, `slab_growth` how large the next one is. What is here
/// counts: `out = sum of the slots out of each slab <= peak`.
///
/// Slabs are never unmapped while the set lives: a slot's address is never reused for another type.
///
/// `Guards` compiles in what a guarded geometry needs; see slot_guard.hpp. Slots are then looked at
/// one by one, each time they change hands.
template <page_source Pages, bool Guards = checked_build>
class slab_set {
public:
    constexpr slab_set(const geometry& g, void* owner) noexcept : geometry_{g}, owner_{owner} {}
    /// Of a pool that is an object: no other pool takes its slots.
    explicit slab_set(const geometry& g) noexcept : slab_set{g, slab::mark_of(this)} {}

    slab_set(const slab_set&) = delete;
    slab_set& operator=(const slab_set&) = delete;

    /// Writes up to `want` slots below `end`, lowest address on top, mapping slabs as needed.
    /// @returns how many; fewer than `want` only when a limit is reached or the system has no memory left
    std::size_t take(void** end, std::size_t want) noexcept {
        return take(end, want, no_trace, [](rejection, void*) {});
    }

    /// The same on behalf of `by`. Free slots that were written to are told to `notice(rejection, object)`.
    template <class Notice>
    std::size_t take(void** end, std::size_t want, const call_trace& by, Notice&& notice) noexcept {
        std::size_t got = 0;
        if (want > geometry_.max_slots - out_) [[__unlikely__]] {
            want = geometry_.max_slots - out_;
            growth_.note(shortage::limit);
        }
        while (got != want) {
            slab* s = states_.available();
            if (s == nullptr) {
                s = open();
                if (s == nullptr) {
                    break;
                }
            }
            const std::size_t touched = s->touched;
            const std::size_t more = s->take(end - got, want - got);
            if constexpr (Guards) {
                if (geometry_.guarded()) {
                    for (std::size_t i = 1; i <= more; ++i) {
                        open_slot(geometry_, s, touched, *(end - got - i), by, notice);
                    }
                }
            }
            got += more;
            if (!s->has_slots()) {
                states_.make_full(s);
            }
        }
        out_ += got;
        if (out_ > peak_) {
            peak_ = out_;
        }
        return got;
    }

    /// Takes `count` objects back. Those refused are handed to `reject(rejection, object)`.
    /// Neighbours that come in a row cost one look-up together.
    /// On behalf of `by`.
    template <class Reject>
    void give(void* const* objects, std::size_t count, Reject&& reject,
              const call_trace& by = no_trace) noexcept {
        slabs_.forget_answers();
        if constexpr (Guards) {
            if (geometry_.guarded()) {
                for (std::size_t i = 0; i < count; ++i) {
                    give_guarded(static_cast<std::byte*>(objects[i]), reject, by);
                }
                return;
            }
        }
        for (std::size_t i = 0; i < count;) {
            const slot_stretch run = slot_stretch::from(objects + i, count - i, geometry_.slot_bytes);
            if (run.count != 1 || !give_one(run.lowest)) {
                give_stretch(run, reject);
            }
            i += run.count;
        }
    }

    /// Maps slabs until `want` slots could be taken without asking the system.
    /// @returns false when a limit or the system refused; then nothing has changed. To keep what was mapped
    /// would leave the process with no mapping to spare for anything else.
    bool reserve(std::size_t want) noexcept {
        if (want > geometry_.max_slots - out_) {
            growth_.note(shortage::limit);
            return false;
        }
        if (want > static_cast<std::size_t>(PTRDIFF_MAX) / geometry_.slot_bytes) {
            growth_.note(shortage::memory);
            return false;
        }
        slab* const newest_before = newest();
        std::size_t ready = 0;
        for (slab* s = newest(); s != nullptr; s = s->older) {
            ready += s->capacity - s->out();
        }
        if (ready < want && !growth_.may_map((want - ready) * geometry_.slot_bytes, geometry_)) {
            return false;
        }
        while (ready < want) {
            slab* s = map_slab(use::later);
            if (s == nullptr) {
                while (newest() != newest_before) {
                    unmap_newest();
                }
                return false;
            }
            states_.make_available(s);
            ready += s->capacity;
        }
        return true;
    }

    /// Adds a slab in memory that the owner got elsewhere: for a set whose `Pages` map nothing.
    /// @pre where `sizes()` wants slabs, at most as large as `slab_align`, all zero if `zeroed`
    /// @returns false when not even one slot fits
    bool adopt(void* memory, std::size_t bytes, bool zeroed) noexcept {
        slab* s = add_slab(memory, bytes, zeroed);
        if (s != nullptr) {
            growth_.add(bytes);
            states_.make_available(s);
        }
        return s != nullptr;
    }

    /// Forgets a slab that `next_to_return` or `take_empty` gave, or that was withdrawn; its memory is the caller's now.
    /// @complexity O(slabs)
    void disown(slab* s) noexcept {
        slabs_.remove(s);
        s->magic = 0;
        growth_.remove(s->mapped_bytes);
    }

    /// How large the next slab should be.
    [[nodiscard]] std::size_t next_slab_bytes() const noexcept { return growth_.next_bytes(geometry_); }

    void note(shortage why) noexcept { growth_.note(why); }
    /// What was mapped, and why the last call that failed did, since the last time this was asked.
    slab_news take_news() noexcept {
        const slab_news news = growth_.news();
        growth_.clear_news();
        return news;
    }

    /// Whether more memory is empty than is to be kept, so that `next_to_return` is worth a look at
    /// the clock.
    [[nodiscard]] bool has_excess() const noexcept { return states_.has_excess(geometry_.retain_bytes); }

    /// An empty slab whose pages should go back, as slab_states says; null when there is none.
    /// The caller discards, without a lock if it has one, and then calls `put_returned`.
    slab* next_to_return(std::uint64_t now_ms) noexcept {
        return states_.next_to_return(now_ms, geometry_.retain_bytes);
    }

    /// Any empty slab, for an explicit trim; null when none.
    slab* take_empty() noexcept { return states_.take_empty(); }

    /// Takes a slab out of its list, to be disowned. @pre no slot of it is out, and it was not returned
    void withdraw(slab* s) noexcept { states_.withdraw(s); }

    /// Returns the pages of `s` to the system. Needs no serialisation: `s` is in no list.
    /// @returns false when the system refused, as it does for locked memory
    static bool discard(slab* s) noexcept {
        return Pages::discard(s->returnable_begin(), s->returnable_bytes());
    }

    /// Returns those pages of `s` on which no slot is out. @pre no slot is allocated meanwhile
    std::size_t discard_free_pages(slab* s) noexcept {
        if (s->out() == 0) {
            return s->returned || s->available ? discard_kept(s) : 0;
        }
        const bool guards = Guards && geometry_.guarded();
        const auto discard = [&](void* p, std::size_t n) {
            const bool gone = Pages::discard(p, n);
            if (gone && guards) {
                forget_slot_at(geometry_, s, static_cast<std::byte*>(p) + n);
            }
            return gone;
        };
        const std::size_t bytes = s->discard_free_pages(discard, guards ? guard_fence_bytes : 0);
        returned_bytes_ += bytes;
        return bytes;
    }

    /// @param gone what `discard` said of it
    /// @returns the bytes that went back
    std::size_t put_returned(slab* s, bool gone) noexcept {
        const std::size_t bytes = gone ? s->touched_bytes() : present_bytes(s);
        s->kept_bytes = gone ? 0 : bytes;
        s->hole_bytes = 0;
        s->touched = 0;
        states_.put_returned(s);
        returned_bytes_ += gone ? bytes : 0;
        return gone ? bytes : 0;
    }

    /// Unmaps everything, whether slots are out or not.
    void unmap_all() noexcept {
        for (slab* s = newest(); s != nullptr;) {
            slab* older = s->older;
            s->magic = 0;
            Pages::unmap(s, s->mapped_bytes, geometry_.slab_align);
            s = older;
        }
        forget_all();
    }

    /// Drops the slabs without unmapping them.
    void forget_all() noexcept {
        slabs_.forget_all();
        states_.forget_all();
        out_ = 0;
        growth_.forget_all();
    }

    /// Takes every slot back at once and keeps the slabs.
    void reset_all() noexcept {
        states_.reset_all(newest());
        out_ = 0;
    }

    /// The slab that `object` points into, found by walking: safe for any pointer.
    /// @complexity O(slabs)
    [[nodiscard]] slab* find(const void* object) const noexcept { return slabs_.find(object); }

    /// Appends each slot that is out but is not among `cached`, which may hold anything else too and
    /// is sorted afterwards. @returns false when there is no memory for the list
    /// @complexity O(slots carved + cached x log(cached))
    bool collect_live(pointer_list<Pages>& cached, pointer_list<Pages>& live) const noexcept {
        if (!live.reserve(live.size() + out_)) {
            return false;
        }
        cached.sort();
        for (const slab* s = newest(); s != nullptr; s = s->older) {
            append_live(*s, cached, live);
        }
        return true;
    }

    /// Checks all slots now: free ones that were written to, live ones whose fences changed. Each is reported
    /// once to `notice(rejection, object)`, and its pattern restored. @complexity O(bytes of all slots that were ever used)
    template <class Notice>
    void check_objects(Notice&& notice) noexcept {
        for (slab* s = newest(); Guards && geometry_.guarded() && s != nullptr; s = s->older) {
            check_slots(geometry_, s, notice);
        }
    }

    /// What is known of a slot of this set.
    [[nodiscard]] slot_evidence evidence_of(const void* object) const noexcept {
        const slab* s = Guards ? find(object) : nullptr;
        return s != nullptr ? evidence_in<Guards>(geometry_, s, object) : slot_evidence{};
    }

    [[nodiscard]] const geometry& sizes() const noexcept { return geometry_; }
    [[nodiscard]] std::size_t out() const noexcept { return out_; }
    [[nodiscard]] std::size_t peak() const noexcept { return peak_; }
    [[nodiscard]] std::size_t slab_count() const noexcept { return slabs_.count(); }
    [[nodiscard]] std::size_t mapped_bytes() const noexcept { return growth_.mapped_bytes(); }
    [[nodiscard]] std::size_t returned_bytes() const noexcept { return returned_bytes_; }
    [[nodiscard]] slab* newest() const noexcept { return slabs_.newest(); }

    /// Bytes that the slabs may occupy in memory now. @complexity O(slabs)
    [[nodiscard]] std::size_t resident_bytes() const noexcept {
        std::size_t bytes = 0;
        for (const slab* s = newest(); s != nullptr; s = s->older) {
            bytes += page_bytes + present_bytes(s);
        }
        return bytes;
    }

    /// Checks the sentences above `slab` and above this class. For tests. @complexity O(slabs)
    [[nodiscard]] bool consistent() const noexcept {
        std::size_t out = 0;
        std::size_t slabs = 0;
        for (const slab* s = newest(); s != nullptr; s = s->older, ++slabs) {
            if (!s->consistent(owner_)) {
                return false;
            }
            out += s->out();
        }
        return out == out_ && slabs == slab_count() && out_ <= peak_;
    }

private:
    /// What of `s` may be in memory besides its first page: what was touched, or all of it where the program locks what it
    /// maps, as the last page shows. The unused rest of a small slab is not worth the system call.
    static std::size_t present_bytes(const slab* s) noexcept {
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
    std::size_t discard_kept(slab* s) noexcept {
        const std::size_t bytes = present_bytes(s);
        const bool locked = s->kept_bytes != 0 || bytes != s->touched_bytes();
        if (!locked || !discard(s)) {
            return 0;
        }
        s->kept_bytes = 0;
        s->hole_bytes = 0;
        s->touched = 0;
        returned_bytes_ += bytes;
        return bytes;
    }

    /// The slab that `object` belongs to if it is one of ours.
    [[__gnu__::__always_inline__]] slab* slab_of(const void* object) const noexcept {
        return slab::of(object, geometry_.slab_align, geometry_.slab_offset);
    }

    /// The common case of objects that were freed in random order, kept short: about forty
    /// instructions. False, and nothing done, when there is anything unusual about it.
    [[__gnu__::__always_inline__]] bool give_one(std::byte* object) noexcept {
        slab* s = slab_of(object);
        if (!slabs_.may_read(s) || s->owner != owner_ || !s->is_slab()) [[__unlikely__]] {
            return false;
        }
        const std::uint32_t index = s->index_of(object);
        if (index == slab::no_index || !s->give(index, 1)) [[__unlikely__]] {
            return false;
        }
        --out_;
        if (s->free_count == s->carved || !s->available) [[__unlikely__]] {
            states_.after_give(s);
        }
        return true;
    }

    template <class Reject>
    void give_stretch(slot_stretch run, Reject& reject) noexcept {
        slab* s = slab_of(run.lowest);
        if (!slabs_.may_read(s)) [[__unlikely__]] {
            reject_all(run, rejection::not_from_a_slab, reject);
            return;
        }
        const bool ours = s->is_slab() && s->owner == owner_;
        if (!ours && s->is_slab()) {
            reject_all(run, reason(s, run.lowest), reject);
            return;
        }
        const std::uint32_t index = ours ? s->index_of(run.lowest) : slab::no_index;
        if (index != slab::no_index && run.count <= s->carved - index && s->give(index, run.count))
            [[__likely__]] {
            out_ -= run.count;
            states_.after_give(s);
            return;
        }
        if (run.count == 1) {
            tell(reject, reason(s, run.lowest), run.lowest, {});
            return;
        }
        // Something in the stretch is wrong: find out which.
        for (std::size_t i = 0; i < run.count; ++i) {
            give_stretch(slot_stretch{run.lowest + i * geometry_.slot_bytes, 1}, reject);
        }
    }

    template <class Reject>
    void reject_all(slot_stretch run, rejection why, Reject& reject) noexcept {
        for (std::size_t i = 0; i < run.count; ++i) {
            tell(reject, why, run.lowest + i * geometry_.slot_bytes, {});
        }
    }

    [[nodiscard]] rejection reason(const slab* s, const void* object) const noexcept {
        if (!s->is_slab() || !s->spans(object)) {
            return rejection::not_from_a_slab;
        }
        if (s->owner != owner_) {
            return rejection::other_owner;
        }
        // Also where the slab became empty since, and so has forgotten what it had handed out.
        if (s->starts_slot(object)) {
            return rejection::already_free;
        }
        return reinterpret_cast<std::uintptr_t>(object) % geometry_.object_align != 0 ? rejection::misaligned
                                                                                      : rejection::not_a_slot;
    }

    // -- guards ----------------------------------------------------------------------------------

    template <class Reject>
    void give_guarded(std::byte* object, Reject& reject, const call_trace& by) noexcept {
        slab* s = slab_of(object);
        if (!slabs_.may_read(s)) {
            tell(reject, rejection::not_from_a_slab, object, {});
            return;
        }
        const bool ours = s->is_slab() && s->owner == owner_;
        const std::uint32_t index = ours ? s->index_of(object) : slab::no_index;
        if (index == slab::no_index || s->free_slots.contains(index)) {
            tell(reject, reason(s, object), object,
                 ours ? evidence_in<Guards>(geometry_, s, object) : slot_evidence{});
            return;
        }
        check_fences(geometry_, object, reject);
        slot_guard{geometry_, object}.close(by);
        s->give(index, 1);
        --out_;
        states_.after_give(s);
    }

    /// A slab with nothing out becomes the one to carve from: resident ones first.
    slab* open() noexcept {
        slab* s = states_.take_unused();
        if (s != nullptr && s->returned && s->kept_bytes == 0) {
            growth_.note_reused(s->mapped_bytes);
        }
        if (s == nullptr) {
            s = map_slab(use::now);
        }
        if (s != nullptr) {
            s->returned = false;
            s->empty_since_ms = 0;
            states_.make_available(s);
        }
        return s;
    }

    enum class use : unsigned char { now, later };
    slab* map_slab(use next_use) noexcept {
        // No huge pages for a reserve, which promises to touch next to nothing.
        const auto fresh = growth_.map(geometry_, next_use == use::now);
        slab* s = fresh.memory != nullptr ? add_slab(fresh.memory, fresh.bytes, Pages::zeroed) : nullptr;
        if (s == nullptr && fresh.memory != nullptr) {
            growth_.unmap(fresh, geometry_);
            growth_.note(shortage::memory);
        }
        return s;
    }

    slab* add_slab(void* memory, std::size_t bytes, bool zeroed) noexcept {
        slab* s = slab::construct(memory, bytes, geometry_, owner_, next_colour(), zeroed);
        if (s != nullptr) {
            slabs_.add(s);
        }
        return s;
    }

    /// @pre the newest slab is available, and none of its slots was ever handed out
    void unmap_newest() noexcept {
        slab* s = newest();
        states_.make_full(s);
        slabs_.remove(s);
        growth_.unmap({s, s->mapped_bytes}, geometry_);
    }

    /// Spreads slabs and pools over the cache sets. @source Bonwick: The slab allocator, 1994, 4.1
    std::size_t next_colour() noexcept {
        const auto seed = reinterpret_cast<std::uintptr_t>(this) / cache_line_bytes;
        return (seed * 7 + slab_count() * 11) % cache_line_bytes;
    }

    geometry geometry_;
    void* owner_;
    slab_directory<Pages> slabs_;
    slab_states states_;
    slab_growth<Pages> growth_;
    std::size_t out_ = 0;  ///< slots taken and not given back
    std::size_t peak_ = 0; ///< highest `out_`
    std::size_t returned_bytes_ = 0;
};

} // namespace linn::inline LINN_ABI::detail

#endif
