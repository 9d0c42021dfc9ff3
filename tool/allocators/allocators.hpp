// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/process.hpp"
#include "../measure/suggest.hpp"

#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linn::tool {

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
};

/// Every general allocator looked for, in the order in which reports name them; the C library is the first.
std::span<const known_allocator> known_allocators() noexcept;

/// The entry of that name, or null.
const known_allocator* find_known_allocator(std::string_view name) noexcept;

/// The folder in which `linn allocators --install` builds: $XDG_CACHE_HOME/linn/allocators, by default below ~/.cache.
/// Empty when neither XDG_CACHE_HOME nor HOME is set.
std::filesystem::path cache_folder();

/// The release that a version is of: "2.0.9" of "1:2.0.9+ds-1", "5.3.0" of "5.3.0-0-g54eaed1d".
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

/// What the dynamic loader said about a library that it did not preload; empty when it said nothing.
std::string loader_complaint(const std::string& standard_error);

/// `--allocator NAME=PATH`, in the order given.
using user_allocators = std::vector<std::pair<std::string, std::filesystem::path>>;

/// What is known of a library after trying it.
enum class library_state {
    usable,
    known_bad, ///< it loads, but computes something wrong or is listed as harmful; measured on request only
    broken,    ///< it crashes, hangs, or cannot be loaded
    inert,     ///< it loads, but does not provide malloc
    missing,
};

/// The word that reports use for a state: "usable", "known bad" …
const char* to_string(library_state state) noexcept;

/// One allocator: what it is, where it is, and what proves it.
struct allocator_entry {
    std::string name = {};              ///< stable: options and JSON use it
    std::string title = {};             ///< "jemalloc", "tcmalloc (Google)"
    std::string version = {};           ///< as it or its package says; empty: unknown
    std::string licence = {};           ///< SPDX
    std::filesystem::path library = {}; ///< resolved; empty: the C library itself, or missing
    std::string origin =
        {}; ///< "Debian package libjemalloc2", "built by linn allocators --install", "--allocator"
    library_state state = library_state::missing;
    std::string remark = {};                   ///< what is wrong, or what a reader must know
    std::string how_to_get = {};               ///< the exact command; empty when there is nothing to get
    std::vector<std::string> environment = {}; ///< NAME=value that its processes need
    provider_proof proof = {};
    std::string proven_by = {}; ///< in words: what showed that it serves malloc
};

/// The names that options accept: the catalogue's, those of `extra`, and the ones that stand for several ("mimalloc").
std::vector<std::string> allocator_names(const user_allocators& extra);

/// The names with those that stand for others replaced by what they stand for, each once. A name in `extra` stands for
/// itself.
std::vector<std::string> resolve_names(const std::vector<std::string>& names, const user_allocators& extra);

/// Looks for every allocator, loads each into a small program of ours that tries it, and asks who provides memory.
/// The C library is the first entry. A name in `extra` replaces the catalogue's entry or adds one; `only` (empty: all)
/// restricts the rest, the C library and `extra` included. Ends early, with what is known, when `guard` has a signal
/// pending; `tick` is called with the name of the allocator that is being tried. A library may take `timeout` for its trial.
std::vector<allocator_entry> take_inventory(const user_allocators& extra,
                                            const std::vector<std::string>& only,
                                            const interrupt_guard& guard,
                                            const std::function<void(const std::string&)>& tick,
                                            std::chrono::seconds timeout = std::chrono::seconds{10});

/// Reads what a user gave to `--allocator`, "NAME=PATH" each. A name that is in `reserved` or was given before is refused, and one
/// that the lists of names of other options could not hold. @throws wrong_arguments
user_allocators libraries_of(const std::vector<std::string>& texts, const std::vector<std::string>& reserved);

/// Refuses paths that are no shared libraries. Runs nothing. @throws wrong_arguments
void refuse_wrong_libraries(const user_allocators& given);

/// Tries each library that a user gave to a command. One that fails at work is a result, not a mistake on the command line.
/// @throws wrong_arguments where `only` (empty: all) lacks its name, unusable_input where it does not provide malloc
void try_libraries(const user_allocators& given, const std::vector<std::string>& only,
                   const interrupt_guard& guard);

/// The allocators that can be built, in the catalogue's order.
std::vector<std::string> installable_names();

/// How the installation of one allocator ended.
struct install_outcome {
    std::string version;
    std::string problem; ///< why nothing was installed, with the log's last lines; empty: it is
    bool is_interrupted = false;
};

/// Says what stands in the way of all installations: no cache folder, missing programs with the command to get them. An interrupt
/// is nothing of the kind. @throws std::runtime_error
void refuse_impossible_installation(const std::vector<std::string>& names, const interrupt_guard& guard);

/// Downloads and builds an allocator from the archives that install/sources.txt lists, and puts it into the cache folder once
/// this program finds that it can be used. An earlier copy of the same version is replaced then. Whole archives stay in the folder
/// `downloads`. `tick` is called a few times a second.
install_outcome install_allocator(const std::string& name, const interrupt_guard& guard,
                                  const std::function<void()>& tick);

} // namespace linn::tool
