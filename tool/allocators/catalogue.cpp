// SPDX-License-Identifier: Apache-2.0
#include "catalogue.hpp"

#include "../measure/files.hpp"
#include "../measure/process.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace linn::tool {

namespace {

using namespace std::string_view_literals;

#if defined(__aarch64__)
constexpr std::string_view scudo_soname = "libclang_rt.scudo_standalone-aarch64.so";
#else
constexpr std::string_view scudo_soname = "libclang_rt.scudo_standalone-x86_64.so";
#endif

constexpr std::string_view hangs_after_fork =
    "a child forked while another thread allocates can hang: give the program a time limit";

// Every general allocator that the tool knows how to find, in the order of reports: to add one, add a row, and a
// file of install/ if linn can build it.
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
     .sonames = {"libmimalloc.so.2"},
     .package = "libmimalloc2.0",
     .can_install = true,
     .defect = {"2.0.9", "returns misaligned memory: posix_memalign(256, 256) gives 128"}},
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

constexpr std::array both_mimallocs{"mimalloc2"sv, "mimalloc3"sv};
constexpr std::array the_c_library{"glibc"sv};
constexpr std::array aliases{"mimalloc"sv, "ptmalloc"sv};

} // namespace

std::span<const known_allocator> known_allocators() noexcept {
    return all_known;
}

const known_allocator* find_known_allocator(std::string_view name) noexcept {
    for (const known_allocator& a : known_allocators()) {
        if (a.name == name) {
            return &a;
        }
    }
    return nullptr;
}

std::span<const std::string_view> alias_names() noexcept {
    return aliases;
}

std::span<const std::string_view> names_meant_by(std::string_view name) noexcept {
    if (name == "mimalloc") {
        return both_mimallocs;
    }
    if (name == "ptmalloc") {
        return the_c_library;
    }
    const known_allocator* known = find_known_allocator(name);
    return known == nullptr ? std::span<const std::string_view>{} : std::span{&known->name, 1};
}

