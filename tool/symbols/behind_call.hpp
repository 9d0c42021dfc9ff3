// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "code_module.hpp"

#include <cstdint>
#include <string>

namespace linn::tool {

/// A type that the debug information shows around a call of the allocator.
struct nearby_type {
    std::string type;        ///< readable; empty: nothing was found
    std::uint64_t bytes = 0; ///< 0: the debug information has no sizes (-g1)
    bool is_polymorphic = false;
};

/// What was asked for: one object of this size, or several of which the size is a multiple.
struct wanted_bytes {
    std::uint64_t bytes = 0;
    bool may_be_several = false;

    bool fits(std::uint64_t type_bytes) const noexcept {
        return type_bytes != 0 && (bytes == type_bytes || (may_be_several && bytes % type_bytes == 0));
    }
};

/// Reads what the compiler says of the code behind a call: `after` is the return address.
class behind_call {
public:
    behind_call(code_module& module, std::uint64_t after) : module_(module), after_(after) {}

    /// DW_AT_LLVM_alloc_type of the call itself.
    nearby_type call_site();

    /// A pointer that begins to live within 24 bytes, or, in code that is not optimised, one that is declared on the
    /// call's line, whose pointee fits.
    nearby_type pointer(const wanted_bytes& wanted, unsigned line);

    /// A constructor that was inlined, or is called, within 64 bytes (96 for a called one), whose class fits. Where there
    /// are no sizes the nearest of the outermost ones.
    nearby_type constructor(const wanted_bytes& wanted);

    /// The type of the element that a container constructs behind the call, where that was inlined; empty: none.
    std::string constructed_element();

private:
    nearby_type called_constructor(const wanted_bytes& wanted);

    code_module& module_;
    std::uint64_t after_;
};

} // namespace linn::tool
