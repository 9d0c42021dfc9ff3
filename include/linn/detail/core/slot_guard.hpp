// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_SLOT_GUARD_HPP
#define LINN_DETAIL_CORE_SLOT_GUARD_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/slab.hpp>
#include <linn/types/misuse.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

// What a set of slabs knows of single slots: what a checked build writes around objects, and what is wrong with them.

namespace linn::inline LINN_ABI::detail {

/// Callers: return addresses, the innermost first. Deep enough for a free inside a container that is
/// compiled without optimisation, where every layer between the user and the pool is a frame.
struct call_trace {
    static constexpr std::size_t depth = 12;

    const void* frames[depth] = {}; ///< null from the first unused one on

    [[nodiscard]] constexpr std::size_t size() const noexcept {
        std::size_t n = 0;
        while (n != depth && frames[n] != nullptr) {
            ++n;
        }
        return n;
    }

    friend constexpr bool operator==(const call_trace&, const call_trace&) = default;
};

/// Used when the caller wants no trace.
inline constexpr call_trace no_trace{};

/// What a guarded slot remembers of its object, behind it in memory.
struct slot_record {
    std::uintptr_t state = 0; ///< see slot_guard; anything else: nothing is known
    call_trace allocated;
    call_trace freed;
};
static_assert(sizeof(slot_record) == slot_record_bytes && alignof(slot_record) == slot_record_align,
              "geometry.hpp knows the record by its size only");

/// What is known about an object that something is wrong with.
struct slot_evidence {
    std::ptrdiff_t offset = 0;    ///< of the first changed byte, from the start of the object
    const void* object = nullptr; ///< its start; null where none is known
    call_trace allocated;         ///< callers of its last allocation
    call_trace freed;             ///< callers of its last free; empty while it is alive
};

/// Watches one slot of a guarded geometry, byte by byte:
///
/// ```
///  ... | fence | object | fence, at least 8 bytes | record | (padding) | fence | object | ...
///      8 bytes before each object
/// ```
///
/// While the object is alive its two fences must not change; while it is free none of its own bytes
/// may either. What is watched is written when the slot changes hands, so a page that went back to
/// the system and reads as zero needs no care but one: `forget` what it had said of a free slot.
///
/// Memory is accessed without AddressSanitizer, which may have been told that a free object is poison.
class slot_guard {
public:
    static constexpr unsigned char free_byte = 0xdf; ///< as an address it faults
    static constexpr unsigned char fence_byte = 0xfe;

    slot_guard(const geometry& g, std::byte* object) noexcept
        : object_{object},
          bytes_{g.object_bytes},
          record_{reinterpret_cast<slot_record*>(object + g.record_offset)},
          fence_bytes_{g.record_offset - g.object_bytes} {}

    /// The object is handed out.
    void open(const call_trace& by) noexcept {
        write(object_ - guard_fence_bytes, guard_fence_bytes, fence_byte);
        write(object_ + bytes_, fence_bytes_, fence_byte);
        record_->allocated = by;
        record_->freed = no_trace;
        record_->state = mark(live_value);
    }

    /// The object came back.
    void close(const call_trace& by) noexcept {
        if (record_->state != mark(live_value)) { // written over: what it says is not what we wrote
            record_->allocated = no_trace;
        }
        record_->freed = by;
        record_->state = mark(free_value);
        write(object_, bytes_, free_byte);
    }

    /// The memory is reused or gone: there is nothing to compare it with any more.
    void forget() noexcept { record_->state = 0; }

    /// Whether the slot was closed and says so still.
    [[nodiscard]] bool is_closed() const noexcept { return record_->state == mark(free_value); }

    /// The offset of the first byte that changed since close(), or `unchanged`.
    /// @pre is_closed()
    [[nodiscard]] std::ptrdiff_t first_written() const noexcept {
        const std::size_t n = first_other(object_, bytes_, free_byte);
        return n == bytes_ ? unchanged : static_cast<std::ptrdiff_t>(n);
    }

    /// The offset of the first byte in the fence behind the object that changed since open(), or
    /// `unchanged`.
    [[nodiscard]] std::ptrdiff_t first_overrun() const noexcept {
        const std::size_t n = first_other(object_ + bytes_, fence_bytes_, fence_byte);
        return n == fence_bytes_ ? unchanged : static_cast<std::ptrdiff_t>(bytes_ + n);
    }

