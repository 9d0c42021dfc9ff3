// SPDX-License-Identifier: Apache-2.0
#include "inventory.hpp"

#include "../measure/files.hpp"
#include "../measure/process.hpp"
#include "../measure/quantity.hpp"
#include "../measure/words.hpp"
#include "catalogue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace linn::tool {

namespace {

namespace fs = std::filesystem;

/// The library of ours through which WebKit's allocator is reached.
constexpr std::string_view bmalloc_name = "bmalloc";
constexpr std::string_view bmalloc_companion = "liblinn-bmalloc.so";
constexpr std::string_view c_library_name = "glibc";

bool contains(const std::vector<std::string>& list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
}

void append(std::string& text, std::string_view more) {
    if (more.empty()) {
        return;
    }
    if (!text.empty()) {
        text += "; ";
    }
    text += more;
}

/// The first two, and how many more there are: one fault often breaks a dozen promises.
void append_some(std::string& text, const std::vector<std::string>& list) {
    for (std::size_t i = 0; i != std::min<std::size_t>(list.size(), 2); ++i) {
        append(text, list[i]);
    }
    if (list.size() > 2) {
        append(text, fmt::format("and {} more of the kind", list.size() - 2));
    }
}

/// The command that gets a catalogued allocator. Where the distribution's version is a bad one, ours.
std::string command_for(const known_allocator& a) {
    if (a.can_install && (a.package.empty() || !a.defect.version.empty())) {
        return fmt::format("linn allocators --install {}", a.name);
    }
    if (!a.package.empty()) {
        return fmt::format("apt-get install {}", a.package);
    }
    return {};
}

/// "5.3.0-0-g54eaed1d" is 5.3.0.
std::string release_of(const std::string& version) {
    return version.substr(0, version.find_first_of("-+ "));
}

bool is_version(const std::string& version, std::string_view listed) {
    return version.starts_with(listed) &&
           (version.size() == listed.size() ||
            std::string_view{".-+"}.find(version[listed.size()]) != std::string_view::npos);
}

/// The functions that the library itself provides, in words; empty: none.
std::string provided_by(const provider_proof& proof, const std::string& library) {
    std::vector<std::string> functions;
    for (const auto& [function, file] : proof.files) {
        if (file == library) {
            functions.push_back(function);
        }
    }
    return fmt::format("{}", fmt::join(functions, ", "));
}

class inventory {
public:
    inventory(const user_allocators& extra, const std::vector<std::string>& only,
              const interrupt_guard& guard, const std::function<void(const std::string&)>& tick,
              std::chrono::seconds timeout)
        : extra_{extra},
          only_{resolve_names(only, extra)},
          guard_{guard},
          tick_{tick},
          timeout_{timeout} {}

    std::vector<allocator_entry> take() {
        for (const known_allocator& a : known_allocators()) {
            if (is_wanted(a.name)) {
                find(a);
            }
        }
        for (const auto& [name, path] : extra_) {
            if (find_known_allocator(name) == nullptr && is_wanted(name)) {
                add_given(name, path);
            }
        }
        for (allocator_entry& entry : entries_) {
            if (interrupt_guard::pending() != 0) {
                break;
            }
            name_package(entry);
            if (entry.state != library_state::missing && !try_entry(entry)) {
                break;
            }
            ++tried_;
        }
        entries_.resize(tried_);
        return std::move(entries_);
    }

private:
    bool is_wanted(std::string_view name) const { return only_.empty() || contains(only_, name); }

    const fs::path* given(std::string_view name) const {
        // The last one counts, as with other options.
        for (auto i = extra_.rbegin(); i != extra_.rend(); ++i) {
            if (i->first == name) {
                return &i->second;
            }
        }
        return nullptr;
    }

    allocator_entry& add(const known_allocator& a) {
        allocator_entry& entry = entries_.emplace_back();
        entry.name = a.name;
        entry.title = a.title;
        entry.licence = a.licence;
        entry.how_to_get = command_for(a);
        if (!a.environment.empty()) {
            entry.environment.emplace_back(a.environment);
        }
        return entry;
    }

    void set_library(allocator_entry& entry, const found_library& found, std::string origin) {
        if (!found.problem.empty()) {
            entry.remark = found.problem;
            return;
        }
        entry.state = library_state::usable;
        entry.library = found.path;
        entry.origin = std::move(origin);
        entry.version = found.cached_version;
    }

