// SPDX-License-Identifier: Apache-2.0
#include "cfi.hpp"

namespace linn::tool::unwind {
namespace {

constexpr unsigned char breg_rbp = 0x70 + dwarf_rbp;
constexpr unsigned char deref = 0x06;

/// Runs the instructions of one entry.
class program_runner {
public:
    program_runner(const frame_entry& entry, std::uintptr_t limit, unwind_row& row)
        : entry_(entry),
          row_(row),
          limit_(limit),
          location_(entry.begin) {}

    bool run() {
        if (!run(entry_.common_program)) {
            return false;
        }
        initial_ = row_;
        has_initial_ = true;
        return run(entry_.program);
    }

private:
    bool run(dwarf_reader code) {
        while (!code.at_end() && location_ < limit_) {
            const unsigned instruction = code.fixed<unsigned char>();
            const unsigned operand = instruction & 0x3f;
            switch (instruction & 0xc0) {
            case 0x40:
                advance(operand);
                break;
            case 0x80:
                set(operand, recovery::at_offset, factored(code.unsigned_leb()));
                break;
            case 0xc0:
                restore(operand);
                break;
            default:
                if (!extended(instruction, code)) {
                    return false;
                }
            }
        }
        return !code.failed();
    }

    bool extended(unsigned instruction, dwarf_reader& code) {
        std::uint64_t number;
        switch (instruction) {
        case 0x00: // nop
            return true;
        case 0x01: // set_loc
            location_ = code.pointer(entry_.pointer_encoding);
            return true;
        case 0x02:
            advance(code.fixed<std::uint8_t>());
            return true;
        case 0x03:
            advance(code.fixed<std::uint16_t>());
            return true;
        case 0x04:
            advance(code.fixed<std::uint32_t>());
            return true;
        case 0x05: // offset_extended
            number = code.unsigned_leb();
            set(number, recovery::at_offset, factored(code.unsigned_leb()));
            return true;
        case 0x06: // restore_extended
            restore(code.unsigned_leb());
            return true;
        case 0x07:
            set(code.unsigned_leb(), recovery::undefined, 0);
            return true;
        case 0x08: // same_value
            set(code.unsigned_leb(), recovery::unchanged, 0);
            return true;
        case 0x09: // register
            number = code.unsigned_leb();
            set(number, recovery::in_register, static_cast<std::int64_t>(code.unsigned_leb()));
            return true;
        case 0x0a: // remember_state
            if (remembered_ == most_remembered) {
                return false;
            }
            memory_[remembered_++] = row_;
            return true;
        case 0x0b: // restore_state
            if (remembered_ == 0) {
                return false;
            }
            row_ = memory_[--remembered_];
            return true;
        case 0x11: // offset_extended_sf
            number = code.unsigned_leb();
            set(number, recovery::at_offset, factored(code.signed_leb()));
            return true;
        case 0x14: // val_offset
            number = code.unsigned_leb();
            set(number, recovery::is_offset, factored(code.unsigned_leb()));
            return true;
        case 0x15: // val_offset_sf
            number = code.unsigned_leb();
            set(number, recovery::is_offset, factored(code.signed_leb()));
            return true;
        case 0x10: // expression
            number = code.unsigned_leb();
            set(number, recovery::at_expression, expression(code));
            return true;
        case 0x16: // val_expression
            number = code.unsigned_leb();
            set(number, recovery::is_expression, expression(code));
            return true;
        case 0x2e: // GNU_args_size: only for landing pads
            code.unsigned_leb();
            return true;
        case 0x2f: // GNU_negative_offset_extended
            number = code.unsigned_leb();
            set(number, recovery::at_offset, factored(0 - code.unsigned_leb()));
            return true;
        default:
            return define_cfa(instruction, code);
        }
    }

    bool define_cfa(unsigned instruction, dwarf_reader& code) {
        switch (instruction) {
        case 0x0c: // def_cfa
            row_.cfa_register = static_cast<unsigned>(code.unsigned_leb());
            row_.cfa_offset = static_cast<std::int64_t>(code.unsigned_leb());
            break;
        case 0x0d: // def_cfa_register
            row_.cfa_register = static_cast<unsigned>(code.unsigned_leb());
            break;
        case 0x0e: // def_cfa_offset
            row_.cfa_offset = static_cast<std::int64_t>(code.unsigned_leb());
            return true; // the one that says nothing of an expression
        case 0x0f:       // def_cfa_expression
            row_.cfa_expression = code.position();
            code.skip(code.unsigned_leb());
            return true;
        case 0x12: // def_cfa_sf
            row_.cfa_register = static_cast<unsigned>(code.unsigned_leb());
            row_.cfa_offset = factored(code.signed_leb());
            break;
        case 0x13: // def_cfa_offset_sf
            row_.cfa_offset = factored(code.signed_leb());
            return true;
        default:
            return false;
        }
        row_.cfa_expression = nullptr;
        return true;
    }

