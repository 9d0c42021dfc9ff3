// SPDX-License-Identifier: Apache-2.0
#include "executable.hpp"

#include "elf_file.hpp"

#include <fmt/format.h>
#include <gelf.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <utility>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;
using kind = executable_info::kind;

unsigned own_machine() {
    static const unsigned machine = [] {
        const auto self = elf_file::open("/proc/self/exe");
        GElf_Ehdr header{};
        return self != nullptr && ::gelf_getehdr(self->get(), &header) != nullptr ? header.e_machine : 0U;
    }();
    return machine;
}

/// The title of a key in a table; empty where the key is not there.
template <class Key, std::size_t N>
std::string title_of(const std::pair<Key, const char*> (&table)[N], const Key& key) {
    for (const auto& [known, title] : table) {
        if (known == key) {
            return title;
        }
    }
    return {};
}

// What symbols give away. Stripped programs keep those that they share with libraries.
constexpr std::pair<std::string_view, const char*> sanitizers[] = {{"__asan_init", "AddressSanitizer"},
                                                                   {"__hwasan_init", "HWAddressSanitizer"},
                                                                   {"__tsan_init", "ThreadSanitizer"},
                                                                   {"__msan_init", "MemorySanitizer"},
                                                                   {"__lsan_init", "LeakSanitizer"}};
constexpr std::pair<std::string_view, const char*> heaps[] = {
    {"_rjem_malloc", "jemalloc"},  {"_rjem_mallocx", "jemalloc"}, {"je_malloc", "jemalloc"},
    {"mi_malloc", "mimalloc"},     {"tc_malloc", "tcmalloc"},     {"rpmalloc", "rpmalloc"},
    {"sn_rust_alloc", "snmalloc"}, {"_Znwm", "operator new"},     {"malloc", "an allocator of its own"}};

void read_symbols(const elf_file& elf, executable_info& into) {
    into.is_go = elf.has_section(".go.buildinfo");
    for (const int table : {SHT_DYNSYM, SHT_SYMTAB}) {
        elf.each_symbol(static_cast<unsigned>(table), [&](const GElf_Sym& symbol, std::string_view name) {
            if (into.sanitizer.empty()) {
                into.sanitizer = title_of(sanitizers, name);
            }
            // A name that is only used is no allocator of its own.
            if (into.private_heap.empty() && symbol.st_shndx != SHN_UNDEF) {
                into.private_heap = title_of(heaps, name);
            }
        });
    }
}

void read_elf(const fs::path& file, executable_info& into) {
    const auto elf = elf_file::open(file.string());
    GElf_Ehdr header{};
    if (elf == nullptr || ::gelf_getehdr(elf->get(), &header) == nullptr) {
        return;
    }
    if (header.e_machine != own_machine() || header.e_ident[EI_CLASS] != ELFCLASS64) {
        into.why_not = " was built for another machine";
    } else if (header.e_type == ET_EXEC || header.e_type == ET_DYN) {
        into.what = kind::program;
        into.why_not.clear();
        into.interpreter = elf->interpreter();
        read_symbols(*elf, into);
    }
}

std::string privilege_of(const fs::path& file, const struct stat& s) {
    // The kernel drops preloads only where the program would gain something by the bit.
    if ((s.st_mode & S_ISUID) != 0 && s.st_uid != ::geteuid()) {
        return "setuid";
    }
    if ((s.st_mode & S_ISGID) != 0 && s.st_gid != ::getegid()) {
        return "setgid";
    }
    if (::getuid() != 0 && ::getxattr(file.c_str(), "security.capability", nullptr, 0) > 0) {
        return "file capabilities";
    }
    return {};
}

bool is_runnable(const fs::path& file) {
    struct stat s{};
    return ::stat(file.c_str(), &s) == 0 && S_ISREG(s.st_mode) && ::access(file.c_str(), X_OK) == 0;
}

} // namespace

