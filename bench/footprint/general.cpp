// SPDX-License-Identifier: Apache-2.0
#include "footprint.hpp"

#include <dlfcn.h>
#include <malloc.h>

#include <cstdint>

namespace linn::bench::footprint {
namespace {

struct storage {
    static small* take() { return new small; }
    static void give(small* p) noexcept { delete p; }
};

template <class Function>
Function* loaded(const char* name) noexcept {
    return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

/// Every allocator has a call of its own. Whichever the process has is the preloaded one's, or the C library's.
const char* trim() {
    if (auto* mallctl = loaded<int(const char*, void*, std::size_t*, void*, std::size_t)>("mallctl")) {
        mallctl("thread.tcache.flush", nullptr, nullptr, nullptr, 0);
        // 4096 is jemalloc's name for all arenas.
        return mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0) == 0
                   ? "trimmed by mallctl thread.tcache.flush, arena.4096.purge"
                   : "mallctl arena.4096.purge failed";
    }
    if (auto* collect = loaded<void(bool)>("mi_collect")) {
        collect(true);
        return "trimmed by mi_collect(true)";
    }
    if (auto* release = loaded<void()>("MallocExtension_ReleaseFreeMemory")) {
        if (auto* idle = loaded<void()>("MallocExtension_MarkThreadIdle")) {
            idle();
        }
        release();
        return "trimmed by MallocExtension_ReleaseFreeMemory()";
    }
    // The proxy carries the allocator in a library that is not in the global scope by this name alone.
    if (void* tbb = ::dlopen("libtbbmalloc.so.2", RTLD_LAZY | RTLD_NOLOAD); tbb != nullptr) {
        using command = int(int, void*);
        if (auto* clean = reinterpret_cast<command*>(::dlsym(tbb, "scalable_allocation_command"))) {
            constexpr int clean_all_buffers = 0;
            clean(clean_all_buffers, nullptr);
            return "trimmed by scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS)";
        }
    }
    ::malloc_trim(0);
    return "trimmed by malloc_trim(0)";
}

} // namespace

void run_general(sampler& s) {
    measure<storage>(s, trim);
}

} // namespace linn::bench::footprint
