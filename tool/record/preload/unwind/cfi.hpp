// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rule_table.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace linn::tool::unwind {

/// Reads the numbers of call frame information. Past the end all is zero and failed() is true.
class dwarf_reader {
public:
    dwarf_reader() = default;
    dwarf_reader(const unsigned char* begin, const unsigned char* end) : at_(begin), end_(end) {}

    const unsigned char* position() const { return at_; }
    bool at_end() const { return at_ >= end_; }
    bool failed() const { return failed_; }

    template <class T>
    T fixed() {
        T value{};
        if (static_cast<std::size_t>(end_ - at_) < sizeof(T)) {
            fail();
            return value;
        }
        std::memcpy(&value, at_, sizeof(T));
        at_ += sizeof(T);
        return value;
    }

    std::uint64_t unsigned_leb() {
        unsigned shift;
        return leb(shift);
    }

    std::int64_t signed_leb() {
        unsigned shift;
        std::uint64_t value = leb(shift);
        if (shift < 64 && (last_ & 0x40) != 0) {
            value |= ~std::uint64_t{0} << shift;
        }
        return static_cast<std::int64_t>(value);
    }

    /// The next `bytes` as a reader of their own.
    dwarf_reader block(std::uint64_t bytes) {
        if (bytes > static_cast<std::uint64_t>(end_ - at_)) {
            fail();
            return {};
        }
        const dwarf_reader result{at_, at_ + bytes};
        at_ += bytes;
        return result;
    }

    void skip(std::uint64_t bytes) { block(bytes); }

    /// A pointer as the DW_EH_PE byte says. `data` is what datarel is relative to.
    std::uintptr_t pointer(unsigned encoding, std::uintptr_t data = 0) {
        const auto here = reinterpret_cast<std::uintptr_t>(at_);
        std::uintptr_t value = number(encoding);
        switch (encoding & 0x70) {
        case 0x00:
            break;
        case 0x10:
            value += here;
            break;
        case 0x30:
            value += data;
            failed_ = failed_ || data == 0;
            break;
        default:
            fail();
        }
        // Indirect: personalities only, which are skipped.
        return value;
    }

    /// The number alone, as for lengths.
    std::uintptr_t number(unsigned encoding) {
        switch (encoding & 0x0f) {
        case 0x0:
        case 0x4:
        case 0xc:
            return fixed<std::uint64_t>();
        case 0x1:
            return unsigned_leb();
        case 0x2:
            return fixed<std::uint16_t>();
        case 0x3:
            return fixed<std::uint32_t>();
        case 0x9:
            return static_cast<std::uintptr_t>(signed_leb());
        case 0xa:
            return static_cast<std::uintptr_t>(std::int64_t{fixed<std::int16_t>()});
        case 0xb:
            return static_cast<std::uintptr_t>(std::int64_t{fixed<std::int32_t>()});
        default:
            fail();
            return 0;
        }
    }

private:
    std::uint64_t leb(unsigned& shift) {
        std::uint64_t value = 0;
        shift = 0;
        do {
            last_ = fixed<unsigned char>();
            if (shift < 64) {
                value |= static_cast<std::uint64_t>(last_ & 0x7f) << shift;
            }
            shift += 7;
        } while ((last_ & 0x80) != 0 && !failed_);
        return value;
    }

    void fail() {
        failed_ = true;
        at_ = end_;
    }

    const unsigned char* at_ = nullptr;
    const unsigned char* end_ = nullptr;
    unsigned char last_ = 0;
    bool failed_ = false;
};

/// What .eh_frame says of one function: its frame description entry with the common entry it refers to.
struct frame_entry {
    std::uintptr_t begin = 0; ///< of its code
    std::uintptr_t end = 0;
    dwarf_reader common_program;
    dwarf_reader program;
    std::uint64_t code_factor = 1;
    std::int64_t data_factor = 1;
    unsigned return_column = 0;
    unsigned pointer_encoding = 0;
    bool has_augmentation = false;
    bool signal_frame = false;
};

/// Whether frame entries can be found at all: glibc 2.35 has the lookup that takes no lock.
bool can_find_entries() noexcept;

/// The entry of the function that `pc` lies in; false where the loaded files have none. Lock-free.
bool find_entry(std::uintptr_t pc, frame_entry& into) noexcept;

/// DWARF's numbers of the registers on x86-64 that a walk follows. It knows no others.
inline constexpr unsigned dwarf_rbp = 6;
inline constexpr unsigned dwarf_rsp = 7;
inline constexpr unsigned dwarf_return = 16;

/// How a value of the caller is found: a base plus an offset, or the word that lies there.
struct recovery {
    enum class base : std::uint8_t {
        unchanged, ///< it is what it was
        undefined,
        unknown, ///< it is found by other registers, or by an expression of more than one register and one word
        // From here on it is found.
        cfa,
        stack_pointer,
        frame_pointer,
    };
    base from = base::unchanged;
    bool is_in_memory = false; ///< the word at that address, not the address
    std::int64_t offset = 0;   ///< bytes
    bool operator==(const recovery&) const = default;
};

/// One row of the table that call frame information stands for: what holds at one address.
struct unwind_row {
    recovery cfa{recovery::base::unknown};
    recovery return_address;
    recovery stack_pointer; ///< unchanged: the CFA
    recovery frame_pointer;
};

/// Runs the entry's program up to a return address: what holds at the call before it. False where the program is not
/// understood.
bool find_row(const frame_entry& entry, std::uintptr_t return_address, unwind_row& row) noexcept;

/// The row as a rule; rule_kind::cut where it is more than that.
rule to_rule(const frame_entry& entry, const unwind_row& row) noexcept;

/// The rule of the function that this return address lies in.
rule compile_rule(std::uintptr_t return_address) noexcept;

} // namespace linn::tool::unwind
