// SPDX-License-Identifier: Apache-2.0
#include "real.hpp"

#include "operators.hpp"
#include "raw.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstring>

namespace linn::tool::preload {

alignas(16) constinit unsigned char boot_arena::memory[capacity];

namespace {

constinit std::atomic<std::size_t> used{0}; ///< of the boot arena

void* first_malloc(std::size_t bytes) noexcept {
    return find_real_functions() ? real.malloc(bytes) : boot_arena::allocate(bytes);
}
void* first_calloc(std::size_t count, std::size_t bytes) noexcept {
    return find_real_functions() ? real.calloc(count, bytes)
                                 : boot_arena::allocate(array_bytes(count, bytes));
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
void take(Function& into, void* found) noexcept {
    if (found != nullptr) {
        into = reinterpret_cast<Function>(found);
    }
}

template <typename Look>
void find_all(Look look) noexcept {
    const kept_errno saved;
    // What dlsym needs when it fails comes first.
    take(real.malloc, look("malloc"));
    take(real.calloc, look("calloc"));
    take(real.free, look("free"));
    take(real.realloc, look("realloc"));
    take(real.memset, look("memset"));
    take(real.posix_memalign, look("posix_memalign"));
    take(real.aligned_alloc, look("aligned_alloc"));
    take(real.memalign, look("memalign"));
    take(real.valloc, look("valloc"));
    take(real.pvalloc, look("pvalloc"));
    take(real.memset_chk, look("__memset_chk"));
    take(real.malloc_usable_size, look("malloc_usable_size"));
    take(real.malloc_trim, look("malloc_trim"));
    take(real.dlclose, look("dlclose"));
    take(real.dlopen, look("dlopen"));
    take(real.mlockall, look("mlockall"));
    ::dlerror(); // otherwise the program would read our error
}

enum : int { unknown, looking, known };
constinit std::atomic<int> state{unknown};

} // namespace

constinit real_functions real{first_malloc, first_calloc, first_realloc, first_free, first_memset, nullptr,
                              nullptr,      nullptr,      nullptr,       nullptr,    nullptr,      nullptr,
                              nullptr,      nullptr,      nullptr,       nullptr};

bool find_real_functions() noexcept {
    int expected = unknown;
    if (!state.compare_exchange_strong(expected, looking, std::memory_order_acquire)) {
        return expected == known;
    }
    find_all([](const char* name) { return ::dlsym(RTLD_NEXT, name); });
    state.store(known, std::memory_order_release);
    return true;
}

void find_program_functions() noexcept {
    state.store(looking, std::memory_order_relaxed);
    find_all([](const char* name) {
        // For some the C library chooses one of several, which only dlsym knows; what dlsym says of the others may be the
        // executable's entry for them.
        void* const chosen = ::dlsym(RTLD_DEFAULT, name);
        void* const defined = std::strstr(name, "memset") == nullptr ? find_anywhere(name) : nullptr;
        return defined != nullptr ? defined : chosen;
    });
    state.store(known, std::memory_order_release);
}

void* boot_arena::allocate(std::size_t bytes) noexcept {
    if (bytes > capacity) {
        return nullptr;
    }
    const std::size_t room = (bytes + 15) / 16 * 16 + 16;
    const std::size_t start = used.fetch_add(room, std::memory_order_relaxed);
    if (start + room > capacity || start > capacity) {
        return nullptr;
    }
    unsigned char* const block = memory + start + 16;
    *reinterpret_cast<std::size_t*>(block - 16) = bytes;
    return block;
}

} // namespace linn::tool::preload
