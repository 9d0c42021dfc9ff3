// SPDX-License-Identifier: Apache-2.0
#include "finder.hpp"

#include "../measure/process.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace linn::tool {
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

} // namespace linn::tool
