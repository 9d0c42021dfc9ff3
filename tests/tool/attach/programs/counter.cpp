// SPDX-License-Identifier: Apache-2.0
// A library that is preloaded into a program to count its allocations, as linn counts them: into the file that COUNTER_FILE
// names, 8 bytes each for new blocks, blocks that changed, and releases.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace {

struct counters {
    std::atomic<unsigned long> blocks;
    std::atomic<unsigned long> changes;
    std::atomic<unsigned long> releases;
};

counters first{}; // until the file is there
std::atomic<counters*> to{&first};

void add(std::atomic<unsigned long> counters::* member) {
    (to.load(std::memory_order_relaxed)->*member).fetch_add(1, std::memory_order_relaxed);
}

template <class F>
F* next(const char* name) {
    return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

void* counted(void* block) {
    if (block != nullptr) {
        add(&counters::blocks);
    }
    return block;
}

// dlsym may call calloc before it has found the next one.
alignas(64) char arena[4096];
std::atomic<std::size_t> used{0};
bool is_own(const void* p) {
    return p >= arena && p < arena + sizeof arena;
}

void* (*next_malloc)(std::size_t);
void* (*next_calloc)(std::size_t, std::size_t);
void* (*next_realloc)(void*, std::size_t);
void (*next_free)(void*);
void* (*next_memalign)(std::size_t, std::size_t);

__attribute__((constructor)) void begin() {
    next_malloc = next<void*(std::size_t)>("malloc");
    next_calloc = next<void*(std::size_t, std::size_t)>("calloc");
    next_realloc = next<void*(void*, std::size_t)>("realloc");
    next_free = next<void(void*)>("free");
    next_memalign = next<void*(std::size_t, std::size_t)>("memalign");
    const char* const name = std::getenv("COUNTER_FILE");
    const int fd = name == nullptr ? -1 : ::open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0 && ::ftruncate(fd, sizeof(counters)) == 0) {
        void* const memory = ::mmap(nullptr, sizeof(counters), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (memory != MAP_FAILED) {
            to.store(static_cast<counters*>(memory));
        }
    }
    ::close(fd);
}

void* from_arena(std::size_t bytes) {
    const std::size_t at = used.fetch_add((bytes + 63) / 64 * 64);
    return at + bytes <= sizeof arena ? arena + at : nullptr;
}

} // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED void* malloc(std::size_t bytes) {
    return next_malloc != nullptr ? counted(next_malloc(bytes)) : from_arena(bytes);
}
EXPORTED void* calloc(std::size_t count, std::size_t bytes) {
    return next_calloc != nullptr ? counted(next_calloc(count, bytes)) : from_arena(count * bytes);
}
EXPORTED void* realloc(void* old, std::size_t bytes) {
    if (is_own(old)) {
        void* const block = malloc(bytes);
        std::memcpy(block, old, 64);
        return block;
    }
    void* const block = next_realloc(old, bytes);
    if (old == nullptr) {
        return counted(block);
    }
    add(block != nullptr ? &counters::changes : &counters::releases);
    return block;
}
EXPORTED void* reallocarray(void* old, std::size_t count, std::size_t bytes) {
    return realloc(old, count * bytes);
}
EXPORTED void free(void* block) {
    if (block != nullptr && !is_own(block)) {
        add(&counters::releases);
        next_free(block);
    }
}
EXPORTED void* memalign(std::size_t alignment, std::size_t bytes) {
    return counted(next_memalign(alignment, bytes));
}
EXPORTED void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
    return counted(next_memalign(alignment, bytes));
}
EXPORTED int posix_memalign(void** into, std::size_t alignment, std::size_t bytes) {
    void* const block = counted(next_memalign(alignment, bytes));
    *into = block != nullptr ? block : *into;
    return block != nullptr ? 0 : ENOMEM;
}
