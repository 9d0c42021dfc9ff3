// SPDX-License-Identifier: Apache-2.0
#include "slow_walker.hpp"

#include "expression.hpp"

namespace linn::tool::unwind {
namespace {

#if defined(__x86_64__)

/// The registers as they are in the function that this is written into; those that a call may destroy stay 0.
[[gnu::always_inline]] inline void read_registers(register_file& into) {
    std::uintptr_t* const to = into.value;
    asm volatile("movq %%rbx, 24(%1)\n\t"
                 "movq %%rbp, 48(%1)\n\t"
                 "movq %%rsp, 56(%1)\n\t"
                 "movq %%r12, 96(%1)\n\t"
                 "movq %%r13, 104(%1)\n\t"
                 "movq %%r14, 112(%1)\n\t"
                 "movq %%r15, 120(%1)\n\t"
                 "leaq 0(%%rip), %0\n\t"
                 : "=&r"(into.pc)
                 : "r"(to)
                 : "memory");
    into.interrupted = true;
}

#else

inline void read_registers(register_file&) {}

#endif

bool find_cfa(const unwind_row& row, const register_file& registers, readable_pages& memory,
              std::uintptr_t& cfa) {
    if (row.cfa_expression != nullptr) {
        return evaluate(expression_at(row.cfa_expression), registers, memory, nullptr, cfa);
    }
    if (row.cfa_register >= dwarf_registers) {
        return false;
    }
    cfa = registers.value[row.cfa_register] + static_cast<std::uintptr_t>(row.cfa_offset);
    return true;
}

bool recover(const unwind_row& row, unsigned number, const register_file& registers, readable_pages& memory,
             std::uintptr_t cfa, std::uintptr_t& value) {
    const auto offset = static_cast<std::uintptr_t>(row.value[number]);
    const auto* const expression = reinterpret_cast<const unsigned char*>(offset);
    std::uintptr_t address = 0;
    switch (row.how[number]) {
    case recovery::unchanged:
    case recovery::undefined:
        // The stack pointer of a caller is the CFA unless something else is said.
        value = number == dwarf_rsp ? cfa : registers.value[number];
        return true;
    case recovery::at_offset:
        return load_word(memory, cfa + offset, value);
    case recovery::is_offset:
        value = cfa + offset;
        return true;
    case recovery::in_register:
        if (offset >= dwarf_registers) {
            return false;
        }
        value = registers.value[offset];
        return true;
    case recovery::at_expression:
        return evaluate(expression_at(expression), registers, memory, &cfa, address) &&
               load_word(memory, address, value);
    case recovery::is_expression:
        return evaluate(expression_at(expression), registers, memory, &cfa, value);
    }
    return false;
}

/// Goes from a frame to its caller; false at the outermost one. `cfa` becomes that of the frame which was left.
bool leave_frame(register_file& registers, readable_pages& memory, std::uintptr_t& cfa) {
    frame_entry entry;
    unwind_row row;
    if (!find_entry(registers.pc - (registers.interrupted ? 0 : 1), entry) ||
        !find_row(entry, registers.pc, registers.interrupted, row) ||
        entry.return_column >= dwarf_registers || !find_cfa(row, registers, memory, cfa)) {
        return false;
    }
    const recovery returns = row.how[entry.return_column];
    if (returns == recovery::undefined || returns == recovery::unchanged) {
        return false;
    }
    register_file caller;
    for (unsigned number = 0; number != dwarf_registers; ++number) {
        if (!recover(row, number, registers, memory, cfa, caller.value[number])) {
            return false;
        }
    }
    caller.pc = caller.value[entry.return_column];
    caller.interrupted = entry.signal_frame;
    registers = caller;
    return registers.pc != 0;
}

} // namespace

unsigned walk_slowly(const frame_start& start, unsigned depth, std::uintptr_t* frames) noexcept {
    // This function, what called it, and the hook.
    constexpr unsigned most_own = 16;
    register_file registers;
    read_registers(registers);
    // A range of its own: a signal's stack may be another one than the thread's.
    std::atomic<std::uint64_t> range{0};
    readable_pages memory{range};
    std::uintptr_t cfa = 0;
    for (unsigned own = 0; cfa != start.stack_pointer || registers.pc != start.return_address; ++own) {
        if (own == most_own || !leave_frame(registers, memory, cfa)) {
            return 0;
        }
    }
    unsigned count = 0;
    frames[count++] = start.return_address;
    while (count != depth && leave_frame(registers, memory, cfa)) {
        frames[count++] = registers.pc + (registers.interrupted ? 1 : 0);
    }
    return count;
}

} // namespace linn::tool::unwind
