// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <climits>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>
#include <vector>

namespace linn::tool {

/// Which file provides one function that allocates or frees.
struct provider {
    std::string function; ///< "malloc", "operator new" …
    std::string file;     ///< as the dynamic loader names it, resolved to a real path
};

namespace provider_detail {

inline std::string file_of(const void* address) {
    Dl_info info{};
    if (address == nullptr || ::dladdr(address, &info) == 0 || info.dli_fname == nullptr) {
        return "unknown";
    }
    char resolved[PATH_MAX];
    return ::realpath(info.dli_fname, resolved) != nullptr ? std::string{resolved}
                                                           : std::string{info.dli_fname};
}

template <class F>
provider ask(const char* function, const char* symbol, F* address) {
    // Through a volatile, so that the address is the one the loader wrote and not one the linker assumed.
    F* volatile called = address;
    const std::string by_call = file_of(reinterpret_cast<const void*>(called));
    const std::string by_name = file_of(::dlsym(RTLD_DEFAULT, symbol));
    if (by_call == by_name) {
        return {function, by_call};
    }
    return {function, by_call + " (called) but " + by_name + " (by name)"};
}

} // namespace provider_detail

/// Asks the running process who provides each function, twice: by name as any later library would find it, and by
/// the address this program really calls. Where the two differ, the file reads "FILE (called) but FILE (by name)".
inline std::vector<provider> memory_providers() {
    using namespace provider_detail;
    // The mangled names of operator new contain the letter for size_t: 'm' where it is unsigned long, else 'j'.
    constexpr bool is_long = sizeof(std::size_t) == sizeof(unsigned long) && sizeof(void*) == 8;
    return {
        ask<void*(std::size_t)>("malloc", "malloc", &std::malloc),
        ask<void(void*)>("free", "free", &std::free),
        ask<void*(std::size_t)>("operator new", is_long ? "_Znwm" : "_Znwj", &::operator new),
        ask<void(void*) noexcept>("operator delete", "_ZdlPv", &::operator delete),
        ask<void(void*, std::size_t) noexcept>("sized operator delete", is_long ? "_ZdlPvm" : "_ZdlPvj",
                                               &::operator delete),
    };
}

/// True when the file, a resolved path, is mapped into this process.
inline bool is_mapped(const std::string& file) {
    std::ifstream maps{"/proc/self/maps"};
    std::string line;
    while (std::getline(maps, line)) {
        if (const std::size_t slash = line.find('/');
            slash != std::string::npos && line.substr(slash) == file) {
            return true;
        }
    }
    return false;
}

} // namespace linn::tool