    static std::int64_t expression(dwarf_reader& code) {
        const unsigned char* const at = code.position();
        code.skip(code.unsigned_leb());
        return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(at));
    }

    void advance(std::uint64_t steps) { location_ += steps * entry_.code_factor; }

    /// Modulo 2^64: what a damaged table asks for has no meaning, but must not be undefined either.
    std::int64_t factored(std::uint64_t value) const {
        return static_cast<std::int64_t>(value * static_cast<std::uint64_t>(entry_.data_factor));
    }
    std::int64_t factored(std::int64_t value) const { return factored(static_cast<std::uint64_t>(value)); }

    void set(std::uint64_t number, recovery how, std::int64_t value) {
        if (number < dwarf_registers) {
            row_.how[number] = how;
            row_.value[number] = value;
        }
    }

    void restore(std::uint64_t number) {
        if (number < dwarf_registers && has_initial_) {
            row_.how[number] = initial_.how[number];
            row_.value[number] = initial_.value[number];
        }
    }

    /// Compilers nest one or two.
    static constexpr unsigned most_remembered = 6;

    const frame_entry& entry_;
    unwind_row& row_;
    std::uintptr_t limit_;
    std::uintptr_t location_;
    bool has_initial_ = false;
    unsigned remembered_ = 0;
    unwind_row initial_;
    unwind_row memory_[most_remembered];
};

/// Whether the expression is rbp plus an offset, and then only a deref if `with_deref`.
bool is_by_frame_pointer(const unsigned char* length, bool with_deref, std::int64_t& offset) {
    dwarf_reader code = expression_at(length);
    if (code.fixed<unsigned char>() != breg_rbp) {
        return false;
    }
    offset = code.signed_leb();
    if (with_deref && code.fixed<unsigned char>() != deref) {
        return false;
    }
    return code.at_end() && !code.failed();
}

} // namespace

dwarf_reader expression_at(const unsigned char* length) noexcept {
    dwarf_reader reader{length, length + (std::uintptr_t{1} << 32)};
    return reader.block(reader.unsigned_leb());
}

bool find_row(const frame_entry& entry, std::uintptr_t pc, bool exact, unwind_row& row) noexcept {
    row = {};
    return program_runner{entry, pc + (exact ? 1 : 0), row}.run();
}

rule to_rule(const frame_entry& entry, const unwind_row& row) noexcept {
    const recovery returns = row.how[dwarf_return];
    if (entry.return_column == dwarf_return && returns == recovery::undefined) {
        return rule{rule_kind::end};
    }
    if (entry.signal_frame || entry.return_column != dwarf_return || returns != recovery::at_offset ||
        row.value[dwarf_return] != -8 || row.how[dwarf_rsp] != recovery::unchanged) {
        return rule{rule_kind::odd};
    }
    rule_kind kind = rule_kind::odd;
    std::int64_t offset = row.cfa_offset;
    if (row.cfa_expression != nullptr) {
        if (is_by_frame_pointer(row.cfa_expression, true, offset)) {
            kind = rule_kind::saved_by_frame;
        }
    } else if (row.cfa_register == dwarf_rsp) {
        kind = rule_kind::stack_pointer;
    } else if (row.cfa_register == dwarf_rbp) {
        kind = rule_kind::frame_pointer;
    }
    if (kind == rule_kind::odd) {
        return rule{kind};
    }
    std::int64_t saved_at = 0;
    switch (row.how[dwarf_rbp]) {
    case recovery::unchanged:
    case recovery::undefined: // what libgcc takes it for, too
        return rule::make(kind, offset, saved_rbp::unchanged, 0);
    case recovery::at_offset:
        return rule::make(kind, offset, saved_rbp::below_cfa, row.value[dwarf_rbp]);
    case recovery::at_expression:
        if (is_by_frame_pointer(reinterpret_cast<const unsigned char*>(row.value[dwarf_rbp]), false,
                                saved_at)) {
            return rule::make(kind, offset, saved_rbp::by_frame_pointer, saved_at);
        }
        return rule{rule_kind::odd};
    default:
        return rule{rule_kind::odd};
    }
}

rule compile_rule(std::uintptr_t return_address) noexcept {
    frame_entry entry;
    // The call is the instruction before; behind a function's last call another function begins.
    if (!find_entry(return_address - 1, entry)) {
        return rule{rule_kind::end};
    }
    unwind_row row;
    return find_row(entry, return_address, false, row) ? to_rule(entry, row) : rule{rule_kind::odd};
}

} // namespace linn::tool::unwind
