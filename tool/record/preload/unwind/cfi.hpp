// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frame_entry.hpp"
#include "rule.hpp"

#include <cstdint>

namespace linn::tool::unwind {

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

/// Runs the entry's program up to a return address: what holds at the call before it. Where a signal interrupted, give
/// the address of that instruction plus 1. False where the program is not understood.
bool find_row(const frame_entry& entry, std::uintptr_t return_address, unwind_row& row) noexcept;

/// The row as a rule; rule_kind::odd where it is more than that, rule_kind::cut where it cannot be followed at all.
rule to_rule(const frame_entry& entry, const unwind_row& row) noexcept;

/// The rule of the function that this return address lies in.
rule compile_rule(std::uintptr_t return_address) noexcept;

} // namespace linn::tool::unwind
