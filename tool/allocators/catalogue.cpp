// SPDX-License-Identifier: Apache-2.0
#include "../measure/files.hpp"
#include "allocators.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace linn::tool {

namespace {

namespace fs = std::filesystem;

#if defined(__aarch64__)
constexpr std::string_view scudo_soname = "libclang_rt.scudo_standalone-aarch64.so";
#else
constexpr std::string_view scudo_soname = "libclang_rt.scudo_standalone-x86_64.so";
#endif

constexpr std::string_view hangs_after_fork =
    "a child forked while another thread allocates can hang: give the program a time limit";

// Every general allocator that the tool knows how to find, in the order of reports. One that linn can build has lines in
// install/sources.txt and a function in install/build.sh too.
constexpr known_allocator all_known[]{
    {.name = "glibc", .title = "glibc", .licence = "LGPL-2.1-or-later", .package = "libc6"},
    {.name = "jemalloc",
     .title = "jemalloc",
     .licence = "BSD-2-Clause",
     .sonames = {"libjemalloc.so.2"},
     .package = "libjemalloc2",
     .can_install = true},
    {.name = "mimalloc2",
     .title = "mimalloc 2",
     .licence = "MIT",
     .sonames = {"libmimalloc.so.2"}, // a package's may be 2.0.9, which returns misaligned memory
     .can_install = true},
    {.name = "mimalloc3",
     .title = "mimalloc 3",
     .licence = "MIT",
     .sonames = {"libmimalloc.so.3"},
     .can_install = true},
    {.name = "tcmalloc",
     .title = "tcmalloc (gperftools)",
     .licence = "BSD-3-Clause",
     .sonames = {"libtcmalloc_minimal.so.4", "libtcmalloc.so.4"},
     .package = "libtcmalloc-minimal4"},
    {.name = "tcmalloc-google",
     .title = "tcmalloc (Google)",
     .licence = "Apache-2.0",
     .can_install = true,
     // The C library registers restartable sequences first, and there can be one owner.
     .environment = "GLIBC_TUNABLES=glibc.pthread.rseq=0",
     .remark = hangs_after_fork},
    {.name = "snmalloc",
     .title = "snmalloc",
     .licence = "MIT",
     .sonames = {"libsnmallocshim.so"},
     .can_install = true},
    {.name = "rpmalloc",
     .title = "rpmalloc",
     .licence = "MIT OR Unlicense",
     .sonames = {"librpmalloc.so"},
     .can_install = true},
    {.name = "tbb",
     .title = "TBB",
     .licence = "Apache-2.0",
     // The proxy replaces malloc and operator new; libtbbmalloc.so itself only offers functions of its own.
     .sonames = {"libtbbmalloc_proxy.so.2"},
     .package = "libtbbmalloc2",
     .remark = hangs_after_fork},
    {.name = "hoard",
     .title = "Hoard",
     .licence = "Apache-2.0",
     .sonames = {"libhoard.so"},
     .can_install = true,
     .remark = hangs_after_fork},
    {.name = "bmalloc",
     .title = "bmalloc",
     .licence = "BSD-2-Clause",
     // What a preload needs besides our own library, which forwards to it: newest interface first.
     .sonames = {"libjavascriptcoregtk-6.0.so.1", "libjavascriptcoregtk-4.1.so.0",
                 "libjavascriptcoregtk-4.0.so.18"},
     .package = "libjavascriptcoregtk-4.1-0",
     .remark = "reached through a library of Linn's that forwards to WebKit's, a few ns slower than linked "
               "in; starts a thread of its own; a child forked while another thread allocates can hang: give "
               "the program a time limit"},
    {.name = "scudo",
     .title = "scudo",
     .licence = "Apache-2.0 WITH LLVM-exception",
     .sonames = {scudo_soname},
     .package = "libclang-rt-19-dev",
     .remark = "hardened: it trades speed for checks"},
};

/// The names of the catalogue that `name` stands for: itself, or several.
std::vector<std::string> names_meant_by(const std::string& name) {
    if (name == "mimalloc") {
        return {"mimalloc2", "mimalloc3"};
    }
    return {name == "ptmalloc" ? "glibc" : name};
}

} // namespace

