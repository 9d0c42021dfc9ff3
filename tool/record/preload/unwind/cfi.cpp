// SPDX-License-Identifier: Apache-2.0
#include "cfi.hpp"

#include "../../../interpose/mapped_file.hpp"

#include <algorithm>

namespace linn::tool::unwind {
namespace {

constexpr unsigned omitted = 0xff;
/// A table of pairs of 32-bit distances from the header, the only form that linkers write.
constexpr unsigned sorted_table = 0x3b;

/// Lengths say where things end; before the length is known nothing is.
dwarf_reader unbounded(const unsigned char* from) {
    constexpr std::uintptr_t far = std::uintptr_t{1} << 40;
    return {from, from + far};
}

/// Begins reading an entry of .eh_frame. False at the terminator.
bool open_entry(const unsigned char* at, dwarf_reader& body) {
    dwarf_reader reader = unbounded(at);
    std::uint64_t length = reader.fixed<std::uint32_t>();
    if (length == 0xffff'ffff) {
        length = reader.fixed<std::uint64_t>();
    }
    body = reader.block(length);
    return length != 0 && !reader.failed();
}

bool read_augmentation(const char* letters, dwarf_reader data, frame_entry& into) {
    for (; *letters != 0; ++letters) {
        switch (*letters) {
        case 'R':
            into.pointer_encoding = data.fixed<unsigned char>();
            break;
        case 'P':
            data.number(data.fixed<unsigned char>());
            break;
        case 'L':
            data.skip(1);
            break;
        case 'S':
            into.signal_frame = true;
            break;
        default:
            return false;
        }
    }
    return !data.failed();
}

bool read_common(const unsigned char* at, frame_entry& into) {
    dwarf_reader reader;
    if (!open_entry(at, reader) || reader.fixed<std::uint32_t>() != 0) {
        return false;
    }
    const unsigned version = reader.fixed<unsigned char>();
    if (version != 1 && version != 3) {
        return false;
    }
    const auto* letters = reinterpret_cast<const char*>(reader.position());
    while (reader.fixed<char>() != 0) {
    }
    into.code_factor = reader.unsigned_leb();
    into.data_factor = reader.signed_leb();
    into.return_column =
        version == 1 ? reader.fixed<unsigned char>() : static_cast<unsigned>(reader.unsigned_leb());
    if (*letters == 'z') {
        into.has_augmentation = true;
        if (!read_augmentation(letters + 1, reader.block(reader.unsigned_leb()), into)) {
            return false;
        }
    } else if (*letters != 0) {
        return false; // of a compiler older than this format
    }
    into.common_program = reader;
    return !reader.failed();
}

/// Reads the description at `at`; false if it is none.
bool read_description(const unsigned char* at, frame_entry& into) {
    dwarf_reader reader;
    if (!open_entry(at, reader)) {
        return false;
    }
    const unsigned char* const base = reader.position();
    const std::uint32_t distance = reader.fixed<std::uint32_t>();
    into = {};
    if (distance == 0 || !read_common(base - distance, into)) {
        return false;
    }
    into.begin = reader.pointer(into.pointer_encoding);
    into.end = into.begin + reader.number(into.pointer_encoding);
    if (into.has_augmentation) {
        reader.skip(reader.unsigned_leb());
    }
    into.program = reader;
    return !reader.failed();
}

/// The entry in one file, given its .eh_frame_hdr.
bool find_entry_in(const unsigned char* header, std::uintptr_t pc, frame_entry& into) noexcept {
    dwarf_reader reader = unbounded(header);
    const unsigned version = reader.fixed<unsigned char>();
    const unsigned frames_encoding = reader.fixed<unsigned char>();
    const unsigned count_encoding = reader.fixed<unsigned char>();
    const unsigned table_encoding = reader.fixed<unsigned char>();
    if (version != 1 || frames_encoding == omitted || count_encoding == omitted ||
        table_encoding != sorted_table) {
        return false;
    }
    const auto base = reinterpret_cast<std::uintptr_t>(header);
    reader.pointer(frames_encoding, base);
    const std::uintptr_t count = reader.pointer(count_encoding, base);
    if (reader.failed()) {
        return false;
    }
    struct pair {
        std::int32_t code;
        std::int32_t entry;
    };
    const auto wanted = static_cast<std::int64_t>(pc - base);
    const auto* const pairs = reinterpret_cast<const pair*>(reader.position());
    const auto* const behind = std::upper_bound(
        pairs, pairs + count, wanted, [](std::int64_t offset, const pair& p) { return offset < p.code; });
    return behind != pairs && read_description(header + behind[-1].entry, into) && into.begin <= pc &&
           pc < into.end;
}

using base = recovery::base;

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
                set(operand, in_frame(factored(code.unsigned_leb())));
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

    /// Those that compilers and assemblers write on x86-64: in 1450 programs and libraries of Debian 12 there are no others. A frame
    /// with another one is cut.
    bool extended(unsigned instruction, dwarf_reader& code) {
        switch (instruction) {
        case 0x00: // nop
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
        case 0x0c: // def_cfa
            row_.cfa = recovery{by_register(code.unsigned_leb()), false, plain(code.unsigned_leb())};
            return true;
        case 0x0d: // def_cfa_register
            row_.cfa = {by_register(code.unsigned_leb()), false, row_.cfa.offset};
            return true;
        case 0x0e: // def_cfa_offset
            row_.cfa.offset = plain(code.unsigned_leb());
            return true;
        case 0x0f: // def_cfa_expression
            row_.cfa = by_expression(code, false);
            return true;
        case 0x2e: // GNU_args_size: only for landing pads
            code.unsigned_leb();
            return true;
        default:
            return of_register(instruction, code.unsigned_leb(), code);
        }
    }