    void add_given(const std::string& name, const fs::path& path) {
        allocator_entry& entry = entries_.emplace_back();
        entry.name = name;
        entry.title = name;
        set_library(entry, check_library(path), "--allocator");
    }

    void find(const known_allocator& a) {
        allocator_entry& entry = add(a);
        if (const fs::path* path = given(a.name); path != nullptr) {
            set_library(entry, check_library(*path), "--allocator");
            return;
        }
        if (a.name == c_library_name) {
            entry.state = library_state::usable;
            entry.origin = "the C library";
            return;
        }
        if (a.name == bmalloc_name) {
            find_bmalloc(a, entry);
            return;
        }
        if (const found_library built = find_cached(a, cache_); built.problem.empty()) {
            set_library(entry, built, "built by linn allocators --install");
        } else {
            set_library(entry, find_library(a, directories_), {});
        }
    }

    void find_bmalloc(const known_allocator& a, allocator_entry& entry) {
        const found_library webkit = find_library(a, directories_);
        if (!webkit.problem.empty()) {
            entry.remark = webkit.problem;
            return;
        }
        backend_ = webkit.path;
        set_library(entry, check_library(companion(bmalloc_companion)),
                    "Linn's library over " + webkit.path.string());
    }

    bool is_over_webkit(const allocator_entry& entry) const {
        return entry.name == bmalloc_name && !backend_.empty();
    }

    /// Says which package a library of the system's folders belongs to, and its version.
    void name_package(allocator_entry& entry) const {
        const bool is_bmalloc = is_over_webkit(entry);
        if (entry.library.empty() || (!entry.origin.empty() && !is_bmalloc)) {
            return;
        }
        const debian_package package = package_of(is_bmalloc ? backend_ : entry.library, guard_);
        if (!package.name.empty()) {
            entry.origin =
                fmt::format("{}Debian package {}", is_bmalloc ? "Linn's library over " : "", package.name);
            entry.version = upstream_version(package.version);
        } else if (!is_bmalloc) {
            entry.origin = "found in the system's folders";
        }
    }

    /// Fills in what the probe says; false when interrupted.
    bool try_entry(allocator_entry& entry) {
        tick_(entry.title);
        const probe_report report = try_library(entry.library, entry.environment, timeout_, guard_);
        if (report.interrupted) {
            return false;
        }
        entry.proof = report.proof;
        if (!report.version.empty()) {
            entry.version = release_of(report.version);
        }
        judge(entry, report);
        if (const known_allocator* known = find_known_allocator(entry.name);
            known != nullptr && (entry.origin != "--allocator")) {
            append(entry.remark, known->remark);
        }
        return true;
    }

    void judge(allocator_entry& entry, const probe_report& report) const {
        const std::string library = entry.library.string();
        const std::string doubt = report.proof.files.empty() ? "" : refute(report.proof, entry.library);
        if (!report.failure.empty()) {
            entry.state = library_state::broken;
            entry.remark = report.failure;
            return;
        }
        if (!doubt.empty()) {
            const std::string own = provided_by(report.proof, library);
            entry.state =
                report.proof.file_of("malloc") == library ? library_state::broken : library_state::inert;
            entry.remark = doubt;
            append(entry.remark, own.empty() ? "it provides no memory function" : "it provides " + own);
            return;
        }
        append_some(entry.remark, report.wrong);
        if (const known_allocator* known = find_known_allocator(entry.name);
            known != nullptr && report.wrong.empty() && !known->defect.version.empty() &&
            is_version(entry.version, known->defect.version)) {
            append(entry.remark, known->defect.what);
        }
        entry.state = entry.remark.empty() ? library_state::usable : library_state::known_bad;
        append_some(entry.remark, report.weak);
        entry.proven_by = proven_by(entry, report);
    }

    std::string proven_by(const allocator_entry& entry, const probe_report& report) const {
        // Short, because it is a column of a table.
        if (entry.library.empty()) {
            return fmt::format("nothing preloaded; {}", figures::counted(report.checks, "check"));
        }
        const bool has_new = report.proof.file_of("operator new") == entry.library.string();
        return fmt::format("{}; {}",
                           is_over_webkit(entry) ? "in WebKit's heap" // or its process had ended
                           : has_new             ? "has malloc and new"
                                                 : "has malloc, which new calls",
                           figures::counted(report.checks, "check"));
    }

