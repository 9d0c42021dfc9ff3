// SPDX-License-Identifier: Apache-2.0
// What programs of the tests allocate: through the slots of this library, in sizes that nothing else has. Its constructor and destructor
// allocate too.
#include <sys/syscall.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t first_size = 1000; // of blocks whose sizes count up
constexpr std::size_t sizes = 977;
constexpr std::size_t marked = 200'000;

std::vector<std::jthread> busy;

void* keep(void* block) {
    asm volatile("" : : "r"(block) : "memory");
    return block;
}

__attribute__((constructor)) void begin() {
    std::free(keep(std::malloc(marked + 100'001)));
}
__attribute__((destructor)) void end() {
    std::free(keep(std::malloc(marked + 100'002)));
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

void count_up(const std::stop_token& stop) {
    for (unsigned long i = 0; !stop.stop_requested(); ++i) {
        errno = static_cast<int>(i % 100) + 1;
        void* const block = keep(std::malloc(first_size + i % sizes));
        std::memset(block, 1, 100);
        std::free(block);
        if (errno != static_cast<int>(i % 100) + 1 || sum_of(i) != sum_of(i)) {
            std::abort();
        }
    }
}

} // namespace

#if defined(__x86_64__) && defined(__GLIBC__)
extern "C" {
/// Called while the loader relocates this library. Lasts as long as there is a file named "hold"; may call no other library.
void (*resolve())() {
    long result = 0;
    do {
        asm volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_access), "D"("hold"), "S"(0)
                     : "rcx", "r11", "memory");
    } while (result == 0);
    return [] {};
}
void wait_in_loader() __attribute__((ifunc("resolve")));

/// In pages that are read-only once they are relocated: the loader writes the last one when resolve() has returned.
extern void* const relocated[];
void* const relocated[] = {reinterpret_cast<void*>(&std::malloc), reinterpret_cast<void*>(&std::free),
                           reinterpret_cast<void*>(&wait_in_loader)};
}
#endif

extern "C" {
/// Threads that allocate until rest().
void be_busy(int threads) {
    for (int i = 0; i != threads; ++i) {
        busy.emplace_back(count_up);
    }
}
void rest() {
    busy.clear();
}

void work(std::size_t size, int count) {
    size += marked;
    for (int i = 0; i != count; ++i) {
        std::free(keep(std::realloc(keep(std::malloc(size)), size + 1)));
        std::free(keep(std::calloc(1, size + 2)));
        delete[] static_cast<char*>(keep(new char[size + 3]));
        std::free(keep(std::aligned_alloc(64, size + 4)));
    }
}

/// A block that lives until give(), which may come after another recording has begun.
void* take() {
    return std::malloc(marked + 50);
}
void give(void* block) {
    std::free(block);
}
}
