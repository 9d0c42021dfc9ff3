// SPDX-License-Identifier: Apache-2.0
#include "run_contenders.hpp"

#include "run_checks.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;

/// By its bare name, so that it is the one that the program has already, where it has one.
constexpr const char* cxx_runtime = "libstdc++.so.6";

std::string glibc_title() {
    return fmt::format("glibc {}", ::gnu_get_libc_version());
}

/// The C library of this process, which is the system's.
fs::path c_library() {
    Dl_info info{};
    if (::dladdr(reinterpret_cast<const void*>(&::gnu_get_libc_version), &info) == 0) {
        return {};
    }
    std::error_code error;
    return fs::canonical(info.dli_fname, error);
}

/// Whether `operator new` is that of the program's own allocator, or of a library that is neither this nor the C++
/// runtime; a preloaded C library would leave it there, where a runtime before it calls the C library's malloc.
bool has_foreign_new(const target& what) {
    const process_proof* const proof = main_proof(what.first);
    if (proof == nullptr) {
        return false;
    }
    const auto file = proof->files.find("operator new");
    return file != proof->files.end() && !file->second.empty() && !is_cxx_runtime(file->second) &&
           file->second != proof->executable.string();
}

run_contender default_contender(const target& what, const char* name) {
    run_contender c;
    c.name = name;
    const bool is_glibc = is_c_library(what.own_provider);
    const std::string own =
        is_glibc ? glibc_title() : fmt::format("{}, linked", fs::path{what.own_provider}.filename().string());
    c.version = is_glibc ? ::gnu_get_libc_version() : "";
    c.title = fmt::format("{} ({})", c.name == default_name ? "default" : "default again", own);
    return c;
}

/// The C library's allocator, where the program brings another one.
run_contender preloaded_glibc(const target& what) {
    run_contender c;
    c.name = baseline_name;
    c.title = glibc_title();
    c.version = ::gnu_get_libc_version();
    c.library = c_library();
    if (has_foreign_new(what)) {
        c.runtime = cxx_runtime;
        c.notes = {fmt::format("with {} before it, for its operator new", cxx_runtime)};
    }
    return c;
}

} // namespace

std::vector<run_contender> choose_contenders(const run_options& options, const target& what,
                                             const std::vector<allocator_entry>& inventory,
                                             std::vector<left_out_contender>& left_out) {
    std::vector<run_contender> list{default_contender(what, default_name),
                                    default_contender(what, default_again_name)};
    const allocator_choice choice{options.only, options.allocators};
    const bool is_glibc = is_c_library(what.own_provider);
    if (is_glibc && choice.wants(no_trim_name)) {
        list.push_back({glibc_without_trim()});
    }
    if (is_glibc && choice.wants(huge_name) && glibc_has_huge_pages()) {
        list.push_back({glibc_on_huge_pages()});
    }
    if (!is_glibc && choice.wants(baseline_name)) {
        list.push_back(preloaded_glibc(what));
    }
    if (is_glibc && choice.names(baseline_name)) {
        left_out.push_back({baseline_name, "the program runs on it anyway, and 'default' measures that"});
    }
    for (const char* const setting : {no_trim_name, huge_name}) {
        if (!is_glibc && choice.names(setting)) {
            left_out.push_back({setting, "these are settings of glibc, and the program brings " +
                                             fs::path{what.own_provider}.filename().string()});
        }
    }
    if (is_glibc && choice.names(huge_name) && !glibc_has_huge_pages()) {
        left_out.push_back({huge_name, "needs glibc 2.35 or later"});
    }
    for (contender& c : choice.contenders(inventory, left_out)) {
        c.title = title_with_version(c);
        list.push_back({std::move(c)});
    }
    return list;
}

std::size_t rank_of(const run_contender& c, const run_options& options) {
    if (!options.only.empty()) {
        const std::vector<std::string> names = resolve_names(options.only, options.allocators);
        return static_cast<std::size_t>(std::find(names.begin(), names.end(), c.name) - names.begin());
    }
    return c.name.starts_with("mimalloc") ? 0 : c.library.empty() ? 1 : 2;
}

} // namespace linn::tool
