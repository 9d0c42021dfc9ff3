// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_SLAB_DIRECTORY_HPP
#define LINN_DETAIL_CORE_SLAB_DIRECTORY_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/linked_list.hpp>
#include <linn/detail/core/pointers.hpp>
#include <linn/detail/core/slab.hpp>

#include <cstddef>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

/// Which slabs a set has, in any state, and whether an address may be looked at.
///
/// `count` slabs hang together by slab::older, the newest first. The header of each lies between two bounds, which shrink only
/// when there is none left.
template <page_source Pages>
class slab_directory {
public:
    [[nodiscard]] slab* newest() const noexcept { return all_.front(); }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }

    void add(slab* s) noexcept {
        headers_.include(s);
        all_.push_front(s);
        ++count_;
    }

    /// @pre it has `s`
    void remove(slab* s) noexcept {
        all_.remove(s);
        if (--count_ == 0) {
            headers_ = {}; // the addresses may be anyone's now
        }
    }

    void forget_all() noexcept { *this = {}; }

    /// The slab that `object` points into, found by walking: safe for any pointer.
    /// @complexity O(slabs)
    [[nodiscard]] slab* find(const void* object) const noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(object);
        for (slab* s = newest(); s != nullptr; s = s->older) {
            const auto begin = reinterpret_cast<std::uintptr_t>(s);
            if (address >= begin && address - begin < s->mapped_bytes) {
                return s;
            }
        }
        return nullptr;
    }

    /// Where the headers of slabs lie: from `lowest` on, `span` bytes further at most.
    struct range {
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
    [[nodiscard]] range headers() const noexcept { return headers_; }

    /// Keeps a pointer that never came from a pool from crashing the check that would report it. The bounds are exact enough in
    /// release builds: heap and stack lie far from the slabs. Beyond them the system is asked, and bounds are kept of the slabs of
    /// others that it knew: their objects come in any order, and each question is a system call.
    [[nodiscard]] bool may_read(const slab* s) noexcept {
        const bool within = headers_.has(s) && (!checked_build || find(s) != nullptr);
        return within || (!checked_build && others_.has(s)) || can_read(s);
    }

private:
    [[LINN_DETAIL_COLD]] bool can_read(const slab* s) noexcept {
        if (!Pages::readable(s) || !slab::seems_to_start_at(s)) {
            return false;
        }
        others_.include(s);
        return true;
    }

    linked_list<slab, &slab::older, &slab::newer> all_; ///< newest first
    range headers_;                                     ///< of its own slabs; unmapped ones included
    range others_;                                      ///< of the slabs of others that it has seen
    std::size_t count_ = 0;
};

} // namespace linn::inline LINN_ABI::detail

#endif
