// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dwarf_reader.hpp"

#include <cstdint>

namespace linn::tool::unwind {

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
    bool signal_frame = false;
};

/// Whether frame entries can be found at all: glibc 2.35 has the lookup that takes no lock.
bool can_find_entries() noexcept;

/// The entry of the function that `pc` lies in; false where the loaded files have none. Lock-free.
bool find_entry(std::uintptr_t pc, frame_entry& into) noexcept;

/// The same in one file, given its .eh_frame_hdr.
bool find_entry_in(const unsigned char* header, std::uintptr_t pc, frame_entry& into) noexcept;

} // namespace linn::tool::unwind
