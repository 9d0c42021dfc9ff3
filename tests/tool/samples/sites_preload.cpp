// SPDX-License-Identifier: Apache-2.0
// Preloaded into a sample: counts its allocations by stack (glibc's backtrace) and size, looks for a virtual table in the
// first blocks of each, and writes it all at the end to the file that LINN_SAMPLE_SITES names. The simplest recorder
// that can be: slow, but it shares nothing with the recorder whose results it stands in for.
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

constexpr int depth = 16;
constexpr std::size_t table_slots = std::size_t{1} << 16U;
constexpr int probes_a_site = 8;

struct site {
    void* stack[depth];
    int frames;
    char call; ///< 'm' malloc family, 'n' new, 'a' new[]
    std::size_t bytes;
    unsigned long count;
    int probes;
    char rtti[200];
};

site* table; // of table_slots, open addressing
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
thread_local bool inside;
thread_local site* last_site;
thread_local void* last_block;

void* (*real_malloc)(std::size_t);
void* (*real_calloc)(std::size_t, std::size_t);
void* (*real_realloc)(void*, std::size_t);
int (*real_posix_memalign)(void**, std::size_t, std::size_t);

alignas(16) char early[8192]; // for what dlsym itself allocates
std::size_t early_used;

template <class Function>
void find(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

void start() {
    if (real_malloc != nullptr || inside) {
        return;
    }
    inside = true;
    find(real_calloc, "calloc");
    find(real_realloc, "realloc");
    find(real_posix_memalign, "posix_memalign");
    void* stack[2];
    ::backtrace(stack, 2); // loads libgcc
    table = static_cast<site*>(real_calloc(table_slots, sizeof(site)));
    find(real_malloc, "malloc");
    inside = false;
}

bool read(const void* from, void* to, std::size_t bytes) {
    iovec local{to, bytes};
    iovec remote{const_cast<void*>(from), bytes};
    return ::process_vm_readv(::getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

/// block -> virtual table -> type_info -> name.
void probe() {
    site* one = last_site;
    last_site = nullptr;
    void** table_of_functions = nullptr;
    void* information = nullptr;
    char* name = nullptr;
    if (one == nullptr || one->rtti[0] != '\0' || one->probes >= probes_a_site ||
        one->bytes < sizeof(void*)) {
        return;
    }
    ++one->probes;
    Dl_info where;
    if (!read(last_block, &table_of_functions, sizeof(void*)) || table_of_functions == nullptr ||
        (reinterpret_cast<std::uintptr_t>(table_of_functions) & 7U) != 0 ||
        ::dladdr(table_of_functions, &where) == 0 ||
        !read(table_of_functions - 1, &information, sizeof(void*)) ||
        (reinterpret_cast<std::uintptr_t>(information) & 7U) != 0 ||
        !read(static_cast<char**>(information) + 1, &name, sizeof(name))) {
        return;
    }
    char text[sizeof(one->rtti)];
    for (std::size_t i = 0; i < sizeof(text); ++i) {
        if (!read(name + i, &text[i], 1) || (text[i] != '\0' && (text[i] <= ' ' || text[i] > '~'))) {
            return;
        }
        if (text[i] == '\0') {
            if (i > 1) {
                std::memcpy(one->rtti, text, i + 1);
            }
            return;
        }
    }
}

// Not inlined, so that the number of frames to leave out is known.
[[gnu::noinline]] void record(char call, std::size_t bytes, void* block) {
    if (inside || table == nullptr || block == nullptr) {
        return;
    }
    inside = true;
    void* stack[depth + 2];
    const int frames = ::backtrace(stack, depth + 2) - 2;
    ::pthread_mutex_lock(&lock);
    probe();
    std::size_t hash = bytes * 31 + static_cast<std::size_t>(call);
    for (int i = 0; i < frames; ++i) {
        hash = (hash ^ reinterpret_cast<std::uintptr_t>(stack[i + 2])) * 0x9e3779b97f4a7c15U;
    }
    for (std::size_t slot = hash >> 40U;; ++slot) {
        site& one = table[slot % table_slots];
        if (one.count == 0) {
            one.frames = frames;
            one.call = call;
            one.bytes = bytes;
            std::memcpy(one.stack, stack + 2,
                        static_cast<std::size_t>(frames > 0 ? frames : 0) * sizeof(void*));
        } else if (one.frames != frames || one.bytes != bytes || one.call != call ||
                   std::memcmp(one.stack, stack + 2, static_cast<std::size_t>(frames) * sizeof(void*)) != 0) {
            continue;
        }
        ++one.count;
        last_site = &one;
        last_block = block;
        break;
    }
    ::pthread_mutex_unlock(&lock);
    inside = false;
}

void* aligned(std::size_t bytes, std::size_t alignment) {
    start();
    void* block = nullptr;
    return real_posix_memalign(&block, alignment, bytes) == 0 ? block : nullptr;
}

/// A line a site: count, bytes, call, RTTI or "-", then "path address" for each frame, by tabulators.
struct writer {
    ~writer() {
        const char* path = std::getenv("LINN_SAMPLE_SITES");
        inside = true;
        std::FILE* out = path == nullptr ? nullptr : std::fopen(path, "w");
        for (std::size_t i = 0; out != nullptr && i < table_slots; ++i) {
            const site& one = table[i];
            if (one.count == 0) {
                continue;
            }
            std::fprintf(out, "%lu\t%zu\t%c\t%s", one.count, one.bytes, one.call,
                         one.rtti[0] == '\0' ? "-" : one.rtti);
            for (int frame = 0; frame < one.frames; ++frame) {
                Dl_info where;
                link_map* map = nullptr;
                const auto address = reinterpret_cast<std::uintptr_t>(one.stack[frame]);
                if (::dladdr1(one.stack[frame], &where, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) ==
                    0) {
                    break;
                }
                std::fprintf(out, "\t%s %lx", map->l_name[0] == '\0' ? "/proc/self/exe" : where.dli_fname,
                             static_cast<unsigned long>(address - map->l_addr));
            }
            std::fputc('\n', out);
        }
        if (out != nullptr) {
            std::fclose(out);
        }
    }
};

writer at_exit;

} // namespace

extern "C" {

void* malloc(std::size_t bytes) {
    start();
    if (real_malloc == nullptr) {
        const std::size_t rounded = (bytes + 15) / 16 * 16;
        early_used += rounded;
        return early + early_used - rounded;
    }
    void* block = real_malloc(bytes);
    record('m', bytes, block);
    return block;
}

void* calloc(std::size_t count, std::size_t bytes) {
    start();
    if (real_malloc == nullptr) {
        return real_calloc != nullptr ? real_calloc(count, bytes) : ::malloc(count * bytes);
    }
    void* block = real_calloc(count, bytes);
    record('m', count * bytes, block);
    return block;
}

} // extern "C"

void* operator new(std::size_t bytes) {
    start();
    void* block = real_malloc(bytes);
    record('n', bytes, block);
    if (block == nullptr) {
        throw std::bad_alloc();
    }
    return block;
}

void* operator new[](std::size_t bytes) {
    start();
    void* block = real_malloc(bytes);
    record('a', bytes, block);
    if (block == nullptr) {
        throw std::bad_alloc();
    }
    return block;
}

void* operator new(std::size_t bytes, std::align_val_t alignment) {
    void* block = aligned(bytes, static_cast<std::size_t>(alignment));
    record('n', bytes, block);
    if (block == nullptr) {
        throw std::bad_alloc();
    }
    return block;
}

void operator delete(void* block) noexcept {
    std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
    std::free(block);
}
void operator delete[](void* block) noexcept {
    std::free(block);
}
void operator delete[](void* block, std::size_t) noexcept {
    std::free(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
    std::free(block);
}
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
    std::free(block);
}
