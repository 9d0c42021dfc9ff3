// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../allocators/allocators.hpp"

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace linn::tool {

// The names that options, JSON and reports share. The baseline of an experiment takes part twice: the difference of
// the two copies is the noise floor.
inline constexpr const char* default_name = "default"; ///< what a program runs on with nothing preloaded
inline constexpr const char* default_again_name = "default-again";
inline constexpr const char* baseline_name = "glibc"; ///< the C library of processes of ours
inline constexpr const char* control_name = "glibc-again";
inline constexpr const char* no_trim_name = "glibc-no-trim"; ///< keeps its heap by its environment
inline constexpr const char* huge_name = "glibc-huge-pages"; ///< asks for huge pages: likewise
inline constexpr const char* linn_name = "linn";

/// How a contender gets its memory functions.
enum class contender_kind {
    system,    ///< the C library, nothing preloaded
    preload,   ///< a library in LD_PRELOAD
    in_process ///< a pool compiled into the worker, over the C library
};

/// The word that reports use for a kind.
const char* to_string(contender_kind kind) noexcept;

/// One of those that an experiment compares, and how its processes are started.
struct contender {
    std::string name;  ///< stable: options and JSON use it
    std::string title; ///< what tables show
    contender_kind kind = contender_kind::system;
    std::filesystem::path library = {}; ///< preloaded; empty: nothing
    std::vector<std::string> notes = {};
    provider_proof proof = {};
    std::vector<std::string> environment = {}; ///< NAME=value, set for its processes alone
    std::string version = {};                  ///< empty: not known
};

/// "jemalloc 5.3.0".
std::string title_with_version(const contender& c);

/// A contender that is not measured, and why.
struct left_out_contender {
    std::string name;
    std::string reason;
    bool is_missing = false;   ///< it is not installed
    std::string scenario = {}; ///< of bench where it is left out; empty: all
    std::string variant = {};  ///< likewise; empty: all, or the scenario has none
};

/// What a user said of the allocators to compare: names, and libraries of --allocator.
class allocator_choice {
public:
    /// `only` are the names; none means all.
    allocator_choice(const std::vector<std::string>& only, const user_allocators& given);

    bool wants(const std::string& name) const;
    /// True where it was asked for by name: one that is known to be bad is measured on request only.
    bool names(const std::string& name) const;

    /// Looks for the libraries that are wanted, and tries them. Only these are tried. `tick` is called with the
    /// title of each.
    std::vector<allocator_entry> look(const interrupt_guard& guard,
                                      const std::function<void(const std::string&)>& tick) const;

    /// The wanted libraries of an inventory that can be measured; the others go to `left_out`. The C library is none of
    /// them: it takes part without a library.
    std::vector<contender> contenders(const std::vector<allocator_entry>& inventory,
                                      std::vector<left_out_contender>& left_out) const;

private:
    std::vector<std::string> only_;
    const user_allocators& given_;
};

/// glibc with the settings that make it keep its heap.
contender glibc_without_trim();

/// glibc whose heap and mappings ask for huge pages; other tunables of the environment stay. @pre glibc_has_huge_pages()
contender glibc_on_huge_pages();
/// Whether the C library knows that setting: from 2.35 on.
bool glibc_has_huge_pages();

/// The names that an option accepts: allocators, `glibc-no-trim`, and those in `more`, each once.
std::vector<std::string> contender_names(const user_allocators& given,
                                         std::initializer_list<const char*> more = {});

} // namespace linn::tool
