// SPDX-License-Identifier: Apache-2.0
#include "reach.hpp"

#include "../measure/suggest.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;
using kind = executable_info::kind;

/// Why a file cannot be executed at all; empty when it can.
std::string why_not_executable(const std::string& name, const fs::path& file, const executable_info& info) {
    switch (info.what) {
    case kind::missing:
        return fmt::format("{}: no such program", file.empty() ? name : file.string());
    case kind::directory:
        return fmt::format("{} is a directory, not a program", file.string());
    case kind::not_executable:
        return fmt::format("{} is not executable: chmod +x {}, or name its interpreter before it",
                           file.string(), file.string());
    case kind::empty:
        return fmt::format("{} is an empty file", file.string());
    case kind::unknown:
        return fmt::format("{} is neither a program nor a script that begins with #!", file.string());
    case kind::foreign:
        return fmt::format("{} was built for another machine: {}", file.string(), info.architecture);
    case kind::script: {
        std::error_code error;
        if (info.interpreter.empty() || fs::exists(info.interpreter, error)) {
            return {};
        }
        if (info.interpreter.ends_with('\r')) {
            return fmt::format("{}: its first line ends as on Windows, so that its interpreter is not found",
                               file.string());
        }
        return fmt::format("{}: its interpreter {} does not exist", file.string(), info.interpreter);
    }
    case kind::program:
        break;
    }
    return {};
}

/// How a refusal names what was to be loaded.
struct preload_words {
    const char* what;     ///< "no … can be preloaded"
    const char* dynamic;  ///< why to link dynamically
    const char* for_musl; ///< what is built for glibc
    const char* instead;  ///< what to do with a build without a sanitizer
};
preload_words words_for(preload_kind what) {
    switch (what) {
    case preload_kind::recorder:
        return {"recorder", "to record it", "the recorder here is", "record"};
    case preload_kind::pools:
        return {"pools", "to serve it from pools", "the library of pools here is", "use"};
    case preload_kind::allocator:
        break;
    }
    return {"allocator", "to compare allocators", "the allocators here are", "measure"};
}

} // namespace

std::string why_not_preloadable(const fs::path& file, const executable_info& info, preload_kind what) {
    const std::string name = file.string();
    const preload_words words = words_for(what);
    const bool has_own_heap = info.is_go;
    if (info.what == kind::program && info.interpreter.empty()) {
        return fmt::format("{} is statically linked: no {} can be preloaded into it{}", name, words.what,
                           has_own_heap ? " (it is written in Go, whose heap is its own anyway)"
                                        : fmt::format("; link it dynamically {}", words.dynamic));
    }
    if (fs::path{info.interpreter}.filename().string().starts_with("ld-musl")) {
        return fmt::format("{} was built for musl: {} built for glibc", name, words.for_musl);
    }
    if (!info.privilege.empty()) {
        return fmt::format("{} has privileges of its own ({}): the kernel's loader ignores preloads for it",
                           name, info.privilege);
    }
    if (!info.sanitizer.empty()) {
        return fmt::format("{} was built with {}, which provides malloc itself: {} a build without it", name,
                           info.sanitizer, words.instead);
    }
    return {};
}

reached_program reach_program(const std::string& name, preload_kind what) {
    reached_program found;
    const char* const path = std::getenv("PATH");
    const std::string_view search_path = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
    found.file = find_program(name, search_path).lexically_normal();
    found.info = inspect_executable(found.file);
    found.problem = why_not_executable(name, found.file, found.info);
    std::error_code error;
    if (found.info.what == kind::missing && name.find('/') == std::string::npos) {
        found.problem = fmt::format("{}: no such program on PATH", name);
        if (fs::exists(name, error)) {
            found.problem += fmt::format("; for the file in this directory: ./{}", name);
        } else {
            found.problem += did_you_mean(name, program_names(search_path));
        }
    }
    found.is_usage_error = !found.problem.empty();
    if (!found.is_usage_error) {
        found.problem = why_not_preloadable(found.file, found.info, what);
    }
    return found;
}

} // namespace linn::tool