    const user_allocators& extra_;
    std::vector<std::string> only_;
    const interrupt_guard& guard_;
    const std::function<void(const std::string&)>& tick_;
    std::chrono::seconds timeout_;
    std::vector<fs::path> directories_ = library_directories();
    fs::path cache_ = cache_folder();
    fs::path backend_; ///< the library behind bmalloc's
    std::vector<allocator_entry> entries_;
    std::size_t tried_ = 0;
};

} // namespace

const char* to_string(library_state state) noexcept {
    return word_of(state, {"usable", "known bad", "broken", "inert", "missing"});
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
    for (const std::string_view alias : alias_names()) {
        if (!contains(names, alias)) {
            names.emplace_back(alias);
        }
    }
    return names;
}

std::vector<std::string> resolve_names(const std::vector<std::string>& names, const user_allocators& extra) {
    std::vector<std::string> list;
    const auto add = [&](std::string_view name) {
        if (!contains(list, name)) {
            list.emplace_back(name);
        }
    };
    for (const std::string& name : names) {
        const bool is_given =
            std::any_of(extra.begin(), extra.end(), [&](const auto& pair) { return pair.first == name; });
        const auto meant = names_meant_by(name);
        if (is_given || meant.empty()) {
            add(name);
        } else {
            for (const std::string_view one : meant) {
                add(one);
            }
        }
    }
    return list;
}

std::vector<allocator_entry> take_inventory(const user_allocators& extra,
                                            const std::vector<std::string>& only,
                                            const interrupt_guard& guard,
                                            const std::function<void(const std::string&)>& tick,
                                            std::chrono::seconds timeout) {
    return inventory{extra, only, guard, tick, timeout}.take();
}

namespace {

std::string cannot_use(const std::string& name, const std::string& reason) {
    return fmt::format("--allocator {}: {}; give the path of a shared library that provides malloc and free",
                       name, reason);
}

} // namespace

std::string take_libraries(const std::vector<std::string>& texts, const std::vector<std::string>& reserved,
                           user_allocators& list) {
    for (const std::string& text : texts) {
        const std::size_t sign = text.find('=');
        if (sign == std::string::npos || sign == 0 || sign + 1 == text.size()) {
            return fmt::format("--allocator must be NAME=PATH, not '{}'", text);
        }
        const std::string name = text.substr(0, sign);
        if (name.find_first_of(", \t\n") != std::string::npos) {
            return fmt::format("--allocator: a name has no spaces and no commas, not '{}'", name);
        }
        if (contains(reserved, name)) {
            return fmt::format("--allocator cannot replace '{}'; give the library another name", name);
        }
        if (std::any_of(list.begin(), list.end(), [&](const auto& given) { return given.first == name; })) {
            return fmt::format("--allocator names two libraries '{}'; give one of them another name", name);
        }
        list.emplace_back(name, text.substr(sign + 1));
    }
    return {};
}

std::string wrong_library(const user_allocators& given) {
    for (const auto& [name, path] : given) {
        if (const found_library found = check_library(path); !found.problem.empty()) {
            return cannot_use(name, found.problem);
        }
    }
    return {};
}

bool refuses_libraries(const char* command, const user_allocators& given, const interrupt_guard& guard) {
    if (given.empty()) {
        return false;
    }
    std::string problem = wrong_library(given);
    if (problem.empty()) {
        std::vector<std::string> names;
        for (const auto& [name, path] : given) {
            names.push_back(name);
        }
        for (const allocator_entry& entry : take_inventory(given, names, guard, [](const std::string&) {})) {
            if (entry.state == library_state::inert) {
                problem = cannot_use(entry.name, entry.remark);
                break;
            }
        }
    }
    if (problem.empty()) {
        return false;
    }
    fmt::print(stderr, "linn {}: {}\n", command, problem);
    return true;
}

namespace {

namespace fs = std::filesystem;

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

std::string why_not_installable(const std::vector<std::string>& names, const interrupt_guard& guard) {
    if (cache_folder().empty()) {
        return "there is no folder to install to: set HOME or XDG_CACHE_HOME";
    }
    std::vector<std::string> arguments{"needs"};
    arguments.insert(arguments.end(), names.begin(), names.end());
    std::string problem;
    std::istringstream in{run_script(arguments, guard, [] {}, problem).out};
    std::vector<std::string> packages;
    for (std::string package; in >> package;) {
        packages.push_back(package);
    }
    return packages.empty()
               ? problem
               : fmt::format("building needs programs that are missing; get them with: apt-get install {}",
                             fmt::join(packages, " "));
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
