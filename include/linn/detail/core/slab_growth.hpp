// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_SLAB_GROWTH_HPP
#define LINN_DETAIL_CORE_SLAB_GROWTH_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/linked_list.hpp>
#include <linn/detail/core/pointers.hpp>
#include <linn/detail/core/slab.hpp>

#include <cstddef>
#include <cstdint>

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

/// Which slabs a set has, in any state, whether an address may be looked at, and how the set grows: what the next slab measures,
/// and whether the limit allows it. The owner of the set serialises.
///
/// `count` slabs hang together by slab::older, the newest first. The header of each lies between two bounds, which shrink only
/// when there is none left.
template <page_source Pages>
class slab_growth {
public:
    slab_growth(const slab_growth&) = delete;
    slab_growth& operator=(const slab_growth&) = delete;

    [[nodiscard]] const geometry& sizes() const noexcept { return geometry_; }
    [[nodiscard]] slab* newest() const noexcept { return all_.front(); }
    [[nodiscard]] std::size_t slab_count() const noexcept { return count_; }
    [[nodiscard]] std::size_t mapped_bytes() const noexcept { return mapped_bytes_; }

    /// The slab that `object` points into, found by walking: safe for any pointer.
    /// @complexity O(slabs)
    [[nodiscard]] slab* find(const void* object) const noexcept {
        slab* s = newest();
        while (s != nullptr && !s->spans(object)) {
            s = s->older;
        }
        return s;
    }

    /// How large the next slab should be: each doubles what is mapped, from the first size up to the alignment.
    [[nodiscard]] std::size_t next_slab_bytes() const noexcept {
        const geometry& g = geometry_;
        std::size_t bytes = g.first_slab_bytes;
        const bool one_each = g.slot_bytes > g.slab_align / 8;
        while (!one_each && bytes < mapped_bytes_ && bytes < g.slab_align) {
            bytes *= 2;
        }
        return bytes < g.slab_align ? bytes : g.slab_align;
    }

    /// Asks for very much at once first: slab by slab, an impossible request would take long to fail, and
    /// fill the memory with headers meanwhile.
    [[LINN_DETAIL_COLD]] bool may_map(std::size_t bytes) noexcept {
        if (bytes > geometry_.max_bytes - mapped_bytes_) {
            note(shortage::limit);
            return false;
        }
        constexpr std::size_t very_much = std::size_t{1} << 30;
        if (bytes < very_much) {
            return true;
        }
        void* probe = Pages::map(bytes, page_bytes);
        if (probe == nullptr) {
            note(shortage::memory);
            return false;
        }
        Pages::unmap(probe, bytes, page_bytes);
        return true;
    }

    void note(shortage why) noexcept { news_.why = why; }
    /// What was done, and why the last call that failed did, since the last time this was asked.
    slab_news take_news() noexcept {
        const slab_news news = news_;
        news_ = slab_news{};
        return news;
    }

protected:
    constexpr slab_growth(const geometry& g, void* owner) noexcept : geometry_{g}, owner_{owner} {}
    ~slab_growth() = default;

    enum class use : unsigned char { now, later };
    /// A new slab. The last one below max_bytes is as large as the rest allows. Null, and
    /// `take_news().why` says why, when there is no room or no memory.
    [[LINN_DETAIL_COLD]] slab* map_slab(use next_use) noexcept {
        const geometry& g = geometry_;
        const std::size_t room = g.max_bytes - mapped_bytes_;
        if (room < smallest_slab_bytes(g)) {
            note(shortage::limit);
            return nullptr;
        }
        std::size_t bytes = next_slab_bytes();
        bytes = bytes < room ? bytes : room;
        void* memory = Pages::map(bytes, g.slab_align);
        if (memory == nullptr && bytes > g.first_slab_bytes) {
            bytes = g.first_slab_bytes; // a small slab may still fit
            memory = Pages::map(bytes, g.slab_align);
        }
        if (memory == nullptr) {
            note(shortage::memory);
            return nullptr;
        }
        // A page of 2 MiB is little of a pool this large, and saves page faults and misses of the TLB. Before
        // the header is written: a huge page must be the first. Not for a reserve, which promises to touch next to nothing.
        constexpr std::size_t large_pool = std::size_t{64} << 20;
        const bool huge = g.huge_pages || (next_use == use::now && mapped_bytes_ >= large_pool);
        if (huge) {
            Pages::prefer_huge(memory, bytes);
        }
        slab* s = add_slab(memory, bytes, Pages::zeroed); // `smallest_slab_bytes` hold one slot
        s->huge = huge;
        note_used(s);
        return s;
    }

    /// Makes a slab of that memory. Null when not even one slot fits.
    slab* add_slab(void* memory, std::size_t bytes, bool zeroed) noexcept {
        slab* s = slab::construct(memory, bytes, geometry_, owner_, next_colour(), zeroed);
        if (s != nullptr) {
            add(s);
        }
        return s;
    }

    void add(slab* s) noexcept {
        headers_.include(s);
        all_.push_front(s);
        ++count_;
        mapped_bytes_ += s->mapped_bytes;
    }

    /// @pre it has `s`
    void remove(slab* s) noexcept {
        all_.remove(s);
        mapped_bytes_ -= s->mapped_bytes;
        if (--count_ == 0) {
            headers_ = {}; // the addresses may be anyone's now
        }
    }

    /// Takes back what `map_slab` gave last, which was removed since.
    void unmap_again(slab* s) noexcept {
        --news_.slabs;
        news_.bytes -= s->mapped_bytes;
        Pages::unmap(s, s->mapped_bytes, geometry_.slab_align);
    }

    void remove_all() noexcept {
        all_ = {};
        headers_ = others_ = {};
        count_ = mapped_bytes_ = 0;
    }

    /// `s` is mapped, or its memory comes back.
    void note_used(const slab* s) noexcept {
        ++news_.slabs;
        news_.bytes += s->mapped_bytes;
    }

    /// Keeps a pointer that never came from a pool from crashing the check that would report it. The bounds are exact enough in
    /// release builds: heap and stack lie far from the slabs. Beyond them the system is asked, and bounds are kept of the slabs of
    /// others that it knew: their objects come in any order, and each question is a system call.
    [[nodiscard]] bool may_read(const slab* s) noexcept {
        const bool within = headers_.has(s) && (!checked_build || find(s) != nullptr);
        return within || (!checked_build && others_.has(s)) || can_read(s);
    }

    geometry geometry_;
    void* owner_;
    slab_range headers_; ///< of its own slabs; unmapped ones included

private:
    [[LINN_DETAIL_COLD]] bool can_read(const slab* s) noexcept {
        if (!Pages::readable(s) || !slab::seems_to_start_at(s)) {
            return false;
        }
        others_.include(s);
        return true;
    }

    /// Spreads slabs and pools over the cache sets. @source Bonwick: The slab allocator, 1994, 4.1
    std::size_t next_colour() noexcept {
        const auto seed = reinterpret_cast<std::uintptr_t>(this) / cache_line_bytes;
        return (seed * 7 + count_ * 11) % cache_line_bytes;
    }

    linked_list<slab, &slab::older, &slab::newer> all_; ///< newest first
    slab_range others_;                                 ///< of the slabs of others that it has seen
    std::size_t count_ = 0;
    std::size_t mapped_bytes_ = 0;
    slab_news news_;
};

} // namespace linn::inline LINN_ABI::detail

#endif
