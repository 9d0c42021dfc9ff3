// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace linn::tool {

/// The lines of a source file; nothing where it cannot be read, is no regular file, or has more than 4 MiB, which no person wrote.
std::optional<std::vector<std::string>> read_source(const std::string& file);

/// The type that a line of source allocates: of `new T`, `make_unique<T>`, `malloc(n * sizeof(T))`.
struct source_type {
    std::string type; ///< as written; empty: none found
    bool is_array = false;
};

/// Reads the program's source where it is still there. Files are read once.
class source_types {
public:
    source_type type_at(const std::string& file, unsigned line, unsigned column);

private:
    std::unordered_map<std::string, std::vector<std::string>> files_;
};

/// Likewise for one line; `column` counts from 1, 0 is not known.
source_type type_in_line(const std::string& line, unsigned column);

/// One function on a stack; several for one address where functions were inlined.
struct symbol_frame {
    std::string function; ///< demangled, with template arguments; empty: not known
    std::string file;     ///< as the debug information names it, joined with its directory; empty: not known
    unsigned line = 0;
    unsigned column = 0;
    bool is_inlined = false; ///< into the next frame of the same address
    /// "libxml2.so.2": the file that holds its code, without folders; empty: none does, or it is not known.
    std::string module = {};
    bool is_own = false;     ///< the module is none of the system's libraries
    bool is_foreign = false; ///< it is in another project's shared library

    /// The file of the source without folders.
    std::string file_name() const { return file.substr(file.rfind('/') + 1); }
    /// That library's name; empty: it is in none.
    std::string library() const { return is_foreign ? module : std::string{}; }
};

/// What is known of a module's symbols.
struct module_symbols {
    enum class level : std::uint8_t { none, symbols, lines, full };

    level known = level::none;
    std::string problem; ///< such as: the file was replaced since the recording (build ids differ)
};

/// Where to look for debug information besides the module itself.
struct symbol_options {
    std::vector<std::string> debug_folders; ///< looked at before /usr/lib/debug
    bool use_debuginfod = false;            ///< ask the servers in DEBUGINFOD_URLS
};

/// One address of one module, to be named.
struct code_site {
    std::string module;        ///< path
    std::string build_id;      ///< hexadecimal, as recorded; empty: not checked
    std::uint64_t address = 0; ///< inside the call: the return address minus one
};

/// Which rule named a type, best first.
enum class type_rule : std::uint8_t {
    allocator,   ///< the outermost allocator frame
    maker,       ///< make_unique, make_shared, std::function
    pointer,     ///< a variable that begins behind the call, whose pointee has the recorded size
    constructor, ///< one inlined or called behind the call, whose class has the recorded size
    symbol,      ///< a template's name out of the symbol table
    rtti,        ///< the type in the block itself
    source,      ///< the source text
    none,        ///< none did: "40-byte blocks of f"
};

const char* to_string(type_rule rule) noexcept;

/// Where a type is declared, as the debug information has it.
struct type_declaration {
    std::string file; ///< empty: not known
    unsigned line = 0;
    bool is_c = false;
    bool is_aggregate = false; ///< may be: it has neither constructors nor virtual functions of its own
    /// linn::pooled does not serve it: a union, an enumeration, or a class with an operator new of its own.
    bool is_closed = false;
};

/// Blocks whose type nothing names, as a person can say it. All is empty where a type is known.
struct unnamed_blocks {
    std::string what;    ///< "48-byte blocks", "8-32-byte blocks"
    std::string where;   ///< "of Parser::parse", "under jsonnet_vm_execute", "of app"
    std::string address; ///< of the call: "app+0x5ccca"; empty: the stack is not known

    /// "48-byte blocks of Parser::parse"; "48-byte blocks #2 of Parser::parse" with a number that is not 0.
    std::string text(std::size_t number = 0) const;
};

/// What one site allocates.
struct named_type {
    std::string type; ///< the element, such as "Particle"; for a node, what the user stores; never empty
    /// What the block really holds, such as "std::_List_node<Particle>"; empty: as `type`.
    std::string allocated;
    /// "std::list<Particle>", "std::shared_ptr<Packet>", "std::string", "std::function"; empty: none.
    std::string container;
    type_rule rule = type_rule::none;
    std::uint64_t type_bytes = 0; ///< sizeof of `allocated` where debug information has it; 0: not known
    bool is_array = false;        ///< a block of several: vector's, string's, new T[n]
    /// The innermost frame in the user's own code, or in another project's shared library; where nothing is known of that one,
    /// the innermost of all.
    symbol_frame place;
    /// What asked for it stands in a library's header or file, which the user does not change.
    bool is_library = false;
    bool is_c = false; ///< what asked for it is C, or Rust
    /// The class template that was given a std::allocator for it, with all its arguments; empty: none is known.
    std::string takes_allocator;
    type_declaration declared;        ///< of `type`
    unnamed_blocks blocks;            ///< where no rule named the type; `type` is their text then
    std::vector<symbol_frame> frames; ///< of the whole stack, innermost first
};

/// The allocations of one stack, to be named.
struct allocation_site {
    std::vector<code_site> stack;     ///< innermost first: [0] called the allocator
    std::vector<std::uint64_t> sizes; ///< those seen, the most frequent first; at most 8
    std::string rtti;                 ///< mangled; empty: none was found
    bool is_operator_new = false;
    bool is_array_new = false;
};

class code_module;

/// Turns addresses into functions, lines and types. Not thread-safe.
class symbolizer {
public:
    explicit symbolizer(symbol_options options = {});
    symbolizer(const symbolizer&) = delete;
    symbolizer& operator=(const symbolizer&) = delete;
    ~symbolizer();

    /// The frames at an address, innermost first; one without a name at least.
    std::vector<symbol_frame> frames(const code_site& site);

    /// Which C++ type a site allocates, by the ladder of docs/design/types.md.
    named_type name(const allocation_site& site);

    /// What is known of a module.
    module_symbols about(const std::string& module, const std::string& build_id);

private:
    code_module& module_of(const std::string& path, const std::string& build_id);

    symbol_options options_;
    std::unordered_map<std::string, std::unique_ptr<code_module>> modules_; ///< by path and build id
    source_types sources_;
};

} // namespace linn::tool
