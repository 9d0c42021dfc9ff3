// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_MAGAZINE_STORE_HPP
#define LINN_DETAIL_SYNC_MAGAZINE_STORE_HPP

#include <linn/config.hpp>
#include <linn/detail/core/magazine.hpp>
#include <linn/detail/sync/metadata_arena.hpp>

#include <cstddef>
#include <new>

namespace linn::inline LINN_ABI::detail {

/// The magazines of one pool that no thread has. The depot's lock guards it.
template <class Policy>
class magazine_store {
public:
    /// @param capacity of each, in slots
    magazine_store(std::size_t capacity, metadata_arena<Policy>& arena) noexcept
        : arena_{arena},
          capacity_{capacity} {}

    /// An empty magazine; null when there is no memory for one.
    magazine* take() noexcept {
        magazine* m = empties_.pop();
        return m != nullptr ? m : make();
    }

    void put(magazine* m) noexcept { empties_.push(m); }

private:
    [[LINN_DETAIL_COLD]] magazine* make() noexcept {
        void* memory = arena_.allocate(magazine::bytes_for(capacity_));
        if (memory == nullptr) {
            return nullptr;
        }
        auto* m = ::new (memory) magazine;
        m->capacity = capacity_;
        return m;
    }

    metadata_arena<Policy>& arena_;
    magazine_stack empties_;
    std::size_t capacity_;
};

} // namespace linn::inline LINN_ABI::detail

#endif