    /// The same for the fence before it: a negative offset, the one nearest to the object's start.
    [[nodiscard]] std::ptrdiff_t first_underrun() const noexcept {
        for (std::size_t n = 1; n <= guard_fence_bytes; ++n) {
            if (first_other(object_ - n, 1, fence_byte) == 0) {
                return -static_cast<std::ptrdiff_t>(n);
            }
        }
        return unchanged;
    }

    static constexpr std::ptrdiff_t unchanged = PTRDIFF_MAX;

    [[nodiscard]] slot_evidence evidence(std::ptrdiff_t offset) const noexcept {
        slot_evidence e;
        e.offset = offset;
        e.object = object_;
        if (record_->state == mark(live_value) || record_->state == mark(free_value)) {
            e.allocated = record_->allocated;
            e.freed = record_->freed;
        }
        return e;
    }

private:
    // They must differ in the half that a word of 32 bits keeps.
    static constexpr auto live_value = static_cast<std::uintptr_t>(0x6f626a21'6c697665U);
    static constexpr auto free_value = static_cast<std::uintptr_t>(0x6f626a21'66726565U);
    static_assert((live_value ^ free_value) % (std::uint64_t{1} << 32) != 0);

    /// Differs from slot to slot, so that no copy of a record is taken for one.
    [[nodiscard]] std::uintptr_t mark(std::uintptr_t value) const noexcept {
        return value ^ reinterpret_cast<std::uintptr_t>(object_);
    }

    LINN_DETAIL_UNCHECKED("address")
    static void write(std::byte* p, std::size_t n, unsigned char byte) noexcept {
        if constexpr (!sanitizer_poison) {
            std::memset(p, byte, n);
        } else { // volatile, or the loop becomes a call of memset, which AddressSanitizer watches
            for (; n != 0; --n, ++p) {
                *reinterpret_cast<volatile unsigned char*>(p) = byte;
            }
        }
    }

    /// The index of the first byte that is not `byte`; `n` when there is none. @pre n != 0
    LINN_DETAIL_UNCHECKED("address")
    static std::size_t first_other(const std::byte* p, std::size_t n, unsigned char byte) noexcept {
        if (!sanitizer_poison && *p == std::byte{byte} && std::memcmp(p, p + 1, n - 1) == 0) {
            return n; // each byte is as the one before
        }
        std::size_t i = 0;
        while (i != n && *reinterpret_cast<const volatile unsigned char*>(p + i) == byte) {
            ++i;
        }
        return i;
    }

    std::byte* object_;
    std::size_t bytes_;
    slot_record* record_;
    std::size_t fence_bytes_;
};

/// Exists once: it is large, and a free to another home would make one for each object.
inline constexpr slot_evidence no_evidence{};

/// What hears of slots that something is wrong with: a reference to a function object that takes `(misuse_kind, void* object)`,
/// and the evidence if it wants that.
class slot_listener {
public:
    constexpr slot_listener() = default; ///< nothing does

    /// @param f outlives the listener
    template <class F>
        requires(!std::is_same_v<std::remove_cvref_t<F>, slot_listener>)
    slot_listener(F&& f) noexcept
        : context_{const_cast<void*>(static_cast<const void*>(&f))},
          call_{[](void* context, misuse_kind why, void* object, const slot_evidence& evidence) {
              auto& call = *static_cast<std::remove_reference_t<F>*>(context);
              if constexpr (std::is_invocable_v<F&, misuse_kind, void*, const slot_evidence&>) {
                  call(why, object, evidence);
              } else {
                  call(why, object);
              }
          }} {}

    void operator()(misuse_kind why, void* object,
                    const slot_evidence& evidence = no_evidence) const noexcept {
        if (call_ != nullptr) {
            call_(context_, why, object, evidence);
        }
    }

private:
    void* context_ = nullptr;
    void (*call_)(void*, misuse_kind, void*, const slot_evidence&) = nullptr;
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
        notice(misuse_kind::write_after_free, object, evidence);
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
    notice(overrun ? misuse_kind::overrun : misuse_kind::underrun, object, evidence);
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