    /// An instruction about the register of this number.
    bool of_register(unsigned instruction, std::uint64_t number, dwarf_reader& code) {
        switch (instruction) {
        case 0x07: // undefined
            set(number, {base::undefined});
            return true;
        case 0x08: // same_value
            set(number, {});
            return true;
        case 0x09: // register
            code.unsigned_leb();
            set(number, {base::unknown});
            return true;
        case 0x10: // expression
            set(number, by_expression(code, true));
            return true;
        case 0x11: // offset_extended_sf
            set(number, in_frame(factored(static_cast<std::uint64_t>(code.signed_leb()))));
            return true;
        case 0x16: // val_expression
            set(number, by_expression(code, false));
            return true;
        default:
            return false;
        }
    }

    static recovery in_frame(std::int64_t offset) { return {base::cfa, true, offset}; }

    static base by_register(std::uint64_t number) {
        return number == dwarf_rsp   ? base::stack_pointer
               : number == dwarf_rbp ? base::frame_pointer
                                     : base::unknown;
    }

    static std::int64_t plain(std::uint64_t value) { return static_cast<std::int64_t>(value); }

    /// The expressions that compilers use: a register plus an offset, and the word there.
    /// `is_address`: it says where the value lies, not what it is.
    static recovery by_expression(dwarf_reader& code, bool is_address) {
        constexpr unsigned char first_register = 0x70;
        constexpr unsigned char dereference = 0x06;
        dwarf_reader expression = code.block(code.unsigned_leb());
        const unsigned char operation = expression.fixed<unsigned char>();
        if (operation < first_register) {
            return {base::unknown};
        }
        recovery found{by_register(operation - first_register), is_address, expression.signed_leb()};
        if (!is_address && !expression.at_end()) {
            found.is_in_memory = expression.fixed<unsigned char>() == dereference;
            found.from = found.is_in_memory ? found.from : base::unknown;
        }
        return expression.at_end() && !expression.failed() ? found : recovery{base::unknown};
    }

    void advance(std::uint64_t steps) { location_ += steps * entry_.code_factor; }

    /// Modulo 2^64: what a damaged table asks for has no meaning, but must not be undefined either.
    std::int64_t factored(std::uint64_t value) const {
        return static_cast<std::int64_t>(value * static_cast<std::uint64_t>(entry_.data_factor));
    }

    /// Where the row stores the rule of a register; null: it is not needed.
    static recovery* place(unwind_row& row, std::uint64_t number) {
        switch (number) {
        case dwarf_rbp:
            return &row.frame_pointer;
        case dwarf_rsp:
            return &row.stack_pointer;
        case dwarf_return:
            return &row.return_address;
        default:
            return nullptr;
        }
    }

    void set(std::uint64_t number, const recovery& how) {
        if (recovery* const there = place(row_, number); there != nullptr) {
            *there = how;
        }
    }

    void restore(std::uint64_t number) {
        if (const recovery* const there = place(initial_, number); there != nullptr) {
            set(number, *there);
        }
    }

    /// Compilers nest one or two.
    static constexpr unsigned most_remembered = 6;

    const frame_entry& entry_;
    unwind_row& row_;
    std::uintptr_t limit_;
    std::uintptr_t location_;
    unsigned remembered_ = 0;
    unwind_row initial_;
    unwind_row memory_[most_remembered];
};

} // namespace

bool find_row(const frame_entry& entry, std::uintptr_t return_address, unwind_row& row) noexcept {
    row = {};
    return program_runner{entry, return_address, row}.run();
}

rule to_rule(const frame_entry& entry, const unwind_row& row) noexcept {
    if (entry.signal_frame || row.return_address.from == base::undefined) {
        return rule{rule_kind::end};
    }
    const recovery& cfa = row.cfa;
    const recovery& saved = row.frame_pointer;
    const bool by_stack = cfa.from == base::stack_pointer;
    // The stack pointer of a caller is its CFA, and the return address lies below it.
    if (entry.return_column != dwarf_return || row.stack_pointer.from != base::unchanged ||
        row.return_address != recovery{base::cfa, true, -8} || cfa.from <= base::unknown ||
        (cfa.is_in_memory && by_stack)) {
        return rule{rule_kind::cut};
    }
    const rule_kind kind = by_stack           ? rule_kind::stack_pointer
                           : cfa.is_in_memory ? rule_kind::saved_by_frame
                                              : rule_kind::frame_pointer;
    if (saved.from == base::unchanged || saved.from == base::undefined) { // libgcc makes no difference either
        return rule::make(kind, cfa.offset, saved_rbp::unchanged, 0);
    }
    if (!saved.is_in_memory || saved.from == base::unknown || saved.from == base::stack_pointer) {
        return rule{rule_kind::cut};
    }
    return rule::make(kind, cfa.offset,
                      saved.from == base::cfa ? saved_rbp::below_cfa : saved_rbp::by_frame_pointer,
                      saved.offset);
}

rule compile_rule(std::uintptr_t return_address) noexcept {
    frame_entry entry;
    dl_find_object file;
    // The call is the instruction before; behind a function's last call another function begins.
    const std::uintptr_t call = return_address - 1;
    if (!preload::find_loaded(call, file) || file.dlfo_eh_frame == nullptr ||
        !find_entry_in(static_cast<const unsigned char*>(file.dlfo_eh_frame), call, entry)) {
        return rule{rule_kind::end};
    }
    unwind_row row;
    return find_row(entry, return_address, row) ? to_rule(entry, row) : rule{rule_kind::cut};
}

} // namespace linn::tool::unwind
