// SPDX-License-Identifier: Apache-2.0
#include "../measure/files.hpp"
#include "../measure/words.hpp"
#include "allocators.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace linn::tool {

namespace {

namespace fs = std::filesystem;

/// A library looked for: its path, or the reason why there is none.
struct found_library {
    fs::path path;                   ///< resolved, empty when not found
    std::string problem;             ///< empty when found
    std::string cached_version = {}; ///< of one that `linn allocators --install` built; empty: it did not
};

/// Orders versions as people do: 9 before 10, 2.0 before 2.0.1.
bool is_older(const std::string& a, const std::string& b) {
    return ::strverscmp(a.c_str(), b.c_str()) < 0;
}

/// Class and machine of an ELF file; empty when it is none.
std::string architecture_of(const fs::path& file) {
    Elf32_Ehdr header{}; // both sit at the same offsets in both widths
    std::ifstream in{file, std::ios::binary};
    if (!in.read(reinterpret_cast<char*>(&header), sizeof header) ||
        std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
        return {};
    }
    return fmt::format("{} {}", header.e_ident[EI_CLASS], header.e_machine);
}

bool is_own_architecture(const fs::path& file) {
    static const std::string own = architecture_of("/proc/self/exe");
    return architecture_of(file) == own;
}

void add_directory(std::vector<fs::path>& list, const fs::path& directory) {
    std::error_code error;
    if (!directory.empty() && fs::is_directory(directory, error) &&
        std::find(list.begin(), list.end(), directory) == list.end()) {
        list.push_back(directory);
    }
}

/// The paths that match, sorted.
std::vector<fs::path> matching(const std::string& pattern) {
    glob_t found{};
    std::vector<fs::path> paths;
    if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
        paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    }
    ::globfree(&found);
    return paths;
}

void add_configured_directories(std::vector<fs::path>& list) {
    std::vector<fs::path> files = matching("/etc/ld.so.conf.d/*.conf");
    files.insert(files.begin(), "/etc/ld.so.conf");
    for (const fs::path& file : files) {
        std::ifstream in{file};
        std::string line;
        while (std::getline(in, line)) {
            if (line.starts_with('/')) {
                add_directory(list, line);
            }
        }
    }
}

/// The directories that the dynamic loader searches, in its order, and those of LLVM's runtime.
std::vector<fs::path> library_directories() {
    std::vector<fs::path> list;
    if (const char* path = std::getenv("LD_LIBRARY_PATH")) {
        std::istringstream in{path};
        std::string directory;
        while (std::getline(in, directory, ':')) {
            add_directory(list, directory);
        }
    }
    add_configured_directories(list);
    for (const char* root : {"/usr/local/lib", "/lib64", "/usr/lib64", "/lib", "/usr/lib"}) {
        add_directory(list, root);
    }
    // Not the loader's, but where LLVM's packages keep the libraries of their runtime: a folder a version.
    std::vector<fs::path> llvm = matching("/usr/lib/llvm-*/lib/clang/*/lib/linux");
    std::ranges::sort(llvm, [](const fs::path& a, const fs::path& b) { return is_older(b, a); });
    for (const fs::path& folder : llvm) {
        add_directory(list, folder);
    }
    return list;
}

/// Checks a path: a library of another architecture does not count.
found_library check_library(const fs::path& path) {
    std::error_code error;
    const fs::path resolved = fs::canonical(path, error);
    if (error) {
        return {{}, fmt::format("{} not found", path.string())};
    }
    if (!fs::is_regular_file(resolved, error)) {
        return {{}, fmt::format("{} is not a file", path.string())};
    }
    if (!is_own_architecture(resolved)) {
        return {{}, fmt::format("{} is not a shared library of this architecture", path.string())};
    }
    if (resolved.string().find_first_of(" :") != std::string::npos) {
        return {{},
                fmt::format(
                    "{} has a space or a colon in its path, which LD_PRELOAD cannot carry; copy it elsewhere",
                    resolved.string())};
    }
    return {resolved, {}};
}

