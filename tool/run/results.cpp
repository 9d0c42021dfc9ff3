// SPDX-License-Identifier: Apache-2.0
#include "../measure/words.hpp"
#include "launch.hpp"
#include "run.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

namespace linn::tool {

std::span<const metric_info> metrics() noexcept {
    using unit = enum metric_info::unit;
    static constexpr std::array<metric_info, 9> list{{
        {"wall_ns", "wall time", unit::nanoseconds, true},
        {"cpu_ns", "CPU time", unit::nanoseconds, true},
        {"user_ns", "user time", unit::nanoseconds, false},
        {"sys_ns", "system time", unit::nanoseconds, false},
        {"peak_rss_bytes", "peak memory", unit::bytes, true},
        {"minor_faults", "minor page faults", unit::count, true},
        {"major_faults", "major page faults", unit::count, false},
        {"voluntary_switches", "voluntary context switches", unit::count, true},
        {"involuntary_switches", "involuntary context switches", unit::count, false},
    }};
    return list;
}

const metric_info& metric_named(std::string_view name) noexcept {
    return *std::ranges::find(metrics(), name, &metric_info::name);
}

std::vector<double> run_row::values(std::string_view metric) const {
    std::vector<double> list;
    for (const run_sample& s : samples) {
        if (const auto found = s.values.find(std::string{metric}); found != s.values.end()) {
            list.push_back(found->second);
        }
    }
    return list;
}

const estimate* run_row::find_estimate(std::string_view metric) const {
    const auto found = estimates.find(std::string{metric});
    return found == estimates.end() ? nullptr : &found->second;
}

const run_row* run_result::find(std::string_view name) const noexcept {
    const auto found =
        std::find_if(rows.begin(), rows.end(), [&](const run_row& r) { return r.contender.name == name; });
    return found == rows.end() ? nullptr : &*found;
}

bool run_contender::is_default() const noexcept {
    return name == default_name;
}

bool run_contender::is_control() const noexcept {
    return name == default_again_name;
}

const char* to_string(verdict v) noexcept {
    return word_of(v, {"better", "worse", "no difference", "not judged"});
}

const char* to_string(stop_reason reason) noexcept {
    return word_of(reason, {"precise", "rounds", "budget", "interrupted", "nothing to compare"});
}

const char* to_string(enum metric_info::unit unit) noexcept {
    return word_of(unit, {"ns", "bytes", "count"});
}

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
    const std::string file = proof->file_of("operator new");
    return !file.empty() && !is_cxx_runtime(file) && file != proof->executable.string();
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
