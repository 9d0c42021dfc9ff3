// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace linn::tool {

// A plan as the preloaded library has it. docs/reference/plan.md is the format that people write; the tool compiles it,
// because the library reads it before any allocator works.

inline constexpr std::size_t most_planned_modules = 256;
inline constexpr std::size_t most_planned_pools = 62;
inline constexpr std::size_t most_planned_sites = 4096;
inline constexpr std::uint32_t largest_planned_size = 1008;
inline constexpr std::uint32_t largest_stack_offset = 1024;
inline constexpr std::size_t least_code_bytes = 8;
inline constexpr std::size_t most_code_bytes = 16;
inline constexpr std::size_t most_build_id_bytes = 64;
inline constexpr std::uint64_t largest_call_offset = std::uint64_t{1} << 46;

// A compiled plan is a file of these structures, as this machine stores them: the header, the sites, the modules, the pools, and
// the letters of all names. None has padding, so equal plans are equal bytes.

/// A name: a part of the letters.
struct planned_text {
    std::uint32_t at;
    std::uint32_t length;
};

struct planned_module {
    planned_text name;
    unsigned char build_id[most_build_id_bytes];
    std::uint8_t build_id_bytes; ///< 0: known by its name
    std::uint8_t unused[3];
};

struct planned_pool {
    planned_text name;
    std::uint16_t align;
    std::uint16_t room;            ///< for blocks that grow; 0: no more than its sites ask for
    std::uint16_t object_bytes;    ///< the largest size of its sites, and `room` at least; 0: it has none
    std::uint8_t is_padded;        ///< not 0
    std::uint8_t wants_huge_pages; ///< not 0
};

/// A return address.
struct planned_call {
    std::uint64_t offset;
    std::uint16_t module;
    std::uint8_t code_bytes; ///< 0: not compared
    std::uint8_t unused[5];
    unsigned char code[most_code_bytes];
};

struct planned_site {
    planned_call call;
    planned_call caller;
    std::uint16_t size;
    std::uint16_t stack;
    std::uint8_t pool;
    std::uint8_t is_behind; ///< not 0: `call` is a wrapper's, and `caller` its caller
    std::uint8_t unused[2];
};

struct plan_header {
    char magic[24] = "linn compiled plan 5\n";
    std::uint64_t max_bytes = 0; ///< 0: no limit
    std::uint16_t has_children = 1;
    std::uint16_t serves_every_call = 0; ///< not 0
    std::uint32_t site_count = 0;
    std::uint32_t module_count = 0;
    std::uint32_t pool_count = 0;
    std::uint64_t letter_count = 0;
};
static_assert(std::has_unique_object_representations_v<planned_module> &&
              std::has_unique_object_representations_v<planned_pool> &&
              std::has_unique_object_representations_v<planned_site> && sizeof(planned_site) % 8 == 0 &&
              std::has_unique_object_representations_v<plan_header> && sizeof(plan_header) % 8 == 0);

/// A compiled plan in memory.
struct plan_tables : plan_header {
    const planned_site* sites = nullptr;
    const planned_module* modules = nullptr;
    const planned_pool* pools = nullptr;
    const char* letters = nullptr;

    std::string_view text(const planned_text& name) const noexcept {
        return {letters + name.at, name.length};
    }
};

/// Whether a file is a compiled plan, of any version.
bool is_compiled_plan(std::string_view bytes) noexcept;

/// Reads a compiled plan. `into` refers to `bytes`. @returns false when it is none, or damaged: `into` is not to be used
/// @pre `bytes` begin at a multiple of 8 @complexity linear; no allocation, no call of the system
bool read_compiled_plan(std::string_view bytes, plan_tables& into) noexcept;

/// Of "USR2", "SIGUSR2" or "12", as LINN_POOLS_SIGNAL may say; 0: it is no signal.
int number_of_signal(const char* name) noexcept;

} // namespace linn::tool
