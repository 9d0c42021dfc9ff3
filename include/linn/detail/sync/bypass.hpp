// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_BYPASS_HPP
#define LINN_DETAIL_SYNC_BYPASS_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/pointers.hpp>
#include <linn/detail/core/slab_growth.hpp>

#include <cstddef>
#include <cstring>
#include <new>

namespace linn::inline LINN_ABI::detail {

/// A pool that passes each object to `operator new`, so that a memory checker sees every one. It keeps a
/// list of them, which that checker cannot read. The depot's lock guards the list.
template <class Policy>
class bypass {
public:
    /// @param g whose limits hold: max_bytes as if each object had a slot, since no slab is mapped
    constexpr explicit bypass(const geometry& g) noexcept
        : bytes_{g.object_bytes},
          align_{g.object_align},
          most_{clamp(g.max_bytes / g.slot_bytes, 1, g.max_slots)} {}

    /// Storage that is not on the list yet; null when there is no memory. Needs no lock.
    [[nodiscard, LINN_DETAIL_COLD]] void* allocate() const noexcept {
        return over_aligned() ? ::operator new(bytes_, std::align_val_t{align_}, std::nothrow_t{})
                              : ::operator new(bytes_, std::nothrow_t{});
    }

    /// Safe for pointers that are not objects; the checker reports them. Needs no lock.
    [[LINN_DETAIL_COLD]] void deallocate(void* object) const noexcept {
        if (over_aligned()) {
            ::operator delete(object, std::align_val_t{align_});
        } else {
            ::operator delete(object);
        }
    }

    /// Puts the objects on the list that `objects`, an array of pointers of any type, holds. Either all or none: not when there
    /// are as many as may be, or no memory for the list.
    [[LINN_DETAIL_COLD]] shortage note(const std::byte* objects, std::size_t count) noexcept {
        if (room() < count) {
            return shortage::limit;
        }
        for (std::size_t i = 0; i != count; ++i) {
            if (!objects_.insert(pointer_at(objects, i))) {
                while (i-- != 0) {
                    strike(pointer_at(objects, i));
                }
                return shortage::memory;
            }
        }
        peak_ = objects_.size() > peak_ ? objects_.size() : peak_;
        return shortage::none;
    }

    static void* pointer_at(const std::byte* objects, std::size_t i) noexcept {
        void* p = nullptr;
        std::memcpy(&p, objects + i * sizeof p, sizeof p);
        return p;
    }

    /// Takes it off. False when it is not on the list.
    [[LINN_DETAIL_COLD]] bool strike(void* object) noexcept { return objects_.erase(object); }

    [[nodiscard]] const pointer_set<typename Policy::pages>& objects() const noexcept { return objects_; }
    [[nodiscard]] std::size_t live() const noexcept { return objects_.size(); }
    [[nodiscard]] std::size_t peak() const noexcept { return peak_; }
    /// How many more objects there may be.
    [[nodiscard]] std::size_t room() const noexcept { return most_ - objects_.size(); }

private:
    [[nodiscard]] bool over_aligned() const noexcept { return align_ > __STDCPP_DEFAULT_NEW_ALIGNMENT__; }

    std::size_t bytes_;
    std::size_t align_;
    std::size_t most_;
    std::size_t peak_ = 0;
    pointer_set<typename Policy::pages> objects_;
};

} // namespace linn::inline LINN_ABI::detail

#endif
