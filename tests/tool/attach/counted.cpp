// SPDX-License-Identifier: Apache-2.0
// What programs of the tests allocate: through the slots of this library, in sizes that nothing else has. Its constructor and destructor
// allocate too.
#include <sys/syscall.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t first_size = 1000; // of blocks whose sizes count up
constexpr std::size_t sizes = 977;
constexpr std::size_t marked = 200'000;

std::atomic<bool> stops{false};
std::vector<std::thread> busy;
std::vector<void*> kept;

void keep(void* block) {
    asm volatile("" : : "r"(block) : "memory");
}

void pair(std::size_t size) {
    void* const block = std::malloc(size);
    keep(block);
    std::free(block);
}

__attribute__((constructor)) void begin() {
    pair(marked + 100'001);
}
__attribute__((destructor)) void end() {
    pair(marked + 100'002);
}

/// What the program must not lose over an attachment: registers of all kinds, errno, and the results.
[[gnu::noinline]] double sum_of(unsigned long i) {
    double sum = 0;
    for (int k = 1; k != 200; ++k) {
        sum += 1.0 / (static_cast<double>(i % 7 + 1) * k);
    }
    keep(nullptr); // two calls stay two
    return sum;
}

void count_up() {
    for (unsigned long i = 0; !stops.load(std::memory_order_relaxed); ++i) {
        errno = static_cast<int>(i % 100) + 1;
        void* const block = std::malloc(first_size + i % sizes);
        keep(block);
        std::memset(block, 1, 100);
        std::free(block);
        if (errno != static_cast<int>(i % 100) + 1 || sum_of(i) != sum_of(i)) {
            std::abort();
        }
    }
}

} // namespace

#if defined(__x86_64__) && defined(__GLIBC__)
namespace {

void nothing() {}

/// Called while the loader relocates this library. Lasts as long as there is a file named "hold"; may call no other library.
extern "C" [[gnu::used]] void (*resolve())() {
    long result = 0;
    do {
        asm volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_access), "D"("hold"), "S"(0)
                     : "rcx", "r11", "memory");
    } while (result == 0);
    return &nothing;
}

} // namespace

extern "C" {
void wait_in_loader() __attribute__((ifunc("resolve")));

/// In pages that are read-only once they are relocated: the loader writes the last one when resolve() has returned.
__attribute__((visibility("default"))) extern void* const relocated[];
void* const relocated[] = {reinterpret_cast<void*>(&std::malloc), reinterpret_cast<void*>(&std::free),
                           reinterpret_cast<void*>(&wait_in_loader)};
}
#endif

extern "C" {
/// Threads that allocate until rest().
__attribute__((visibility("default"))) void be_busy(int threads) {
    for (int i = 0; i != threads; ++i) {
        busy.emplace_back(count_up);
    }
}
__attribute__((visibility("default"))) void rest() {
    stops.store(true);
    for (auto& t : busy) {
        t.join();
    }
}

__attribute__((visibility("default"))) void work(std::size_t size, int count) {
    size += marked;
    for (int i = 0; i != count; ++i) {
        void* block = std::malloc(size);
        keep(block);
        block = std::realloc(block, size + 1);
        keep(block);
        std::free(block);
        keep(block = std::calloc(1, size + 2));
        std::free(block);
        char* const array = new char[size + 3];
        keep(array);
        delete[] array;
        void* aligned = nullptr;
        if (::posix_memalign(&aligned, 64, size + 4) == 0) {
            keep(aligned);
            std::free(aligned);
        }
    }
}

/// Blocks that live until give().
__attribute__((visibility("default"))) void take(int count) {
    for (int i = 0; i != count; ++i) {
        kept.push_back(std::malloc(marked + 50));
    }
}
__attribute__((visibility("default"))) void give() {
    for (void* const block : kept) {
        std::free(block);
    }
    kept.clear();
}

__attribute__((visibility("default"))) void fill(int count) {
    for (int i = 0; i != count; ++i) {
        void* const block = std::malloc(marked + 60);
        keep(block);
        std::memset(block, 0, marked + 60);
        keep(block);
        std::free(block);
    }
}
}