/// The newest built copy of a catalogued allocator in that folder, below NAME/VERSION/.
found_library find_cached(const known_allocator& allocator, const fs::path& cache) {
    found_library newest{{}, "not built"};
    std::error_code error;
    if (cache.empty()) {
        return newest;
    }
    for (const fs::directory_entry& entry : fs::directory_iterator{cache / allocator.name, error}) {
        const std::string version = entry.path().filename().string();
        if (version.starts_with('.') ||
            (newest.problem.empty() && is_older(version, newest.cached_version))) {
            continue;
        }
        found_library found = check_library(entry.path() / fmt::format("lib{}.so", allocator.name));
        if (found.problem.empty()) {
            newest = std::move(found);
            newest.cached_version = version;
        }
    }
    return newest;
}

/// Looks for a catalogued allocator in `directories`.
found_library find_library(const known_allocator& allocator, const std::vector<fs::path>& directories) {
    for (const std::string_view soname : allocator.sonames) {
        for (const fs::path& directory : directories) {
            if (soname.empty()) {
                break;
            }
            if (found_library found = check_library(directory / soname); found.problem.empty()) {
                return found;
            }
        }
    }
    return {{},
            allocator.sonames.front().empty() ? "not found"
                                              : fmt::format("{} not found", allocator.sonames.front())};
}

constexpr const char* dpkg_query = "/usr/bin/dpkg-query";

/// The first line of the program's standard output; its exit status is of no use, because one file without a package makes
/// it fail.
std::string ask(std::vector<std::string> arguments, const interrupt_guard& guard) {
    arguments.insert(arguments.begin(), dpkg_query);
    const std::string out =
        run_child(arguments, child_environment({}, {"LC_ALL=C"}), std::chrono::seconds{30}, guard, [] {}).out;
    return out.substr(0, out.find('\n'));
}

struct debian_package {
    std::string name;
    std::string version;
};

/// The package that the file belongs to; without a name where there is none, or no dpkg.
debian_package package_of(const fs::path& file, const interrupt_guard& guard) {
    std::error_code error;
    if (!fs::exists(dpkg_query, error)) {
        return {};
    }
    std::vector<std::string> arguments{"-S", file.string()};
    if (file.string().starts_with("/usr/lib")) { // of packages from before /lib became a link into /usr
        arguments.push_back(file.string().substr(4));
    }
    const std::string owner = ask(arguments, guard); // NAME[:ARCHITECTURE][, NAME...]: PATH
    const std::string name = owner.substr(0, std::min(owner.find(", "), owner.find(": ")));
    if (name.empty()) {
        return {};
    }
    return {name.substr(0, name.find(':')), ask({"-W", "-f", "${Version}\n", name}, guard)};
}

/// What the probe program found out about one library.
struct probe_report {
    provider_proof proof;
    std::map<std::string, std::string> facts{{"doing", "starting a program"}}; ///< the last of each key
    std::vector<std::string> wrong; ///< promises broken that a correct program may stumble on
    std::vector<std::string> weak;  ///< promises broken that concern rare calls only
    std::string failure; ///< why the probe did not come to its end: signal, time limit, the loader's words
    bool is_interrupted = false;
};

void read_line(const std::string& line, probe_report& report) {
    const std::size_t tab = std::min(line.find('\t'), line.size());
    const std::string key = line.substr(0, tab);
    const std::string value = line.substr(std::min(tab + 1, line.size()));
    if (key == "provider") {
        const std::size_t second = std::min(value.find('\t'), value.size());
        report.proof.files[value.substr(0, second)] = value.substr(std::min(second + 1, value.size()));
    } else if (key == "mapped") {
        report.proof.preload_mapped = value == "1";
    } else if (key == "wrong" || key == "weak") {
        (key == "wrong" ? report.wrong : report.weak).push_back(value);
    } else {
        report.facts[key] = value;
    }
}

