// SPDX-License-Identifier: Apache-2.0
// A library that is preloaded into a program to count its allocations, as linn counts them: into the file that COUNTER_FILE
// names, 8 bytes each for new blocks, blocks that changed, and releases.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

#define EXPORTED extern "C" __attribute__((visibility("default")))
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace {

enum { blocks, changes, releases };

std::atomic<unsigned long> first[3]; // until the file is there
std::atomic<std::atomic<unsigned long>*> to{first};

__attribute__((constructor)) void begin() {
    const char* const name = std::getenv("COUNTER_FILE");
    const int fd = name == nullptr ? -1 : ::open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0 && ::ftruncate(fd, sizeof first) == 0) {
        void* const memory = ::mmap(nullptr, sizeof first, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        to = memory != MAP_FAILED ? static_cast<std::atomic<unsigned long>*>(memory) : first;
    }
    ::close(fd);
}

void* counted(void* block, int what = blocks) {
    to.load()[what] += block != nullptr || what == releases ? 1 : 0;
    return block;
}

} // namespace

EXPORTED void* malloc(std::size_t bytes) {
    return counted(__libc_malloc(bytes));
}
EXPORTED void* calloc(std::size_t count, std::size_t bytes) {
    return counted(__libc_calloc(count, bytes));
}
EXPORTED void* realloc(void* old, std::size_t bytes) {
    void* const block = __libc_realloc(old, bytes);
    return counted(block, old == nullptr ? blocks : block != nullptr ? changes : releases);
}
EXPORTED void* reallocarray(void* old, std::size_t count, std::size_t bytes) {
    return realloc(old, count * bytes);
}
EXPORTED void free(void* block) {
    if (block != nullptr) {
        counted(block, releases);
        __libc_free(block);
    }
}
EXPORTED void* memalign(std::size_t alignment, std::size_t bytes) {
    return counted(__libc_memalign(alignment, bytes));
}
EXPORTED void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
    return memalign(alignment, bytes);
}
EXPORTED int posix_memalign(void** into, std::size_t alignment, std::size_t bytes) {
    void* const block = counted(__libc_memalign(alignment, bytes));
    *into = block != nullptr ? block : *into;
    return block != nullptr ? 0 : ENOMEM;
}
