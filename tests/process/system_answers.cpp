// SPDX-License-Identifier: Apache-2.0
// Promise: pools and buffers work with every answer of Linux, old or new; and Linux is asked for huge pages where they are wanted,
// but not to make huge pages of memory that went back.
//
// Breaks when an answer that this machine never gives is taken for another, as EINVAL of a kernel before 5.14 for memory that
// cannot be read. So these answers are given here, in the place of the system calls: properties.cmake links this file with --wrap for each of them.
#include "process.hpp"

#if defined(__linux__)
#include <linn/buffer_pool.hpp>
#include <linn/pool.hpp>

#include <sys/mman.h>

namespace {

using linn_test::mib;
using system_pages = linn::detail::system_pages;
using system_buffer_pages = linn::detail::system_buffer_pages;

constexpr std::size_t bytes = 8 * mib;
constexpr int populate_read = 22; // MADV_POPULATE_READ and _WRITE, which older headers lack
constexpr int populate_write = 23;

/// What the system answers differently; all as it is at first.
struct answers {
    int populating = 0;                ///< errno instead of making pages present
    bool protections_stay = false;     ///< mprotect fails
    const void* asked_about = nullptr; ///< where it was last told whether huge pages are wanted,
    int asked_for = 0;                 ///< and what
};
answers system_says;

int failed(int number) {
    errno = number;
    return -1;
}

} // namespace

extern "C" {
int __real_madvise(void* p, std::size_t size, int advice);
int __real_mprotect(void* p, std::size_t size, int access);
int __wrap_madvise(void* p, std::size_t size, int advice);
int __wrap_mprotect(void* p, std::size_t size, int access);

int __wrap_madvise(void* p, std::size_t size, int advice) {
    if (system_says.populating != 0 && (advice == populate_read || advice == populate_write)) {
        return failed(system_says.populating);
    }
    if (advice == MADV_HUGEPAGE || advice == MADV_NOHUGEPAGE) {
        system_says.asked_about = p;
        system_says.asked_for = advice;
    }
    return __real_madvise(p, size, advice);
}

int __wrap_mprotect(void* p, std::size_t size, int access) {
    return system_says.protections_stay && access != PROT_NONE ? failed(ENOMEM)
                                                               : __real_mprotect(p, size, access);
}
}