executable_info inspect_executable(const fs::path& file) {
    executable_info info;
    struct stat s{};
    if (::stat(file.c_str(), &s) != 0) {
        info.why_not = ": no such program";
    } else if (S_ISDIR(s.st_mode)) {
        info.why_not = " is a directory, not a program";
    } else if (!S_ISREG(s.st_mode) || ::access(file.c_str(), X_OK) != 0) {
        info.why_not =
            fmt::format(" is not executable: chmod +x {}, or name its interpreter before it", file.string());
    } else if (s.st_size == 0) {
        info.why_not = " is an empty file";
    }
    if (!info.why_not.empty()) {
        return info;
    }
    info.privilege = privilege_of(file, s);
    std::string begin(512, '\0');
    std::ifstream in{file, std::ios::binary};
    in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    begin.resize(static_cast<std::size_t>(in.gcount()));
    if (begin.empty()) {
        // One may execute without being allowed to read: the kernel knows what it is.
        info.what = kind::program;
        info.interpreter = "unknown";
    } else if (begin.starts_with("#!")) {
        info.what = kind::script;
        std::string_view line =
            std::string_view{begin}.substr(2, std::min<std::size_t>(begin.find('\n'), 257) - 2);
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        info.interpreter = line.substr(0, line.find_first_of(" \t"));
        if (std::error_code error; info.interpreter.ends_with('\r')) {
            info.why_not = ": its first line ends as on Windows, so that its interpreter is not found";
        } else if (!info.interpreter.empty() && !fs::exists(info.interpreter, error)) {
            info.why_not = fmt::format(": its interpreter {} does not exist", info.interpreter);
        }
    } else {
        info.why_not = " is neither a program nor a script that begins with #!";
        if (begin.starts_with(std::string_view{ELFMAG, SELFMAG})) {
            read_elf(file, info);
        }
    }
    return info;
}

std::uint64_t find_in_file(const fs::path& file, std::string_view name) {
    const auto elf = elf_file::open(file.string());
    std::uint64_t found = 0;
    if (elf != nullptr) {
        elf->each_symbol(SHT_DYNSYM, [&](const GElf_Sym& symbol, std::string_view title) {
            if (title == name && symbol.st_shndx != SHN_UNDEF) {
                found = symbol.st_value - elf->first_address();
            }
        });
    }
    return found;
}

fs::path find_program(std::string_view name, std::string_view search_path, const fs::path& directory) {
    std::error_code error;
    const fs::path base = directory.empty() ? fs::current_path(error) : directory;
    if (name.find('/') != std::string_view::npos) {
        return fs::exists(base / name, error) ? base / name : fs::path{};
    }
    fs::path second_best;
    while (!name.empty()) {
        const std::size_t end = std::min(search_path.find(':'), search_path.size());
        const std::string_view entry = search_path.substr(0, end);
        const fs::path candidate = base / (entry.empty() ? "." : entry) / name;
        if (is_runnable(candidate)) {
            return candidate;
        }
        if (second_best.empty() && fs::is_regular_file(candidate, error)) {
            second_best = candidate;
        }
        if (end == search_path.size()) {
            break;
        }
        search_path.remove_prefix(end + 1);
    }
    return second_best;
}

std::string why_not_preloadable(const fs::path& file, const executable_info& info) {
    const std::string name = file.string();
    if (info.what == kind::program && info.interpreter.empty()) {
        return fmt::format("{} is statically linked: nothing can be preloaded into it{}", name,
                           info.is_go ? " (it is written in Go, whose heap is its own anyway)"
                                      : "; link it dynamically");
    }
    if (fs::path{info.interpreter}.filename().string().starts_with("ld-musl")) {
        return fmt::format("{} was built for musl: what linn preloads is built for glibc", name);
    }
    if (!info.privilege.empty()) {
        return fmt::format("{} has privileges of its own ({}): the kernel's loader ignores preloads for it",
                           name, info.privilege);
    }
    if (!info.sanitizer.empty()) {
        return fmt::format("{} was built with {}, which provides malloc itself: use a build without it", name,
                           info.sanitizer);
    }
    return {};
}

reached_program reach_program(const std::string& name, bool checks_interpreter) {
    reached_program found;
    const char* const path = std::getenv("PATH");
    const std::string_view search_path = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
    found.file = find_program(name, search_path).lexically_normal();
    found.info = inspect_executable(found.file);
    if (const std::string& why_not = found.info.why_not; !why_not.empty()) {
        found.problem = (found.file.empty() ? name : found.file.string()) + why_not;
    }
    std::error_code error;
    if (found.file.empty() && name.find('/') == std::string::npos) {
        found.problem = fmt::format("{}: no such program on PATH", name);
        if (fs::exists(name, error)) {
            found.problem += fmt::format("; for the file in this directory: ./{}", name);
        }
    }
    found.is_usage_error = !found.problem.empty();
    if (!found.is_usage_error) {
        found.problem = why_not_preloadable(found.file, found.info);
    }
    if (found.problem.empty() && found.info.what == kind::script && checks_interpreter) {
        const fs::path interpreter = found.info.interpreter;
        if (const std::string why = why_not_preloadable(interpreter, inspect_executable(interpreter));
            !why.empty()) {
            found.problem = fmt::format("{} is a script, and {}", found.file.string(), why);
        }
    }
    return found;
}

} // namespace linn::tool
