// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_SLOT_STRETCH_HPP
#define LINN_DETAIL_CORE_SLOT_STRETCH_HPP

#include <linn/config.hpp>
#include <linn/detail/core/pointer_run.hpp>

#include <cstddef>
#include <cstdint>

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

} // namespace linn::inline LINN_ABI::detail

#endif
