// SPDX-License-Identifier: Apache-2.0
#include "pairs.hpp"
#include "scaling.hpp"
#include "sets.hpp"

#include <dlfcn.h>
#include <malloc.h>

#include <new>

namespace linn::tool::worker {
namespace {

template <class Function>
Function* loaded(const char* name, void* where = RTLD_DEFAULT) noexcept {
    return reinterpret_cast<Function*>(::dlsym(where, name));
}

/// Every allocator has a call of its own to give memory back. Whichever the process has is the preloaded one's, or the C
/// library's.
void trim_heap() {
    if (auto* mallctl = loaded<int(const char*, void*, std::size_t*, void*, std::size_t)>("mallctl")) {
        mallctl("thread.tcache.flush", nullptr, nullptr, nullptr, 0);
        mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0); // jemalloc's name for all arenas
    } else if (auto* collect = loaded<void(bool)>("mi_collect")) {
        collect(true);
    } else if (auto* release = loaded<void()>("MallocExtension_ReleaseFreeMemory")) {
        if (auto* idle = loaded<void()>("MallocExtension_MarkThreadIdle")) {
            idle();
        }
        release();
    } else if (void* tbb = ::dlopen("libtbbmalloc.so.2", RTLD_LAZY | RTLD_NOLOAD); tbb != nullptr) {
        // The proxy carries the allocator in a library that is not in the global scope, by this name alone.
        constexpr int clean_all_buffers = 0;
        if (auto* command = loaded<int(int, void*)>("scalable_allocation_command", tbb)) {
            command(clean_all_buffers, nullptr);
        }
    } else {
        ::malloc_trim(0);
    }
}

/// Plain new and delete: the allocator that the process was started with.
template <std::size_t Bytes>
struct general_source {
    static void* take() { return ::operator new(Bytes); }
    static void give(void* p) noexcept { ::operator delete(p, Bytes); }
    static void trim() { trim_heap(); }
};

/// The usual pool: free objects are linked through their own memory, chunks are carved as they are needed and never given
/// back. One thread's only, so it needs no lock.
template <std::size_t Bytes>
class free_list {
    struct link {
        link* next;
    };

public:
    static void* take() {
        link* l = free_;
        if (l == nullptr) [[unlikely]] {
            l = carve();
        }
        free_ = l->next;
        return l;
    }

    static void give(void* p) noexcept {
        link* l = static_cast<link*>(p);
        l->next = free_;
        free_ = l;
    }

private:
    [[gnu::noinline]] static link* carve() {
        constexpr std::size_t chunk_bytes = std::size_t{1} << 16;
        char* chunk = static_cast<char*>(::operator new(chunk_bytes));
        for (std::size_t n = chunk_bytes / Bytes; n > 0; --n) {
            give(chunk + (n - 1) * Bytes);
        }
        return free_;
    }

    static inline constinit thread_local link* free_ = nullptr;
};

/// A thread-local array of pointers that is always full enough and never checked: no pool of pointers can do with less.
struct pointer_array {
    static inline constinit thread_local void** top = nullptr;

    static void* take() noexcept { return *--top; }
    static void give(void* p) noexcept { *top++ = p; }
};

outcome run_floor(const options& o) {
    mapped_array<char> objects{most_live * object_bytes};
    mapped_array<void*> free{most_live};
    for (std::size_t i = 0; i != most_live; ++i) {
        free[i] = objects.begin() + i * object_bytes;
    }
    pointer_array::top = free.end();
    return run_pairs<pointer_array>(o);
}

constexpr variant all[] = {
    {"pairs", "new_delete", &run_pairs<general_source<object_bytes>>},
    {"bursts", "new_delete", &run_bursts<one_by_one<general_source<object_bytes>>>},
    {"scattered", "new_delete", &run_scattered<general_source<object_bytes>>},
    {"live-sets", "new_delete", &run_live_sets<general_source>},
    {"scaling", "new_delete", &run_scaling<general_source<object_bytes>>},
    {"footprint", "new_delete", &run_footprint<general_source<footprint_bytes>>},
    {"pairs", "free_list", &run_pairs<free_list<object_bytes>>},
    {"scattered", "free_list", &run_scattered<free_list<object_bytes>>},
    {"pairs", "array", &run_floor},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
