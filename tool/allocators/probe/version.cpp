// SPDX-License-Identifier: Apache-2.0
#include "version.hpp"

#include <dlfcn.h>
#include <gnu/libc-version.h>

#include <cstddef>

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

} // namespace

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

} // namespace linn::tool::probe
