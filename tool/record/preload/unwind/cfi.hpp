// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../../interpose/raw.hpp"

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace linn::tool::unwind {

/// Where the canonical frame address (CFA) of a call comes from. The return address lies below it.
enum class rule_kind : std::uint8_t {
    none = 0,           ///< no rule: an empty entry of the table
    stack_pointer = 1,  ///< rsp + offset
    frame_pointer = 2,  ///< rbp + offset
    saved_by_frame = 3, ///< the word at rbp + offset: the stack was realigned
    end = 4,            ///< the outermost frame, a signal's, or code without unwind tables
    cut = 5,            ///< it cannot be followed: the stack ends too early
};

/// Where the caller's rbp is.
enum class saved_rbp : std::uint8_t { unchanged = 0, below_cfa = 1, by_frame_pointer = 2 };

/// How to get from one frame to its caller, in 31 bits: nearly all that compilers write.
class rule {
public:
    static constexpr unsigned bit_count = 31;

    constexpr rule() = default;
    explicit constexpr rule(rule_kind kind) : bits_(static_cast<std::uint32_t>(kind)) {}

    /// Offsets in bytes. The kind is cut if one does not fit.
    static constexpr rule make(rule_kind kind, std::int64_t cfa_offset, saved_rbp rbp,
                               std::int64_t rbp_offset) {
        rule result{kind};
        result.bits_ |= static_cast<std::uint32_t>(rbp) << kind_bits;
        result.bits_ |= low(rbp_offset / 8, rbp_bits) << rbp_shift;
        result.bits_ |= low(cfa_offset / 8, cfa_bits) << cfa_shift;
        const bool fits = result.cfa_offset() == cfa_offset && result.rbp_offset() == rbp_offset;
        return fits ? result : rule{rule_kind::cut};
    }
    constexpr std::uint32_t bits() const { return bits_; }
    constexpr rule_kind kind() const { return static_cast<rule_kind>(bits_ & ((1u << kind_bits) - 1)); }
    constexpr saved_rbp rbp() const { return static_cast<saved_rbp>(bits_ >> kind_bits & 3u); }
    constexpr std::int64_t cfa_offset() const { return extend(bits_ >> cfa_shift, cfa_bits); }
    constexpr std::int64_t rbp_offset() const { return extend(bits_ >> rbp_shift, rbp_bits); }
    constexpr bool operator==(const rule&) const = default;

private:
    static constexpr unsigned kind_bits = 3;
    static constexpr unsigned rbp_bits = 9;
    static constexpr unsigned cfa_bits = 17;
    static constexpr unsigned rbp_shift = kind_bits + 2;
    static constexpr unsigned cfa_shift = rbp_shift + rbp_bits;
    static_assert(cfa_shift + cfa_bits == bit_count);

    static constexpr std::uint32_t low(std::int64_t value, unsigned bits) {
        return static_cast<std::uint32_t>(value) & ((1u << bits) - 1);
    }
    static constexpr std::int64_t extend(std::uint32_t value, unsigned bits) {
        return std::int64_t{static_cast<std::int32_t>(value << (32 - bits)) >> (32 - bits)} * 8;
    }

    std::uint32_t bits_ = 0;
};

/// Addresses above are not kept: no program of today is mapped there.
inline constexpr unsigned address_bits = 48;

/// A permutation of the 48-bit numbers, for tables whose sets and tags together are the address.
constexpr std::uint64_t scramble(std::uintptr_t address) {
    constexpr std::uint64_t odd = 0x9e37'79b9'7f4b;
    return (address * odd) & ((std::uint64_t{1} << address_bits) - 1);
}

/// Return address -> rule, for all threads: 64 k entries in sets of two. An entry is one word with all of the key, so
/// there is nothing to lock and nothing to tear; who comes last wins. All zero is empty.
class rule_table {
public:
    static constexpr std::size_t sets = std::size_t{1} << 15;
    static constexpr std::size_t ways = 2;

    /// The rule, or one of kind none.
    rule find(std::uintptr_t address) const noexcept {
        const std::uint64_t key = scramble(address);
        const auto& set = entries_[key >> tag_bits];
        for (const auto& entry : set) {
            const std::uint64_t word = entry.load(std::memory_order_relaxed);
            if (word >> rule::bit_count == (key & tag_mask)) {
                return std::bit_cast<rule>(static_cast<std::uint32_t>(word & rule_mask));
            }
        }
        return {};
    }

    void insert(std::uintptr_t address, rule value) noexcept {
        if (address >> address_bits != 0) {
            return;
        }
        const std::uint64_t key = scramble(address);
        auto& set = entries_[key >> tag_bits];
        // The newest lies first, and what was there moves back.
        set[1].store(set[0].load(std::memory_order_relaxed), std::memory_order_relaxed);
        set[0].store((key & tag_mask) << rule::bit_count | value.bits(), std::memory_order_relaxed);
    }

    void clear() noexcept {
        for (auto& set : entries_) {
            preload::clear_used(set);
        }
    }

private:
    static constexpr unsigned tag_bits = 33;
    static constexpr std::uint64_t tag_mask = (std::uint64_t{1} << tag_bits) - 1;
    static constexpr std::uint64_t rule_mask = (std::uint64_t{1} << rule::bit_count) - 1;
    static_assert(tag_bits + rule::bit_count == 64);
    static_assert(sets == std::size_t{1} << (address_bits - tag_bits));

    std::atomic<std::uint64_t> entries_[sets][ways];
};

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

    /// The number alone, as for lengths: of 8 bytes or 4, as linkers write them.
    std::uintptr_t number(unsigned encoding) {
        switch (encoding & 0x0f) {
        case 0x0:
        case 0x4:
        case 0xc:
            return fixed<std::uint64_t>();
        case 0x3:
            return fixed<std::uint32_t>();
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
