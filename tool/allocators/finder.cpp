// SPDX-License-Identifier: Apache-2.0
#include "finder.hpp"

#include "../measure/process.hpp"

#include <elf.h>
#include <fmt/format.h>

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

void add_configured_directories(std::vector<fs::path>& list) {
    std::error_code error;
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator{"/etc/ld.so.conf.d", error}) {
        if (entry.path().extension() == ".conf") {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
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

constexpr std::string_view scudo_name = "scudo";

/// LLVM's packages keep the libraries of their runtime, whose names end in the architecture, in a folder a version.
found_library find_in_llvm(std::string_view soname) {
    std::error_code error;
    std::vector<fs::path> versions;
    for (const fs::directory_entry& llvm : fs::directory_iterator{"/usr/lib", error}) {
        if (llvm.path().filename().string().starts_with("llvm-")) {
            for (const fs::directory_entry& clang :
                 fs::directory_iterator{llvm.path() / "lib" / "clang", error}) {
                versions.push_back(clang.path());
            }
        }
    }
    std::sort(versions.begin(), versions.end(), [](const fs::path& a, const fs::path& b) {
        return is_older(b.filename().string(), a.filename().string());
    });
    for (const fs::path& version : versions) {
        if (found_library found = check_library(version / "lib" / "linux" / soname); found.problem.empty()) {
            return found;
        }
    }
    return {{}, "not found"};
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
    if (allocator.name == scudo_name) {
        if (found_library found = find_in_llvm(allocator.sonames.front()); found.problem.empty()) {
            return found;
        }
    }
    return {{},
            allocator.sonames.front().empty() ? "not found"
                                              : fmt::format("{} not found", allocator.sonames.front())};
}

namespace {

constexpr const char* program = "/usr/bin/dpkg-query";

/// The program's standard output; its exit status is of no use, because one file without a package makes it fail.
std::istringstream ask(std::vector<std::string> arguments, const interrupt_guard& guard) {
    arguments.insert(arguments.begin(), program);
    return std::istringstream{
        run_child(arguments, child_environment({}, {"LC_ALL=C"}), std::chrono::seconds{30}, guard, [] {
        }).out};
}

} // namespace

std::map<std::filesystem::path, debian_package> packages_of(const std::vector<std::filesystem::path>& files,
                                                            const interrupt_guard& guard) {
    std::map<std::filesystem::path, debian_package> result;
    std::error_code error;
    if (files.empty() || !std::filesystem::exists(program, error)) {
        return result;
    }

    // Packages from before /lib became a link into /usr name their files there.
    std::map<std::string, std::filesystem::path> asked;
    std::vector<std::string> arguments{"-S"};
    for (const std::filesystem::path& file : files) {
        const std::string path = file.string();
        asked[path] = file;
        arguments.push_back(path);
        if (path.starts_with("/usr/lib")) {
            asked[path.substr(4)] = file;
            arguments.push_back(path.substr(4));
        }
    }
    std::string line;
    std::istringstream owners = ask(arguments, guard);
    while (std::getline(owners, line)) { // NAME[:ARCHITECTURE][, NAME...]: PATH
        const std::size_t end = line.find(": ");
        const auto found = end == std::string::npos ? asked.end() : asked.find(line.substr(end + 2));
        if (found != asked.end()) {
            result[found->second].name = line.substr(0, std::min(line.find(','), end));
        }
    }

    arguments = {"-W", "-f", "${binary:Package} ${Version}\n"};
    for (const auto& [file, package] : result) {
        arguments.push_back(package.name);
    }
    std::map<std::string, std::string> versions;
    if (!result.empty()) {
        std::istringstream in = ask(arguments, guard);
        std::string name;
        std::string version;
        while (in >> name >> version) {
            versions[name] = version;
        }
    }
    for (auto& [file, package] : result) {
        const std::string bare = package.name.substr(0, package.name.find(':'));
        const auto found =
            versions.count(package.name) != 0 ? versions.find(package.name) : versions.find(bare);
        if (found != versions.end()) {
            package.version = found->second;
        }
        package.name = bare;
    }
    return result;
}

std::string upstream_version(const std::string& version) {
    const std::size_t epoch = version.find(':');
    std::string text = epoch == std::string::npos ? version : version.substr(epoch + 1);
    text.erase(std::min(text.rfind('-'), text.size()));
    text.erase(std::min(text.find_first_of("+~"), text.size()));
    return text;
}

} // namespace linn::tool