namespace {

namespace fs = std::filesystem;

/// Class and machine of an ELF file; both zero when it is none.
struct elf_identity {
    unsigned char elf_class = 0;
    std::uint16_t machine = 0;
    bool operator==(const elf_identity&) const = default;
};

elf_identity identify(const fs::path& file) {
    // Class and machine sit at the same offsets in both widths of the header.
    std::array<char, sizeof(Elf32_Ehdr)> header{};
    std::ifstream in{file, std::ios::binary};
    if (!in.read(header.data(), header.size()) || std::memcmp(header.data(), ELFMAG, SELFMAG) != 0) {
        return {};
    }
    elf_identity id;
    id.elf_class = static_cast<unsigned char>(header[EI_CLASS]);
    std::memcpy(&id.machine, header.data() + offsetof(Elf32_Ehdr, e_machine), sizeof id.machine);
    return id;
}

bool is_own_architecture(const fs::path& file) {
    static const elf_identity own = identify("/proc/self/exe");
    return identify(file) == own;
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

} // namespace

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

bool is_older(const std::string& a, const std::string& b) {
    return ::strverscmp(a.c_str(), b.c_str()) < 0;
}

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

namespace {

constexpr const char* program = "/usr/bin/dpkg-query";

/// The first line of the program's standard output; its exit status is of no use, because one file without a package makes
/// it fail.
std::string ask(std::vector<std::string> arguments, const interrupt_guard& guard) {
    arguments.insert(arguments.begin(), program);
    const std::string out =
        run_child(arguments, child_environment({}, {"LC_ALL=C"}), std::chrono::seconds{30}, guard, [] {}).out;
    return out.substr(0, out.find('\n'));
}

} // namespace

debian_package package_of(const fs::path& file, const interrupt_guard& guard) {
    std::error_code error;
    if (!fs::exists(program, error)) {
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

std::string upstream_version(const std::string& version) {
    const std::size_t epoch = version.find(':');
    std::string text = epoch == std::string::npos ? version : version.substr(epoch + 1);
    text.erase(std::min(text.rfind('-'), text.size()));
    text.erase(std::min(text.find_first_of("+~"), text.size()));
    return text;
}

namespace fs = std::filesystem;

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
    if (library.empty()) {
        for (const char* function : {"malloc", "free"}) {
            if (!is_c_library(proof.file_of(function))) {
                return proof.told(function) + ", not by the C library";
            }
        }
        for (const char* function : {"operator new", "operator delete", "sized operator delete"}) {
            if (!is_cxx_runtime(proof.file_of(function))) {
                return proof.told(function) + ", not by the C++ runtime";
            }
        }
        return {};
    }

    constexpr const char* without_effect = "the preload did not take effect: ";
    for (const char* function : {"malloc", "free"}) {
        if (!is_same_file(proof.file_of(function), library.string())) {
            return without_effect + proof.told(function);
        }
    }
    if (!proof.preload_mapped) {
        return fmt::format("{}{} is not mapped", without_effect, library.string());
    }
    for (const char* function : {"operator new", "operator delete", "sized operator delete"}) {
        const std::string file = proof.file_of(function); // a program in C has none
        if (!file.empty() && !is_same_file(file, library.string()) && !is_cxx_runtime(file) &&
            file != executable.string()) {
            return without_effect + proof.told(function);
        }
    }
    const std::string new_file = proof.file_of("operator new");
    const std::string delete_file = proof.file_of("operator delete");
    return new_file.empty() || delete_file.empty() || is_same_file(new_file, delete_file)
               ? std::string{}
               : without_effect + proof.told("operator new") + ", " + proof.told("operator delete");
}

namespace {

/// What the lines of the probe say, and the last thing that it set out to do.
struct reading {
    bool done = false;
    std::string doing;
};

reading read_lines(const std::string& text, probe_report& report) {
    reading r;
    std::istringstream in{text};
    for (std::string line; std::getline(in, line);) {
        const std::size_t tab = std::min(line.find('\t'), line.size());
        const std::string key = line.substr(0, tab);
        const std::string value = line.substr(std::min(tab + 1, line.size()));
        if (key == "doing") {
            r.doing = value;
        } else if (key == "done") {
            r.done = true;
        } else if (key == "provider") {
            const std::size_t second = std::min(value.find('\t'), value.size());
            report.proof.files[value.substr(0, second)] = value.substr(std::min(second + 1, value.size()));
        } else if (key == "mapped") {
            report.proof.preload_mapped = value == "1";
        } else if (key == "version") {
            report.version = value;
        } else if (key == "checks") {
            report.checks = static_cast<unsigned>(std::strtoul(value.c_str(), nullptr, 10));
        } else if (key == "wrong") {
            report.wrong.push_back(value);
        } else if (key == "weak") {
            report.weak.push_back(value);
        }
    }
    return r;
}

std::string ending(const child_result& child, const reading& r, std::chrono::seconds timeout) {
    std::string text = describe_ending(child, timeout);
    if (child.how == child_result::ending::not_started) {
        return text + ' ' + companion("linn-allocator-probe").string();
    }
    return fmt::format("{} while {}", text, r.doing.empty() ? "starting a program" : r.doing);
}

} // namespace

std::string loader_complaint(const std::string& standard_error) {
    const std::size_t start = standard_error.find("ld.so: ");
    if (start == std::string::npos) {
        return {};
    }
    return standard_error.substr(start, standard_error.find('\n', start) - start);
}

probe_report try_library(const std::filesystem::path& library, const std::vector<std::string>& environment,
                         std::chrono::seconds timeout, const interrupt_guard& guard) {
    probe_report report;
    const child_result child =
        run_child({companion("linn-allocator-probe").string(), library.string()},
                  child_environment(library.string(), environment), timeout, guard, [] {});
    const reading r = read_lines(child.out, report);
    report.interrupted = child.how == child_result::ending::interrupted;
    if (const std::string complaint = loader_complaint(child.err); !complaint.empty()) {
        report.failure = complaint;
    } else if (child.how != child_result::ending::exited || child.code != 0 || !r.done) {
        report.failure = ending(child, r, timeout);
    }
    return report;
}

} // namespace linn::tool