namespace {

void use(linn::buffer& b) {
    std::memset(b.data(), 0x3c, b.capacity());
    CHECK(b.span()[bytes / 2] == std::byte{0x3c});
}

std::size_t resident(const linn::buffer& b) {
    std::vector<unsigned char> pages(b.capacity() / system_buffer_pages::page_bytes());
    CHECK(::mincore(b.data(), b.capacity(), pages.data()) == 0);
    const auto present =
        std::count_if(pages.begin(), pages.end(), [](unsigned char p) { return (p & 1U) != 0; });
    return static_cast<std::size_t>(present) * system_buffer_pages::page_bytes();
}

/// MADV_POPULATE_READ and _WRITE are errors of the caller for it.
void kernel_before_5_14() {
    system_says = {.populating = EINVAL};
    const std::size_t page = system_buffer_pages::page_bytes();
    void* there = ::mmap(nullptr, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(there != MAP_FAILED);
    errno = 17;
    CHECK(system_pages::readable(there));
    CHECK(::munmap(there, page) == 0);
    CHECK(!system_pages::readable(there));
    CHECK(errno == 17);

    linn::buffer_pool pool{bytes, {.prefault = true}};
    linn::buffer b = pool.acquire();
    CHECK(errno == 17);
    CHECK(resident(b) == b.capacity());
    use(b);
}

void no_memory_to_prefault() {
    linn::buffer_pool pool{bytes, {.prefault = true}};
    system_says = {.populating = ENOMEM};
    errno = 17;
    CHECK(!pool.try_acquire());
    CHECK(errno == 17);
    CHECK(pool.statistics().live == 0 && pool.statistics().slabs == 0);
    system_says = {};
    CHECK(resident(pool.acquire()) == pool.capacity());
}

void huge_pages_are_asked_for() {
    linn::buffer_pool small{mib, {.huge_pages = true}};
    linn::buffer_pool ordinary{bytes};
    const linn::buffer a = small.acquire();
    const linn::buffer b = ordinary.acquire();
    CHECK(system_says.asked_for == 0);
    linn::buffer_pool pool{bytes, {.huge_pages = true}};
    errno = 17;
    linn::buffer c = pool.acquire();
    CHECK(errno == 17);
    CHECK(system_says.asked_for == MADV_HUGEPAGE && system_says.asked_about == c.data());
    CHECK(reinterpret_cast<std::uintptr_t>(c.data()) % (2 * mib) == 0);
    use(c);
}

/// Where idle buffers are inaccessible: one that stays so is lost, and another is handed out.
void protection_stays() {
    linn::buffer_pool pool{bytes};
    pool.acquire().reset();
    system_says = {.protections_stay = true};
    errno = 17;
    linn::buffer b = pool.acquire();
    CHECK(errno == 17);
    use(b);
    const auto s = pool.statistics();
    CHECK(s.live == 1 && s.cached == 0 && s.slabs == 1);
    if (linn::detail::checked_build && !linn_test::asan) {
        CHECK(s.mappings == 2 && s.returned_bytes == bytes && s.acquired == 2);
    }
}

/// While pages of a slab are with the system, it is not to make a huge page of the slab, which would bring them again.
void no_huge_pages_of_returned_memory() {
    struct item {
        unsigned char bytes[4096];
    };
    constexpr std::size_t slab_bytes = 2 * mib;
    using pool = linn::pool<item, {.slab_bytes = slab_bytes, .huge_pages = true}>;
    std::vector<item*> objects(400); // of one slab
    const auto create_from = [&](std::size_t first) {
        for (std::size_t i = first; i != objects.size(); ++i) {
            objects[i] = pool::create();
        }
        return system_says.asked_for;
    };
    const auto destroy_from = [&](std::size_t first) {
        for (std::size_t i = first; i != objects.size(); ++i) {
            pool::destroy(objects[i]);
        }
        pool::trim();
        return system_says.asked_for;
    };
    const bool asks = linn_test::in_slabs();
    CHECK(create_from(0) == (asks ? MADV_HUGEPAGE : 0));
    const std::uintptr_t slab = reinterpret_cast<std::uintptr_t>(objects[0]) / slab_bytes;
    CHECK(destroy_from(1) == (asks ? MADV_NOHUGEPAGE : 0)); // all but one
    CHECK(!asks || reinterpret_cast<std::uintptr_t>(system_says.asked_about) / slab_bytes == slab);
    CHECK(create_from(1) == (asks ? MADV_HUGEPAGE : 0));
    CHECK(destroy_from(0) == (asks ? MADV_NOHUGEPAGE : 0));
    CHECK(create_from(0) == (asks ? MADV_HUGEPAGE : 0));
    CHECK(!asks || reinterpret_cast<std::uintptr_t>(system_says.asked_about) / slab_bytes == slab);
    static_cast<void>(destroy_from(0));
}

void sizes_that_overflow() {
    constexpr std::size_t most = SIZE_MAX / mib * mib;
    errno = 17;
    CHECK(system_pages::map(most, 4 * mib) == nullptr);
    linn::detail::buffer_mapping m;
    CHECK(!system_buffer_pages::map({.bytes = most, .align = 4 * mib, .huge = false}, m));
    CHECK(errno == 17);
}

void each(const char* what, void (*body)()) {
    system_says = {};
    std::fprintf(stderr, "%s\n", what);
    body();
    system_says = {};
}

} // namespace

int main() {
    each("a kernel before 5.14", &kernel_before_5_14);
    each("no memory to prefault", &no_memory_to_prefault);
    each("huge pages are asked for", &huge_pages_are_asked_for);
    each("a protection that stays", &protection_stays);
    each("no huge pages of returned memory", &no_huge_pages_of_returned_memory);
    each("sizes that overflow", &sizes_that_overflow);
}
#else
int main() {
    return linn_test::skip("the answers are those of Linux");
}
#endif
