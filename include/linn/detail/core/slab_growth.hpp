// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_SLAB_GROWTH_HPP
#define LINN_DETAIL_CORE_SLAB_GROWTH_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/pointers.hpp>

#include <cstddef>

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

/// How a set of slabs grows: what the next one measures, whether the limit allows it, and what all take.
/// The owner of the set serialises.
template <page_source Pages>
class slab_growth {
public:
    struct stretch {
        void* memory = nullptr;
        std::size_t bytes = 0;
        bool huge = false; ///< the system was asked for huge pages
    };

    /// Each slab doubles what is mapped, from the first size up to the alignment.
    [[nodiscard]] std::size_t next_bytes(const geometry& g) const noexcept {
        std::size_t bytes = g.first_slab_bytes;
        const bool one_each = g.slot_bytes > g.slab_align / 8;
        while (!one_each && bytes < mapped_bytes_ && bytes < g.slab_align) {
            bytes *= 2;
        }
        return bytes < g.slab_align ? bytes : g.slab_align;
    }

    /// Maps the memory of a slab. The last one below max_bytes is as large as the rest allows. None, and
    /// `take_news().why` says why, when there is no room or no memory.
    [[LINN_DETAIL_COLD]] stretch map(const geometry& g, bool prefer_huge) noexcept {
        const std::size_t room = g.max_bytes - mapped_bytes_;
        if (room < smallest_slab_bytes(g)) {
            news_.why = shortage::limit;
            return {};
        }
        stretch s{nullptr, next_bytes(g)};
        s.bytes = s.bytes < room ? s.bytes : room;
        s.memory = Pages::map(s.bytes, g.slab_align);
        if (s.memory == nullptr && s.bytes > g.first_slab_bytes) {
            s.bytes = g.first_slab_bytes; // a small slab may still fit
            s.memory = Pages::map(s.bytes, g.slab_align);
        }
        if (s.memory == nullptr) {
            news_.why = shortage::memory;
            return {};
        }
        // A page of 2 MiB is little of a pool this large, and saves page faults and misses of the TLB. Before
        // the header is written: a huge page must be the first.
        constexpr std::size_t large_pool = std::size_t{64} << 20;
        if (g.huge_pages || (prefer_huge && mapped_bytes_ >= large_pool)) {
            Pages::prefer_huge(s.memory, s.bytes);
            s.huge = true;
        }
        ++news_.slabs;
        news_.bytes += s.bytes;
        mapped_bytes_ += s.bytes;
        return s;
    }

    /// Takes back what `map` gave last.
    void unmap(stretch s, const geometry& g) noexcept {
        Pages::unmap(s.memory, s.bytes, g.slab_align);
        --news_.slabs;
        news_.bytes -= s.bytes;
        mapped_bytes_ -= s.bytes;
    }

    /// Asks for very much at once first: slab by slab, an impossible request would take long to fail, and
    /// fill the memory with headers meanwhile.
    [[LINN_DETAIL_COLD]] bool may_map(std::size_t bytes, const geometry& g) noexcept {
        if (bytes > g.max_bytes - mapped_bytes_) {
            news_.why = shortage::limit;
            return false;
        }
        constexpr std::size_t very_much = std::size_t{1} << 30;
        if (bytes < very_much) {
            return true;
        }
        void* probe = Pages::map(bytes, page_bytes);
        if (probe == nullptr) {
            news_.why = shortage::memory;
            return false;
        }
        Pages::unmap(probe, bytes, page_bytes);
        return true;
    }

    // A slab that others mapped comes, or goes.
    void add(std::size_t bytes) noexcept { mapped_bytes_ += bytes; }
    void remove(std::size_t bytes) noexcept { mapped_bytes_ -= bytes; }
    void forget_all() noexcept { mapped_bytes_ = 0; }

    void note_reused(std::size_t bytes) noexcept {
        ++news_.slabs;
        news_.bytes += bytes;
    }
    void note(shortage why) noexcept { news_.why = why; }
    /// What was done, and why the last call that failed did, since the last time this was asked.
    slab_news take_news() noexcept {
        const slab_news news = news_;
        news_ = slab_news{};
        return news;
    }

    [[nodiscard]] std::size_t mapped_bytes() const noexcept { return mapped_bytes_; }

private:
    std::size_t mapped_bytes_ = 0;
    slab_news news_;
};

} // namespace linn::inline LINN_ABI::detail

#endif
