// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/process.hpp"

#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// A version that is known to compute something wrong.
struct known_defect {
    std::string_view version; ///< as the library or its package says it, whole or up to a '.', '-' or '+'
    std::string_view what;    ///< what it does wrong
};

/// A general-purpose allocator that the tool knows how to find: a row of the table in the source file.
struct known_allocator {
    std::string_view name;                        ///< stable: options and JSON use it
    std::string_view title;                       ///< "tcmalloc (Google)"
    std::string_view licence;                     ///< SPDX
    std::array<std::string_view, 3> sonames = {}; ///< in order of preference; the others are empty
    std::string_view package = {};     ///< the Debian and Ubuntu package that carries it; empty: none does
    bool can_install = false;          ///< `linn allocators --install` knows how to build it
    std::string_view environment = {}; ///< NAME=value that its processes need; empty: none
    std::string_view remark = {};      ///< what a reader of its figures must know
    known_defect defect = {};          ///< of one version, or none
};

/// Every general allocator looked for, in the order in which reports name them; the C library is the first.
std::span<const known_allocator> known_allocators() noexcept;

/// The entry of that name, or null.
const known_allocator* find_known_allocator(std::string_view name) noexcept;

/// The names of the catalogue that `name` stands for: itself, or several for "mimalloc", one for "ptmalloc"; empty when
/// the catalogue knows neither.
std::span<const std::string_view> names_meant_by(std::string_view name) noexcept;

/// The names that stand for others.
std::span<const std::string_view> alias_names() noexcept;

/// A library looked for: its path, or the reason why there is none.
struct found_library {
    std::filesystem::path path;      ///< resolved, empty when not found
    std::string problem;             ///< empty when found
    std::string cached_version = {}; ///< of one that `linn allocators --install` built; empty: it did not
};

/// The directories that the dynamic loader searches, in its order, and those of LLVM's runtime.
std::vector<std::filesystem::path> library_directories();

/// The folder in which `linn allocators --install` builds: $XDG_CACHE_HOME/linn/allocators, by default below ~/.cache.
/// Empty when neither XDG_CACHE_HOME nor HOME is set.
std::filesystem::path cache_folder();

/// The newest built copy of a catalogued allocator in that folder, below NAME/VERSION/.
found_library find_cached(const known_allocator& allocator, const std::filesystem::path& cache);

/// Looks for a catalogued allocator in `directories`; a library of another architecture does not count.
found_library find_library(const known_allocator& allocator,
                           const std::vector<std::filesystem::path>& directories);

/// Checks a path that the user gave.
found_library check_library(const std::filesystem::path& path);

/// Orders versions as people do: 9 before 10, 2.0 before 2.0.1.
bool is_older(const std::string& a, const std::string& b);

/// A package of the system.
struct debian_package {
    std::string name;
    std::string version;
};

/// The package that the file belongs to; without a name where there is none, or no dpkg.
debian_package package_of(const std::filesystem::path& file, const interrupt_guard& guard);

/// "2.0.9+ds-1" as upstream says it: without epoch and Debian's own part.
std::string upstream_version(const std::string& version);

/// Who provides the memory functions of a measured process, as that process itself reported.
struct provider_proof {
    std::map<std::string, std::string> files; ///< function → file; keys "malloc", "free", "operator new" …
    bool preload_mapped = false;

    std::string file_of(const std::string& function) const; ///< that provides it; empty: none does
    std::string told(const std::string& function) const;    ///< "malloc is provided by /usr/lib/libc.so.6"
};

/// True for a file that is the C library.
bool is_c_library(const std::string& file);

/// True for a file that is the C++ library, whose operators call malloc.
bool is_cxx_runtime(const std::string& file);

/// Compares the proof with what was asked. Returns an empty string when the process ran on `library`, under any of its names, otherwise
/// why its figures must not be printed. A library may leave operator new and delete to the C++ runtime, and `executable` may bring
/// its own: both call malloc. An empty library means the system's C library and C++ runtime, with nothing preloaded.
std::string refute(const provider_proof& proof, const std::filesystem::path& library,
                   const std::filesystem::path& executable = {});

/// The same file under any of its names.
bool is_same_file(const std::string& a, const std::string& b);

/// What the probe program found out about one library.
struct probe_report {
    provider_proof proof;
    std::string version;            ///< as the library tells it; empty: it does not
    unsigned checks = 0;            ///< promises checked
    std::vector<std::string> wrong; ///< promises broken that a correct program may stumble on
    std::vector<std::string> weak;  ///< promises broken that concern rare calls only
    std::string failure; ///< why the probe did not come to its end: signal, time limit, the loader's words
    bool interrupted = false;
};

/// Starts the probe program under `library` (empty: under none) and tries it.
probe_report try_library(const std::filesystem::path& library, const std::vector<std::string>& environment,
                         std::chrono::seconds timeout, const interrupt_guard& guard);

/// What the dynamic loader said about a library that it did not preload; empty when it said nothing.
std::string loader_complaint(const std::string& standard_error);

} // namespace linn::tool
