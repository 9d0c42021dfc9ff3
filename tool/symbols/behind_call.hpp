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
    std::uint64_t most_extra = 0; ///< bytes that an allocation function may have added
    unsigned line = 0;            ///< of the source, on which the object must be made; 0: on any

    bool fits(std::uint64_t type_bytes) const noexcept {
        return type_bytes != 0 && type_bytes <= bytes &&
               (may_be_several ? bytes % type_bytes : bytes - type_bytes) <= most_extra;
    }
    bool are_several(std::uint64_t type_bytes) const noexcept {
        return may_be_several && type_bytes != 0 && bytes / type_bytes > 1;
    }
};

/// Reads what the compiler says of the code behind a call: `after` is the return address.
class behind_call {
public:
    behind_call(code_module& module, std::uint64_t after) : module_(module), after_(after) {}

    /// The function that the call names, without parameters; empty: not known, or the call is indirect.
    std::string callee();

    /// A pointer that begins to live within 24 bytes, or that is `in_frame` and declared on the line of the call, and whose
    /// pointee fits.
    nearby_type pointer(const wanted_bytes& wanted, bool in_frame = false);

    /// The class of a constructor that is inlined within 64 bytes, or called within 96, and that fits.
    nearby_type constructor(const wanted_bytes& wanted);

    /// The type of the element that a container constructs behind the call, where that was inlined; empty: none.
    std::string constructed_element();

private:
    template <class See>
    void each_near(See see);

    code_module& module_;
    std::uint64_t after_;
};

} // namespace linn::tool
