// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frame_entry.hpp"
#include "rule.hpp"

#include <cstdint>

namespace linn::tool::unwind {

/// DWARF's numbers of registers on x86-64. Those beyond the return address hold nothing that unwinding needs.
inline constexpr unsigned dwarf_rbp = 6;
inline constexpr unsigned dwarf_rsp = 7;
inline constexpr unsigned dwarf_return = 16;
inline constexpr unsigned dwarf_registers = 17;

/// How a register of the caller is found.
enum class recovery : std::uint8_t {
    unchanged,
    undefined,
    at_offset,     ///< in memory, `value` bytes from the CFA
    is_offset,     ///< the CFA plus `value`
    in_register,   ///< the register numbered `value`
    at_expression, ///< in memory, where the expression says
    is_expression,
};

/// One row of the table that call frame information stands for: what holds at one address.
struct unwind_row {
    const unsigned char* cfa_expression =
        nullptr; ///< at its length; null: the CFA is a register and an offset
    std::int64_t cfa_offset = 0;
    unsigned cfa_register = 0;
    std::int64_t value[dwarf_registers] = {}; ///< an expression's address too, at its length
    recovery how[dwarf_registers] = {};
};

/// Runs the entry's program up to `pc`. `exact` is for the address of an instruction that was interrupted, not of a
/// call. False where the program is not understood.
bool find_row(const frame_entry& entry, std::uintptr_t pc, bool exact, unwind_row& row) noexcept;

/// The row as a rule of the fast walker; rule_kind::odd where it is more than that.
rule to_rule(const frame_entry& entry, const unwind_row& row) noexcept;

/// The rule of the function that this return address lies in.
rule compile_rule(std::uintptr_t return_address) noexcept;

/// An expression's bytes, given the address of its length.
dwarf_reader expression_at(const unsigned char* length) noexcept;

} // namespace linn::tool::unwind