std::span<const known_allocator> known_allocators() noexcept {
    return all_known;
}

const known_allocator* find_known_allocator(std::string_view name) noexcept {
    const auto found = std::ranges::find(all_known, name, &known_allocator::name);
    return found == std::end(all_known) ? nullptr : found;
}

std::vector<std::string> allocator_names(const user_allocators& extra) {
    std::vector<std::string> names;
    for (const known_allocator& a : known_allocators()) {
        names.emplace_back(a.name);
    }
    for (const auto& [name, path] : extra) {
        if (!contains(names, name)) {
            names.push_back(name);
        }
    }
    for (const char* const alias : {"mimalloc", "ptmalloc"}) {
        if (!contains(names, alias)) {
            names.emplace_back(alias);
        }
    }
    return names;
}

std::vector<std::string> resolve_names(const std::vector<std::string>& names, const user_allocators& extra) {
    std::vector<std::string> list;
    for (const std::string& name : names) {
        const bool is_given =
            std::ranges::find(extra, name, &user_allocators::value_type::first) != extra.end();
        for (const std::string& meant : is_given ? std::vector{name} : names_meant_by(name)) {
            if (!contains(list, meant)) {
                list.push_back(meant);
            }
        }
    }
    return list;
}

user_allocators libraries_of(const std::vector<std::string>& texts,
                             const std::vector<std::string>& reserved) {
    user_allocators list;
    for (const std::string& text : texts) {
        const std::size_t sign = text.find('=');
        if (sign == std::string::npos || sign == 0 || sign + 1 == text.size()) {
            throw wrong_arguments{fmt::format("--allocator must be NAME=PATH, not '{}'", text)};
        }
        const std::string name = text.substr(0, sign);
        if (name.find_first_of(", \t\n") != std::string::npos) {
            throw wrong_arguments{
                fmt::format("--allocator: a name has no spaces and no commas, not '{}'", name)};
        }
        if (contains(reserved, name)) {
            throw wrong_arguments{
                fmt::format("--allocator cannot replace '{}'; give the library another name", name)};
        }
        if (std::any_of(list.begin(), list.end(), [&](const auto& given) { return given.first == name; })) {
            throw wrong_arguments{
                fmt::format("--allocator names two libraries '{}'; give one of them another name", name)};
        }
        list.emplace_back(name, text.substr(sign + 1));
    }
    return list;
}

fs::path cache_folder() {
    // The specification of XDG_CACHE_HOME says to ignore a relative path.
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
        return fs::path{cache} / "linn" / "allocators";
    }
    if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
        return fs::path{home} / ".cache" / "linn" / "allocators";
    }
    return {};
}

std::string upstream_version(const std::string& version) {
    const std::size_t epoch = version.find(':');
    const std::string text = epoch == std::string::npos ? version : version.substr(epoch + 1);
    return text.substr(0, text.find_first_of("-+~ "));
}

std::string provider_proof::file_of(const std::string& function) const {
    const auto found = files.find(function);
    return found == files.end() ? std::string{} : found->second;
}

std::string provider_proof::told(const std::string& function) const {
    const std::string file = file_of(function);
    return fmt::format("{} is provided by {}", function, file.empty() ? "no file" : file);
}

bool is_same_file(const std::string& a, const std::string& b) {
    std::error_code error;
    return a == b || (fs::equivalent(a, b, error) && !error);
}

bool is_c_library(const std::string& file) {
    const std::string name = fs::path{file}.filename().string();
    return name.starts_with("libc.so") || name.starts_with("libc-") || name.starts_with("ld-musl");
}

bool is_cxx_runtime(const std::string& file) {
    const std::string name = fs::path{file}.filename().string();
    return name.starts_with("libstdc++.so") || name.starts_with("libc++.so") ||
           name.starts_with("libc++abi.so");
}

