// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_SLOT_GUARD_HPP
#define LINN_DETAIL_CORE_SLOT_GUARD_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

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

    /// Reads and writes objects of any type.
    using word [[LINN_DETAIL_MAY_ALIAS]] = std::uintptr_t;

    /// Differs from slot to slot, so that no copy of a record is taken for one.
    [[nodiscard]] std::uintptr_t mark(std::uintptr_t value) const noexcept {
        return value ^ reinterpret_cast<std::uintptr_t>(object_);
    }

    LINN_DETAIL_UNCHECKED("address")
    static void write(std::byte* p, std::size_t n, unsigned char byte) noexcept {
        // Volatile, or the loop becomes a call of memset, which AddressSanitizer watches.
        for (; n != 0 && reinterpret_cast<std::uintptr_t>(p) % sizeof(std::uintptr_t) != 0; --n, ++p) {
            *reinterpret_cast<volatile unsigned char*>(p) = byte;
        }
        for (; n >= sizeof(std::uintptr_t); n -= sizeof(std::uintptr_t), p += sizeof(std::uintptr_t)) {
            *reinterpret_cast<volatile word*>(p) = word_of(byte);
        }
        for (; n != 0; --n, ++p) {
            *reinterpret_cast<volatile unsigned char*>(p) = byte;
        }
    }

    /// The index of the first byte that is not `byte`; `n` when there is none.
    LINN_DETAIL_UNCHECKED("address")
    static std::size_t first_other(const std::byte* p, std::size_t n, unsigned char byte) noexcept {
        std::size_t i = 0;
        const auto here = [&] { return reinterpret_cast<std::uintptr_t>(p + i); };
        while (i < n) {
            if (here() % sizeof(std::uintptr_t) == 0 && n - i >= sizeof(std::uintptr_t) &&
                *reinterpret_cast<const volatile word*>(p + i) == word_of(byte)) {
                i += sizeof(std::uintptr_t);
            } else if (*reinterpret_cast<const volatile unsigned char*>(p + i) == byte) {
                ++i;
            } else {
                return i;
            }
        }
        return n;
    }

    static constexpr std::uintptr_t word_of(unsigned char byte) noexcept { return UINTPTR_MAX / 0xff * byte; }

    std::byte* object_;
    std::size_t bytes_;
    slot_record* record_;
    std::size_t fence_bytes_;
};

} // namespace linn::inline LINN_ABI::detail

#endif
