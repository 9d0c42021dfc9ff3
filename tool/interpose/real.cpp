// SPDX-License-Identifier: Apache-2.0
#include "real.hpp"

#include "boot_arena.hpp"
#include "raw.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstring>

namespace linn::tool::preload {
namespace {

void* first_malloc(std::size_t bytes) noexcept {
    return find_real_functions() ? real.malloc(bytes) : boot_arena::allocate(bytes);
}
void* first_calloc(std::size_t count, std::size_t bytes) noexcept {
    std::size_t all = 0;
    if (find_real_functions()) {
        return real.calloc(count, bytes);
    }
    return __builtin_mul_overflow(count, bytes, &all) ? nullptr : boot_arena::allocate(all);
}
void* first_realloc(void* old, std::size_t bytes) noexcept {
    if (find_real_functions()) {
        return real.realloc(old, bytes);
    }
    void* const block = boot_arena::allocate(bytes);
    if (block != nullptr && old != nullptr) {
        std::memcpy(block, old, boot_arena::size_of(old) < bytes ? boot_arena::size_of(old) : bytes);
    }
    return block;
}
void first_free(void* block) noexcept {
    if (find_real_functions()) {
        real.free(block);
    }
}
/// While nothing else is there: without a loop that the compiler would make a call of memset.
void* slow_memset(void* to, int value, std::size_t bytes) noexcept {
    auto* p = static_cast<volatile unsigned char*>(to);
    for (; bytes != 0; --bytes) {
        *p++ = static_cast<unsigned char>(value);
    }
    return to;
}
void* first_memset(void* to, int value, std::size_t bytes) noexcept {
    return find_real_functions() ? real.memset(to, value, bytes) : slow_memset(to, value, bytes);
}

template <typename Function>
void find(Function& into, const char* name) noexcept {
    if (void* const next = ::dlsym(RTLD_NEXT, name)) {
        into = reinterpret_cast<Function>(next);
    }
}

enum : int { unknown, looking, known };
constinit std::atomic<int> state{unknown};

} // namespace

constinit real_functions real{first_malloc, first_calloc, first_realloc, first_free, first_memset, nullptr,
                              nullptr,      nullptr,      nullptr,       nullptr,    nullptr,      nullptr,
                              nullptr,      nullptr,      nullptr,       nullptr,    nullptr};

bool find_real_functions() noexcept {
    int expected = unknown;
    if (!state.compare_exchange_strong(expected, looking, std::memory_order_acquire)) {
        return expected == known;
    }
    const kept_errno saved;
    // What dlsym needs when it fails comes first.
    find(real.malloc, "malloc");
    find(real.calloc, "calloc");
    find(real.free, "free");
    find(real.realloc, "realloc");
    find(real.memset, "memset");
    find(real.posix_memalign, "posix_memalign");
    find(real.aligned_alloc, "aligned_alloc");
    find(real.memalign, "memalign");
    find(real.valloc, "valloc");
    find(real.pvalloc, "pvalloc");
    find(real.reallocarray, "reallocarray");
    find(real.memset_chk, "__memset_chk");
    find(real.malloc_usable_size, "malloc_usable_size");
    find(real.malloc_trim, "malloc_trim");
    find(real.dlclose, "dlclose");
    find(real.dlopen, "dlopen");
    find(real.mlockall, "mlockall");
    ::dlerror(); // or the program would be told of what we did not find
    state.store(known, std::memory_order_release);
    return true;
}

} // namespace linn::tool::preload
