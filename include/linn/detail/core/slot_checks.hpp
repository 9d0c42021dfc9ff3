// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_SLOT_CHECKS_HPP
#define LINN_DETAIL_CORE_SLOT_CHECKS_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/slab.hpp>
#include <linn/detail/core/slot_guard.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

// What a set of slabs asks about single slots: what is wrong with them.

namespace linn::inline LINN_ABI::detail {

/// Why an object was not taken back, or what is wrong with one that was.
enum class rejection : unsigned char {
    not_from_a_slab, ///< no slab at that address
    other_owner,     ///< a slot of another owner's slab
    not_a_slot,      ///< inside a slab of ours, but no slot starts there
    misaligned,      ///< the same, and no object of the type could be there
    already_free,
    // With guards only. These refuse nothing: the slot changes hands all the same.
    written_while_free,
    overrun,  ///< the fence behind the object changed
    underrun, ///< the fence before it did
};

/// Exists once: it is large, and a free to another home would make one for each object.
inline constexpr slot_evidence no_evidence{};

/// What hears of slots that something is wrong with: a reference to a function object that takes `(rejection, void* object)`,
/// and the evidence if it wants that.
class slot_listener {
public:
    constexpr slot_listener() = default; ///< nothing does

    /// @param f outlives the listener
    template <class F>
        requires(!std::is_same_v<std::remove_cvref_t<F>, slot_listener>)
    slot_listener(F&& f) noexcept
        : context_{const_cast<void*>(static_cast<const void*>(&f))},
          call_{[](void* context, rejection why, void* object, const slot_evidence& evidence) {
              auto& call = *static_cast<std::remove_reference_t<F>*>(context);
              if constexpr (std::is_invocable_v<F&, rejection, void*, const slot_evidence&>) {
                  call(why, object, evidence);
              } else {
                  call(why, object);
              }
          }} {}

    void operator()(rejection why, void* object, const slot_evidence& evidence = no_evidence) const noexcept {
        if (call_ != nullptr) {
            call_(context_, why, object, evidence);
        }
    }

private:
    void* context_ = nullptr;
    void (*call_)(void*, rejection, void*, const slot_evidence&) = nullptr;
};

/// Reports a free slot that was written to since it was freed, and restores its pattern.
inline void check_free_slot(const geometry& g, std::byte* object, slot_listener notice) noexcept {
    slot_guard guard{g, object};
    if (!guard.is_closed()) {
        return;
    }
    if (const std::ptrdiff_t offset = guard.first_written(); offset != slot_guard::unchanged) {
        const slot_evidence evidence = guard.evidence(offset);
        guard.close(evidence.freed);
        notice(rejection::written_while_free, object, evidence);
    }
}

/// Reports changed fences of a live object, and restores them.
inline void check_fences(const geometry& g, std::byte* object, slot_listener notice) noexcept {
    slot_guard guard{g, object};
    const std::ptrdiff_t before = guard.first_underrun();
    const std::ptrdiff_t behind = guard.first_overrun();
    if (before == slot_guard::unchanged && behind == slot_guard::unchanged) {
        return;
    }
    const bool overrun = behind != slot_guard::unchanged;
    const slot_evidence evidence = guard.evidence(overrun ? behind : before);
    guard.open(evidence.allocated);
    notice(overrun ? rejection::overrun : rejection::underrun, object, evidence);
}

/// Looks at all slots that were used since the slab's memory last went back.
inline void check_slots(const geometry& g, slab* s, slot_listener notice) noexcept {
    const std::size_t slots_used = s->touched;
    for (std::size_t i = 0; i < slots_used; ++i) {
        if (i >= s->carved || s->free_slots.contains(i)) {
            if (s->where != slab::place::away) { // else its page may go back just now
                check_free_slot(g, s->address_of(i), notice);
            }
        } else {
            check_fences(g, s->address_of(i), notice);
        }
    }
}

/// Before all slots of `s` are taken back at once: those that are out, or cached by their owner, count as freed from
/// here on, and each is told to `drop(object)`. @complexity O(slots carved)
template <class Drop>
void close_slots(const geometry& g, slab* s, Drop&& drop) noexcept {
    for (std::size_t i = 0; i < s->carved; ++i) {
        if (!s->free_slots.contains(i)) {
            if (g.guarded()) {
                slot_guard{g, s->address_of(i)}.close(no_trace);
            }
            drop(static_cast<void*>(s->address_of(i)));
        }
    }
}

/// A slot is handed out on behalf of `by`.
/// @param touched the slab's, before this slot was taken: later ones hold no record yet
inline void open_slot(const geometry& g, slab* s, std::size_t touched, void* slot, const call_trace& by,
                      slot_listener notice) noexcept {
    auto* object = static_cast<std::byte*>(slot);
    if (static_cast<std::size_t>(object - s->first) / g.slot_bytes < touched) {
        check_free_slot(g, object, notice);
    }
    slot_guard{g, object}.open(by);
}

/// What the record of the slot says that `object` points to or into.
/// @pre `object` lies in the aligned range that begins with `s`
template <bool Guards>
slot_evidence evidence_in(const geometry& g, const slab* s, const void* object) noexcept {
    const std::uintptr_t offset =
        reinterpret_cast<std::uintptr_t>(object) - reinterpret_cast<std::uintptr_t>(s->first);
    const std::size_t index = offset / g.slot_bytes;
    if (offset >= s->mapped_bytes || index >= s->touched || !Guards || !g.guarded()) {
        return {};
    }
    return slot_guard{g, s->address_of(index)}.evidence(
        static_cast<std::ptrdiff_t>(offset - index * g.slot_bytes));
}

/// The memory before `end` went back. A free slot that reaches beyond it has lost what it held.
inline void forget_slot_at(const geometry& g, slab* s, std::byte* end) noexcept {
    std::byte* const object = s->address_of(static_cast<std::size_t>(end - 1 - s->first) / g.slot_bytes);
    if (object + g.record_offset >= end) {
        slot_guard{g, object}.forget();
    }
}

} // namespace linn::inline LINN_ABI::detail

#endif
