// SPDX-License-Identifier: Apache-2.0
#include "library_walker.hpp"

#include <dlfcn.h>

#include <cerrno>

namespace linn::tool::unwind {
namespace {

using backtrace_function = int(void**, int);

backtrace_function* unw_backtrace = nullptr;

} // namespace

bool load_libunwind() noexcept {
    if (unw_backtrace == nullptr) {
        if (void* const library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL); library != nullptr) {
            unw_backtrace = reinterpret_cast<backtrace_function*>(dlsym(library, "unw_backtrace"));
        }
    }
    return unw_backtrace != nullptr;
}

unsigned walk_with_libunwind(const frame_start& start, unsigned depth, std::uintptr_t* frames) noexcept {
    // The recorder's own frames come first: its hook and what that calls.
    constexpr unsigned most_own = 16;
    void* found[most_own + most_frames];
    const int before = errno;
    const int count = unw_backtrace(found, static_cast<int>(most_own + depth));
    errno = before;
    frames[0] = start.return_address;
    unsigned kept = 1;
    for (int i = 0; i < count; ++i) {
        if (reinterpret_cast<std::uintptr_t>(found[i]) != start.return_address) {
            continue;
        }
        for (++i; i < count && kept != depth && found[i] != nullptr; ++i) {
            frames[kept++] = reinterpret_cast<std::uintptr_t>(found[i]);
        }
    }
    return kept;
}

} // namespace linn::tool::unwind