std::string refute(const provider_proof& proof, const fs::path& library, const fs::path& executable) {
    const bool is_preloaded = !library.empty();
    const auto refused = [&](const std::string& facts, const char* otherwise) {
        return is_preloaded ? "the preload did not take effect: " + facts : facts + otherwise;
    };
    for (const char* function : {"malloc", "free"}) {
        const std::string file = proof.file_of(function);
        if (is_preloaded ? !is_same_file(file, library.string()) : !is_c_library(file)) {
            return refused(proof.told(function), ", not by the C library");
        }
    }
    if (is_preloaded && !proof.preload_mapped) {
        return refused(library.string() + " is not mapped", "");
    }
    for (const char* function : {"operator new", "operator delete", "sized operator delete"}) {
        const std::string file = proof.file_of(function); // a program in C has none
        const bool is_its_own = is_preloaded && (file.empty() || is_same_file(file, library.string()) ||
                                                 file == executable.string());
        if (!is_its_own && !is_cxx_runtime(file)) {
            return refused(proof.told(function), ", not by the C++ runtime");
        }
    }
    const std::string new_file = proof.file_of("operator new");
    const std::string delete_file = proof.file_of("operator delete");
    return !is_preloaded || new_file.empty() || delete_file.empty() || is_same_file(new_file, delete_file)
               ? std::string{}
               : refused(proof.told("operator new") + ", " + proof.told("operator delete"), "");
}

std::string loader_complaint(const std::string& standard_error) {
    const std::size_t start = standard_error.find("ld.so: ");
    if (start == std::string::npos) {
        return {};
    }
    return standard_error.substr(start, standard_error.find('\n', start) - start);
}

namespace {

constexpr std::chrono::seconds longest_step{3600};

/// What build.sh did; `problem` is empty where it ended well.
child_result run_script(std::vector<std::string> arguments, const interrupt_guard& guard,
                        const std::function<void()>& tick, std::string& problem) {
    std::error_code error;
    arguments.insert(arguments.begin(), {"/bin/bash", companion("allocator-install/build.sh").string()});
    const std::string self = "LINN_TOOL=" + fs::read_symlink("/proc/self/exe", error).string();
    const child_result child = run_child(arguments, child_environment({}, {self}), longest_step, guard, tick);
    if (child.how != child_result::ending::exited || (child.code != 0 && child.err.empty())) {
        problem = describe_ending(child, longest_step);
    } else if (child.code != 0) {
        problem = child.err.substr(0, child.err.find_last_not_of('\n') + 1);
    }
    return child;
}

} // namespace

std::vector<std::string> installable_names() {
    std::vector<std::string> names;
    for (const known_allocator& a : known_allocators()) {
        if (a.can_install) {
            names.emplace_back(a.name);
        }
    }
    return names;
}

void refuse_impossible_installation(const std::vector<std::string>& names, const interrupt_guard& guard) {
    if (cache_folder().empty()) {
        throw std::runtime_error{"there is no folder to install to: set HOME or XDG_CACHE_HOME"};
    }
    std::vector<std::string> arguments{"needs"};
    arguments.insert(arguments.end(), names.begin(), names.end());
    std::string problem;
    std::istringstream in{run_script(arguments, guard, [] {}, problem).out};
    std::vector<std::string> packages;
    for (std::string package; in >> package;) {
        packages.push_back(package);
    }
    if (!packages.empty()) {
        problem = fmt::format("building needs programs that are missing; get them with: apt-get install {}",
                              fmt::join(packages, " "));
    }
    if (!problem.empty() && interrupt_guard::pending() == 0) {
        throw std::runtime_error{problem};
    }
}

install_outcome install_allocator(const std::string& name, const interrupt_guard& guard,
                                  const std::function<void()>& tick) {
    const fs::path work = cache_folder() / fmt::format(".building-{}", ::getpid());
    install_outcome outcome;
    const child_result child = run_script({"install", work.string(), name}, guard, tick, outcome.problem);
    outcome.is_interrupted = child.how == child_result::ending::interrupted;
    outcome.version = child.out.substr(0, child.out.find('\n'));
    std::error_code error;
    fs::remove_all(work, error); // also where the script was killed
    return outcome;
}

} // namespace linn::tool
