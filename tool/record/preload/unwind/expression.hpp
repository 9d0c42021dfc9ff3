// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cfi.hpp"
#include "stack_memory.hpp"

#include <cstdint>

namespace linn::tool::unwind {

/// What the registers of one frame hold.
struct register_file {
    std::uintptr_t value[dwarf_registers] = {};
    std::uintptr_t pc = 0;
    bool interrupted = false; ///< pc is that of an instruction, not the one behind a call
};

/// Reads a word if it can be read.
bool load_word(readable_pages& memory, std::uintptr_t address, std::uintptr_t& value) noexcept;

/// Evaluates a DWARF expression. `cfa` is what lies on its stack at first, if not null. False if it cannot be done.
bool evaluate(dwarf_reader code, const register_file& registers, readable_pages& memory,
              const std::uintptr_t* cfa, std::uintptr_t& result) noexcept;

} // namespace linn::tool::unwind
