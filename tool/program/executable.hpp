// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// What a file is, as far as it matters for preloading a library into it.
struct executable_info {
    enum class kind { none, script, program };

    kind what = kind::none;
    std::string why_not;      ///< why it cannot be executed, as behind its name: " is an empty file"
    std::string interpreter;  ///< of a script; of a program its dynamic loader, empty when it is static
    std::string privilege;    ///< "setuid", "setgid", "file capabilities": where the kernel ignores preloads
    std::string sanitizer;    ///< the one it was built with: "AddressSanitizer" …
    std::string private_heap; ///< an allocator compiled in that no preload replaces: "jemalloc" …
    bool is_go = false;
};

/// Reads what the file says; never throws, and believes nothing that lies outside of the file.
executable_info inspect_executable(const std::filesystem::path& file);

/// Where a file has a function or object that it offers to others, from where its first byte is mapped; 0 if it has none, or cannot be
/// read.
std::uint64_t find_in_file(const std::filesystem::path& file, std::string_view name);

/// Looks a program up as a shell does: a name with a slash is a path, another is searched for in `search_path`, which
/// is a value of PATH. Empty when there is none; a file without permission is returned when there is nothing better.
std::filesystem::path find_program(std::string_view name, std::string_view search_path,
                                   const std::filesystem::path& directory = {});

/// A program that the user named, and whether a preloaded library reaches it.
struct reached_program {
    std::filesystem::path file;
    executable_info info;
    std::string problem; ///< why it cannot be executed or reached, and the fix; empty when it can
    /// Of `problem`: there is no such program (exit status 2), rather than one out of reach.
    bool is_usage_error = false;
};

/// Looks `name` up as a shell does, with this process's PATH. `checks_interpreter` is false where a first run shows what a script
/// leads to.
reached_program reach_program(const std::string& name, bool checks_interpreter = true);

/// Why a preloaded library would not reach a program: static, setuid, musl, a sanitizer's build; empty when it would.
std::string why_not_preloadable(const std::filesystem::path& file, const executable_info& info);

} // namespace linn::tool
