// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "code_module.hpp"
#include "symbolizer.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// One function of a stack, inlined ones included.
struct chain_frame {
    const known_frame* known;
    code_module* module;
    std::string_view path; ///< of the module
    std::uint64_t address; ///< of the call, or inside of it
    bool is_system;        ///< not the user's own code
    bool is_physical;      ///< has a stack frame of its own
};

class source_types;

using call_chain = std::vector<chain_frame>; ///< innermost first

/// Whether a source file is the standard library's, the system's, Boost's, a package manager's or Linn's own; an empty name
/// is.
bool is_system_file(const std::string& file);

/// Whether a function stands in the standard library's, the system's or Linn's own files.
bool is_system_code(const known_frame& known, const std::string& module);

/// The function as a report shows it: with the shared library that it is in, where no line of it is known.
symbol_frame shown_frame(const chain_frame& frame);

/// Whether a module is the C or C++ runtime, which works for its callers: libc, libstdc++, the loader.
bool is_runtime_module(std::string_view path);

/// Whether a function is of the C or C++ standard library. One in a header of another library is not.
bool is_standard_code(const chain_frame& frame);

/// The class that a function is a member of, readable: "std::vector<int>"; empty: of none.
std::string class_of(const known_frame& frame);

/// The element type that a function which allocates for a container names: T of `std::allocator<T>::allocate`, of
/// `std::allocator_traits<A<T>>::allocate`, of a user's allocator; empty: it names none.
std::string element_of(const known_frame& frame);

/// Whether a function only hands on a request for memory: `allocate` and the like.
bool hands_on(const known_frame& frame);

/// Whether a function is `operator new` or `operator new[]`, of the program or of a class.
bool is_operator_new(const std::vector<name_part>& function);

/// The part of a stack between the allocator and the code that wanted memory.
struct allocator_run {
    std::size_t begin = 0;          ///< first frame with a name
    std::size_t end = 0;            ///< first one that is not of the allocator
    std::vector<std::size_t> named; ///< those that name an element, innermost first
    std::string arena;              ///< the std::pmr resource that asked for a block of its own; empty: none
    /// An allocation function of the program asked, possibly for more bytes than its caller wants.
    bool is_own = false;
    bool is_new = false; ///< the program's own `operator new` asked
    bool is_array_new = false;
};

/// `is_recorded_new`: the recorded call is `operator new`, not malloc.
allocator_run find_allocator_run(const call_chain& chain, bool is_recorded_new);

/// Which type a site allocates, by the rules of docs/design/types.md. `chain` is the site's stack.
named_type name_type(const allocation_site& site, const call_chain& chain, source_types& sources);

} // namespace linn::tool
