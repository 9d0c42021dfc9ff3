// SPDX-License-Identifier: Apache-2.0
#include "run_contenders.hpp"

#include "../allocators/catalogue.hpp"
#include "run_checks.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>

#include <algorithm>
#include <filesystem>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;

/// By its bare name, so that it is the one that the program has already, where it has one.
constexpr const char* cxx_runtime = "libstdc++.so.6";

bool contains(const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
}

std::string glibc_title() {
    return fmt::format("glibc {}", ::gnu_get_libc_version());
}

/// The C library of this process, which is the system's.
fs::path c_library() {
    Dl_info info{};
    if (::dladdr(reinterpret_cast<const void*>(&::gnu_get_libc_version), &info) == 0)
        return {};
    std::error_code error;
    return fs::canonical(info.dli_fname, error);
}

/// Whether `operator new` is that of the program's own allocator, or of a library that is neither this nor the C++
/// runtime; a preloaded C library would leave it there, where a runtime before it calls the C library's malloc.
bool has_foreign_new(const target& what) {
    const process_proof* const proof = main_proof(what.first);
    if (proof == nullptr)
        return false;
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

std::string reason_of(const allocator_entry& e) {
    if (e.state == library_state::missing)
        return e.how_to_get.empty() ? "not found" : fmt::format("not found; {}", e.how_to_get);
    if (e.state == library_state::known_bad)
        return fmt::format("known bad: {}; --only {} measures it all the same", e.remark, e.name);
    return fmt::format("{}{}{}", to_string(e.state), e.remark.empty() ? "" : ": ", e.remark);
}

} // namespace

std::vector<std::string> run_contender_names(const user_allocators& extra) {
    std::vector<std::string> names = allocator_names(extra);
    for (const char* own : {run_glibc_name, run_no_trim_name})
        if (!contains(names, own))
            names.emplace_back(own);
    return names;
}

std::vector<run_contender> choose_contenders(const run_options& options, const target& what,
                                             const std::vector<allocator_entry>& inventory,
                                             std::vector<run_left_out>& left_out) {
    std::vector<run_contender> list{default_contender(what, default_name),
                                    default_contender(what, default_again_name)};
    const std::vector<std::string> only = resolve_names(options.only, options.allocators);
    const auto wanted = [&](const std::string& name) { return only.empty() || contains(only, name); };
    if (is_c_library(what.own_provider)) {
        if (wanted(run_no_trim_name)) {
            run_contender& c = list.emplace_back();
            c.name = run_no_trim_name;
            c.title = "glibc, no trim";
            c.version = ::gnu_get_libc_version();
            c.environment = glibc_keeps_heap();
            c.notes = {fmt::format("keeps its heap: {} {}", c.environment[0], c.environment[1])};
        }
    } else if (wanted(run_glibc_name)) {
        run_contender& c = list.emplace_back();
        c.name = run_glibc_name;
        c.title = glibc_title();
        c.version = ::gnu_get_libc_version();
        c.library = c_library();
        if (has_foreign_new(what)) {
            c.runtime = cxx_runtime;
            c.notes = {fmt::format("with {} before it, for its operator new", cxx_runtime)};
        }
    }
    if (is_c_library(what.own_provider) && contains(only, run_glibc_name))
        left_out.push_back({run_glibc_name, "the program runs on it anyway, and 'default' measures that"});
    if (!is_c_library(what.own_provider) && contains(only, run_no_trim_name))
        left_out.push_back({run_no_trim_name, "these are settings of glibc, and the program brings " +
                                                  fs::path{what.own_provider}.filename().string()});
    for (const allocator_entry& e : inventory) {
        if (e.library.empty() && e.state == library_state::usable)
            continue; // the C library, see above
        if (!wanted(e.name))
            continue;
        const bool is_named =
            contains(only, e.name) || std::any_of(options.allocators.begin(), options.allocators.end(),
                                                  [&](const auto& pair) { return pair.first == e.name; });
        if (e.state != library_state::usable && !(e.state == library_state::known_bad && is_named)) {
            left_out.push_back({e.name, reason_of(e)});
            continue;
        }
        run_contender& c = list.emplace_back();
        c.name = e.name;
        c.title = e.version.empty() ? e.title : fmt::format("{} {}", e.title, e.version);
        c.version = e.version;
        c.library = e.library;
        c.environment = e.environment;
        if (!e.remark.empty())
            c.notes = {e.remark};
    }
    return list;
}

} // namespace linn::tool
