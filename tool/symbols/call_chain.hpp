// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "code_module.hpp"
#include "symbolizer.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

using call_chain = std::vector<const known_frame*>; ///< the functions of a stack, innermost first

/// Whether a source file is the standard library's, the system's, Boost's, a package manager's or Linn's own; an empty name
/// is.
bool is_system_file(const std::string& file);

/// Whether only the program has the type: neither built in nor of the standard library, nor a number.
bool is_own_type(std::string_view type);

/// Whether a module is a shared library of the system's.
bool is_system_library(std::string_view module);

/// Notes in a function what the file says that holds its code. Its name and its source are known.
void take_module(known_frame& frame, const std::string& path);

/// The function as a report shows it: with the shared library that it is in, where no line of it is known.
symbol_frame shown_frame(const known_frame& frame);

/// Whether a module is the C or C++ runtime, which works for its callers: libc, libstdc++, the loader.
bool is_runtime_module(std::string_view path);

/// Whether a function is of the C or C++ standard library. One in a header of another library is not.
bool is_standard_code(const known_frame& frame);

/// The class that a function is a member of, readable: "std::vector<int>"; empty: of none.
std::string class_of(const known_frame& frame);

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

/// The frame that a report names as the place: the innermost of the user's own code or of a shared library of another
/// project. The chain's size: there is none.
std::size_t place_of(const call_chain& chain, const allocator_run& run);

/// Fills in who asked for the block: a library or C, and the class template that was given a std::allocator for it.
void name_owner(const call_chain& chain, const allocator_run& run, named_type& type);

/// Whether a language of DWARF (DW_LANG_…) is C or Rust, which have no C++ pools.
bool is_c_language(int language);

/// Blocks by the sizes that they have: "48-byte blocks", "8-32-byte blocks".
std::string blocks_of_sizes(std::uint64_t smallest, std::uint64_t largest);

/// Says whose blocks they are: those of the innermost function, from the frame `from` on, of the user's own code or of
/// another project's shared library. A function without a name is described by the nearest one of its file that called it and
/// has a name, or otherwise by the file. `sizes` are all that were seen.
unnamed_blocks describe_blocks(const call_chain& chain, std::size_t from,
                               const std::vector<std::uint64_t>& sizes);

/// What a block of a type holds for its user: `std::_List_node<T>` is a T of a std::list<T>. All in readable names;
/// `container` is a guess from the node alone.
named_type content_of(const std::string& allocated);

/// Fills in the container of a type from the functions between the allocator and the user's code, which know more than
/// the node: map or multimap, hash and comparison.
void name_container(const call_chain& chain, std::size_t from, named_type& type);

/// What a container's own function allocates, where only its name is known: `std::vector<T>::_M_realloc_insert`.
/// An empty type: it is none.
named_type content_of_function(const known_frame& frame);

/// What functions without a scope allocate, by the headers of libstdc++ that they stand in and the element that is
/// constructed behind them.
named_type content_of_headers(const call_chain& chain, std::size_t from, const std::string& element);

} // namespace linn::tool
