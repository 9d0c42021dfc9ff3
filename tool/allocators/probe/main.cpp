// SPDX-License-Identifier: Apache-2.0
// The program that tries an allocator: started under LD_PRELOAD by tool/allocators/prober.cpp. It writes one line a
// fact, KEY, a tab and the value, each at once, so that a crash leaves what was known before it.
#include "conformance.hpp"
#include "provider.hpp"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace linn::tool::probe {
namespace {

/// The function of that name in the library or what it needs, or null.
template <class F>
F* find(void* library, const char* name) {
    return reinterpret_cast<F*>(::dlsym(library, name));
}

/// mimalloc counts 2.0.9 as 209 and, since the middle number may have two digits, 2.3.2 as 20302.
std::string mimalloc_version(int number) {
    const int unit = number >= 10'000 ? 100 : 10;
    return std::to_string(number / (unit * unit)) + '.' + std::to_string(number / unit % unit) + '.' +
           std::to_string(number % unit);
}

std::string library_version(const std::string& library) {
    if (library.empty()) {
        return ::gnu_get_libc_version();
    }
    void* handle = ::dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) {
        return {};
    }
    if (auto* mallctl = find<int(const char*, void*, std::size_t*, void*, std::size_t)>(handle, "mallctl")) {
        const char* text = nullptr;
        std::size_t size = sizeof text;
        if (mallctl("version", &text, &size, nullptr, 0) == 0 && text != nullptr) {
            return text;
        }
    }
    if (auto* mi_version = find<int()>(handle, "mi_version")) {
        return mimalloc_version(mi_version());
    }
    if (auto* tc_version = find<const char*(int*, int*, const char**)>(handle, "tc_version")) {
        int major = 0;
        int minor = 0;
        const char* patch = "";
        tc_version(&major, &minor, &patch);
        return std::to_string(major) + '.' + std::to_string(minor) + (patch != nullptr ? patch : "");
    }
    return {};
}

void write_all(std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
        if (written <= 0) {
            std::_Exit(3);
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

/// One line, written without allocating: what is tried may be unable to.
void tell(std::string_view key, std::string_view value) {
    char line[PATH_MAX * 3];
    std::size_t size = 0;
    const auto append = [&](std::string_view text) {
        const std::size_t fits = text.size() < sizeof line - size - 1 ? text.size() : sizeof line - size - 1;
        std::memcpy(line + size, text.data(), fits);
        size += fits;
    };
    append(key);
    append("\t");
    append(value);
    line[size++] = '\n';
    write_all({line, size});
}

void doing(std::string_view what) {
    tell("doing", what);
}

void wrong(std::string_view what, bool harmful) {
    tell(harmful ? "wrong" : "weak", what);
}

/// The library behind a preload of Linn's own that only forwards, and whether it really serves this process.
void tell_backend() {
    using backend_function = const char*();
    if (auto* backend =
            reinterpret_cast<backend_function*>(::dlsym(RTLD_DEFAULT, "linn_allocator_backend"))) {
        const char* file = backend();
        tell("backend", file != nullptr ? file : "");
    }
}

int run(int argc, char** argv) {
    // Should the parent die without a chance to clean up, this process must not stay.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (argc != 3) {
        constexpr std::string_view text = "linn-allocator-probe is started by 'linn allocators'\n";
        return ::write(STDERR_FILENO, text.data(), text.size()) < 0 ? 3 : 2;
    }
    const std::string_view what = argv[1];
    const std::string library = argv[2];
    if (what == "huge") {
        check_huge_request(doing, wrong);
        tell("done", "");
        return 0;
    }
    doing("asking who provides memory");
    for (const provider& p : memory_providers()) {
        tell("provider", p.function + '\t' + p.file);
    }
    if (!library.empty()) {
        tell("mapped", is_mapped(library) ? "1" : "0");
    }
    tell("version", library_version(library));
    const unsigned checks = check_conformance(doing, wrong);
    tell_backend();
    tell("checks", std::to_string(checks));
    tell("done", "");
    return 0;
}

} // namespace
} // namespace linn::tool::probe

int main(int argc, char** argv) {
    return linn::tool::probe::run(argc, argv);
}