/// Starts the probe program under `library` (empty: under none) and tries it.
probe_report try_library(const fs::path& library, const std::vector<std::string>& environment,
                         std::chrono::seconds timeout, const interrupt_guard& guard) {
    probe_report report;
    const std::string probe = companion("linn-allocator-probe").string();
    const child_result child = run_child(
        {probe, library.string()}, child_environment(library.string(), environment), timeout, guard, [] {});
    std::istringstream in{child.out};
    for (std::string line; std::getline(in, line);) {
        read_line(line, report);
    }
    using ending = child_result::ending;
    report.is_interrupted = child.how == ending::interrupted;
    if (const std::string complaint = loader_complaint(child.err); !complaint.empty()) {
        report.failure = complaint;
    } else if (child.how != ending::exited || child.code != 0 || !report.facts.contains("checks")) {
        report.failure = describe_ending(child, timeout) +
                         (child.how == ending::not_started ? ' ' + probe : " while " + report.facts["doing"]);
    }
    return report;
}

void append(std::string& text, std::string_view more) {
    if (!text.empty() && !more.empty()) {
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

constexpr std::string_view given_origin = "--allocator";

/// The library of ours through which WebKit's allocator is reached.
constexpr std::string_view bmalloc_name = "bmalloc";
constexpr std::string_view bmalloc_companion = "liblinn-bmalloc.so";

class inventory {
public:
    inventory(const user_allocators& extra, const interrupt_guard& guard,
              const std::function<void(const std::string&)>& tick, std::chrono::seconds timeout)
        : extra_{extra},
          guard_{guard},
          tick_{tick},
          timeout_{timeout} {}

    std::vector<allocator_entry> take(const std::vector<std::string>& only) {
        const auto is_wanted = [&](std::string_view name) {
            return only.empty() || std::ranges::find(only, name) != only.end();
        };
        for (const known_allocator& a : known_allocators()) {
            if (is_wanted(a.name)) {
                add(find(a));
            }
        }
        for (const auto& [name, path] : extra_) {
            if (find_known_allocator(name) == nullptr && is_wanted(name)) {
                allocator_entry entry{.name = name, .title = name};
                set_library(entry, check_library(path), given_origin);
                add(std::move(entry));
            }
        }
        return std::move(entries_);
    }

private:
    static void set_library(allocator_entry& entry, const found_library& found, std::string_view origin) {
        if (!found.problem.empty()) {
            entry.remark = found.problem;
            return;
        }
        entry.state = library_state::usable;
        entry.library = found.path;
        entry.origin = origin;
        entry.version = found.cached_version;
    }

    allocator_entry find(const known_allocator& a) const {
        allocator_entry entry{.name = std::string{a.name},
                              .title = std::string{a.title},
                              .licence = std::string{a.licence},
                              .how_to_get = a.package.empty()
                                                ? fmt::format("linn allocators --install {}", a.name)
                                                : fmt::format("apt-get install {}", a.package)};
        if (!a.environment.empty()) {
            entry.environment.emplace_back(a.environment);
        }
        const auto given = std::ranges::find(extra_, a.name, &user_allocators::value_type::first);
        if (given != extra_.end()) {
            set_library(entry, check_library(given->second), given_origin);
        } else if (a.name == "glibc") {
            entry.state = library_state::usable;
            entry.origin = "the C library";
        } else if (const found_library built = find_cached(a, cache_); built.problem.empty()) {
            set_library(entry, built, "built by linn allocators --install");
        } else if (const found_library found = find_library(a, directories_);
                   a.name == bmalloc_name && found.problem.empty()) {
            set_library(entry, check_library(companion(bmalloc_companion)), "");
            name_package(entry, found.path, "Linn's library over ");
        } else {
            set_library(entry, found, "");
            name_package(entry, found.path, "");
        }
        return entry;
    }

    /// Says which package the library of the system's folders belongs to, and its version.
    void name_package(allocator_entry& entry, const fs::path& library, std::string_view over) const {
        if (entry.library.empty()) {
            return;
        }
        const debian_package package = package_of(library, guard_);
        entry.version = upstream_version(package.version);
        entry.origin = !package.name.empty() ? fmt::format("{}Debian package {}", over, package.name)
                       : over.empty()        ? "found in the system's folders"
                                             : fmt::format("{}{}", over, library.string());
    }

    /// Keeps the entry, with what the probe says; not where a signal stopped that.
    void add(allocator_entry entry) {
        if (interrupt_guard::pending() != 0) {
            return;
        }
        if (entry.state != library_state::missing) {
            tick_(entry.title);
            probe_report report = try_library(entry.library, entry.environment, timeout_, guard_);
            if (report.is_interrupted) {
                return;
            }
            entry.proof = report.proof;
            if (const std::string& told = report.facts["version"]; !told.empty()) {
                entry.version = upstream_version(told);
            }
            judge(entry, report);
            if (const known_allocator* known = find_known_allocator(entry.name);
                known != nullptr && entry.origin != given_origin) {
                append(entry.remark, known->remark);
            }
        }
        entries_.push_back(std::move(entry));
    }

    static void judge(allocator_entry& entry, const probe_report& report) {
        const std::string library = entry.library.string();
        if (!report.failure.empty()) {
            entry.state = library_state::broken;
            entry.remark = report.failure;
            return;
        }
        entry.remark = refute(report.proof, entry.library);
        if (!entry.remark.empty()) {
            const bool has_malloc = report.proof.file_of("malloc") == library;
            entry.state = has_malloc ? library_state::broken : library_state::inert;
            std::vector<std::string> functions; // of its own
            for (const auto& [function, file] : report.proof.files) {
                if (file == library) {
                    functions.push_back(function);
                }
            }
            append(entry.remark, functions.empty()
                                     ? "the library provides no memory function"
                                     : fmt::format("the library provides {}", fmt::join(functions, ", ")));
            return;
        }
        append_some(entry.remark, report.wrong);
        entry.state = entry.remark.empty() ? library_state::usable : library_state::known_bad;
        append_some(entry.remark, report.weak);
        // Short, because it is a column of a table.
        const bool is_ours = entry.name == bmalloc_name && entry.origin != given_origin;
        entry.proven_by =
            fmt::format("{}; {} checks",
                        library.empty() ? "nothing preloaded"
                        : is_ours       ? "in WebKit's heap" // or its process had ended
                        : report.proof.file_of("operator new") == library ? "has malloc and new"
                                                                          : "has malloc, which new calls",
                        report.facts.at("checks"));
    }

    const user_allocators& extra_;
    const interrupt_guard& guard_;
    const std::function<void(const std::string&)>& tick_;
    std::chrono::seconds timeout_;
    std::vector<fs::path> directories_ = library_directories();
    fs::path cache_ = cache_folder();
    std::vector<allocator_entry> entries_;
};

std::string cannot_use(const std::string& name, const std::string& reason) {
    return fmt::format("--allocator {}: {}; give the path of a shared library that provides malloc and free",
                       name, reason);
}

} // namespace

const char* to_string(library_state state) noexcept {
    return word_of(state, {"usable", "known bad", "broken", "inert", "missing"});
}

std::vector<allocator_entry> take_inventory(const user_allocators& extra,
                                            const std::vector<std::string>& only,
                                            const interrupt_guard& guard,
                                            const std::function<void(const std::string&)>& tick,
                                            std::chrono::seconds timeout) {
    return inventory{extra, guard, tick, timeout}.take(resolve_names(only, extra));
}

void refuse_wrong_libraries(const user_allocators& given) {
    for (const auto& [name, path] : given) {
        if (const found_library found = check_library(path); !found.problem.empty()) {
            throw wrong_arguments{cannot_use(name, found.problem)};
        }
    }
}

void try_libraries(const user_allocators& given, const std::vector<std::string>& only,
                   const interrupt_guard& guard) {
    if (given.empty()) {
        return;
    }
    refuse_wrong_libraries(given);
    std::vector<std::string> names;
    for (const auto& [name, path] : given) {
        if (!only.empty() && !contains(resolve_names(only, given), name)) {
            throw wrong_arguments{fmt::format(
                "--allocator {0}: --only (or --allocators) leaves out {0}; add {0} to its names", name)};
        }
        names.push_back(name);
    }
    for (const allocator_entry& entry : take_inventory(given, names, guard, [](const std::string&) {})) {
        if (entry.state == library_state::inert) {
            throw unusable_input{cannot_use(entry.name, entry.remark)};
        }
    }
}

} // namespace linn::tool
