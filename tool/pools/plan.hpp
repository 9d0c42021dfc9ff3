// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/files.hpp"
#include "../program/executable.hpp"
#include "compiled_plan.hpp"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace linn::tool {

// A plan as the tool makes and changes it; docs/reference/plan.md is the format.

struct plan_module {
    std::string name;
    std::vector<unsigned char> build_id; ///< empty: the file has none

    friend bool operator==(const plan_module&, const plan_module&) = default;
};

struct plan_pool {
    std::string name;
    unsigned align = 16;
    bool is_padded = false;
    bool wants_huge_pages = false;
    unsigned room = 0; ///< what a slot holds at least: blocks that realloc lets grow stay where they are
    std::string note = {};
    std::uint64_t peak_live = 0; ///< objects at once, as far as known where it is planned; not in a file

    friend bool operator==(const plan_pool&, const plan_pool&) = default;
};

/// A return address: `offset` as nm and addr2line count.
struct plan_call {
    std::string module;
    std::uint64_t offset = 0;
    std::vector<unsigned char> code = {}; ///< what is before it; may be empty

    friend bool operator==(const plan_call&, const plan_call&) = default;
};

struct plan_site {
    std::string pool;
    unsigned size = 0;
    unsigned align = 16;
    plan_call call = {};                  ///< of the allocation function
    unsigned stack = 0;                   ///< with `caller`: where its return address lies
    std::optional<plan_call> caller = {}; ///< of the wrapper that `call` lies in
    std::string note = {};

    friend bool operator==(const plan_site&, const plan_site&) = default;
};

struct pool_plan {
    std::string program = {};
    std::string note = {};
    std::uint64_t max_bytes = 0; ///< 0: no limit
    bool has_children = true;
    bool serves_every_call = false; ///< of the sizes of the sites, by a pool for each size
    std::vector<plan_module> modules = {};
    std::vector<plan_pool> pools = {};
    std::vector<plan_site> sites = {};

    friend bool operator==(const pool_plan&, const pool_plan&) = default;
};

/// Reads the text of a plan. @throws toml_problem
pool_plan read_plan(std::string_view text);

/// Reads a plan. @throws unusable_input
pool_plan read_plan_file(const std::filesystem::path& file);

/// The form in which the preloaded library reads it. @pre as of plan_text()
std::string compiled_plan(const pool_plan& plan);

/// The text of a plan, for write_atomically(). @pre its names refer to each other, and its limits hold: otherwise read_plan_file refuses the text
std::string plan_text(const pool_plan& plan);

/// "libgmp.so.10+0xc919".
std::string address_of(const plan_call& call);

/// What a plan says of a program or shared library: file name and build id. Empty when it is not an ELF file.
std::optional<plan_module> plan_module_of(const std::filesystem::path& file);

/// A return address in `file`, with the code before it. Empty when that is not code of the file.
std::optional<plan_call> plan_call_of(const std::filesystem::path& file, std::uint64_t offset);

/// For `plan_site::stack`: how far above the stack pointer of the call that returns to `offset` the return address of the
/// calling function lies, by its call frame information. Empty when that is not a constant of the code within the limits.
std::optional<unsigned> stack_offset_of(const std::filesystem::path& file, std::uint64_t offset);

/// The bytes of a compiled plan. `header` needs no counts.
inline std::string compiled_bytes(plan_header header, std::span<const planned_site> sites,
                                  std::span<const planned_module> modules,
                                  std::span<const planned_pool> pools, std::string_view letters) {
    header.site_count = static_cast<std::uint32_t>(sites.size());
    header.module_count = static_cast<std::uint32_t>(modules.size());
    header.pool_count = static_cast<std::uint32_t>(pools.size());
    header.letter_count = letters.size();
    std::string out;
    const auto add = [&out](auto of) {
        out.append(reinterpret_cast<const char*>(of.data()),
                   of.size_bytes()); // any object may be seen as bytes
    };
    add(std::span{&header, 1});
    add(sites);
    add(modules);
    add(pools);
    return out.append(letters);
}

/// What the preloaded library is told through the environment; docs/reference/plan.md.
struct pool_settings {
    std::filesystem::path plan;
    std::string mode = "on";               ///< LINN_POOLS
    std::filesystem::path statistics = {}; ///< LINN_POOLS_STATS; may be empty
    std::string signal = {};               ///< LINN_POOLS_SIGNAL; may be empty
    bool counts_hits = false;              ///< LINN_POOLS_COUNT
    bool is_checked = false;               ///< liblinn-try-checked.so
};

/// The variables, as NAME=VALUE, all of them each time: runs in different modes differ in values only. LD_PRELOAD is
/// not among them; pool_library says what to put there.
std::vector<std::string> pool_variables(const pool_settings& settings);

/// The library to preload: next to the tool, or as installed.
std::filesystem::path pool_library(bool is_checked = false);

/// A program that a plan is to serve, and the library that does it.
struct served_program : reached_program {
    std::filesystem::path library;
};

/// Looks `name` up as a shell does, and whether the library reaches it.
served_program find_served_program(const std::string& name, bool is_checked);

/// The compiled form of a plan in a file: next to the plan, or in XDG_RUNTIME_DIR where that cannot be written. It is written only
/// if it is not there yet, and appears whole, since running programs may map it. @throws unusable_input
std::filesystem::path keep_compiled(const std::filesystem::path& plan_file, const pool_plan& plan);

/// Becomes the program. Returns only when that fails: why.
/// @param words what it is called by, and its arguments
std::string become_served(const served_program& program, const std::vector<std::string>& words,
                          const pool_settings& settings);

} // namespace linn::tool
