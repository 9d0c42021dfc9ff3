// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace linn::tool::preload {

/// The mangled name of the class of the object that begins at `block`, by its virtual table; the length, 0 if nothing
/// there looks like one. Never faults, even if the block is gone: everything is read by the kernel.
std::size_t read_type_name(std::uintptr_t block, char* name, std::size_t capacity) noexcept;

} // namespace linn::tool::preload
