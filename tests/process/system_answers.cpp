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

using linn::huge_page_use;
using linn_test::mib;
using system_pages = linn::detail::system_pages;
using system_buffer_pages = linn::detail::system_buffer_pages;

constexpr std::size_t bytes = 8 * mib;
constexpr int populate_read = 22; // MADV_POPULATE_READ and _WRITE, which older headers lack
constexpr int populate_write = 23;

/// What the system answers differently; all as it is at first.
struct answers {
    int populating = 0;                    ///< errno instead of making pages present
    bool reserved_pages = false;           ///< there are some,
    std::size_t from_boundary = 0;         ///< this far from a multiple of 4 MiB
    bool protections_stay = false;         ///< mprotect fails
    const void* mapped_reserved = nullptr; ///< the last such page
    bool unmapped_reserved = false;        ///< it went back
    const void* asked_about = nullptr;     ///< where it was last told whether huge pages are wanted,
    int asked_for = 0;                     ///< and what
};
answers system_says;

int failed(int number) {
    errno = number;
    return -1;
}

} // namespace

extern "C" {
void* __real_mmap(void* address, std::size_t size, int access, int flags, int file, off_t offset);
int __real_munmap(void* p, std::size_t size);
int __real_madvise(void* p, std::size_t size, int advice);
int __real_mprotect(void* p, std::size_t size, int access);
void* __wrap_mmap(void* address, std::size_t size, int access, int flags, int file, off_t offset);
int __wrap_munmap(void* p, std::size_t size);
int __wrap_madvise(void* p, std::size_t size, int advice);
int __wrap_mprotect(void* p, std::size_t size, int access);

void* __wrap_mmap(void* address, std::size_t size, int access, int flags, int file, off_t offset) {
    if ((flags & MAP_HUGETLB) == 0) {
        return __real_mmap(address, size, access, flags, file, offset);
    }
    if (!system_says.reserved_pages) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    void* wide = __real_mmap(nullptr, size + 8 * mib, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(wide != MAP_FAILED);
    const std::uintptr_t boundary = (reinterpret_cast<std::uintptr_t>(wide) / (4 * mib) + 1) * (4 * mib);
    void* p = reinterpret_cast<void*>(boundary + system_says.from_boundary);
    system_says.mapped_reserved = p;
    return p;
}

int __wrap_munmap(void* p, std::size_t size) {
    system_says.unmapped_reserved = system_says.unmapped_reserved || p == system_says.mapped_reserved;
    return __real_munmap(p, size);
}

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

void reserved_pages() {
    system_says.reserved_pages = true;
    linn::buffer_pool pool{bytes - 1, {.huge_pages = huge_page_use::reserved}};
    linn::buffer b = pool.acquire();
    CHECK(b.data() == system_says.mapped_reserved);
    CHECK(b.huge_pages() == huge_page_use::reserved);
    use(b);
    b.reset();
    CHECK(pool.trim() == bytes);
    CHECK(system_says.unmapped_reserved);
}

/// Others are taken, and these go back.
void reserved_pages_at_the_wrong_address() {
    system_says.reserved_pages = true;
    system_says.from_boundary = 2 * mib;
    linn::buffer_pool pool{bytes, {.alignment = 4 * mib, .huge_pages = huge_page_use::reserved}};
    linn::buffer b = pool.acquire();
    CHECK(system_says.mapped_reserved != nullptr && system_says.unmapped_reserved);
    CHECK(b.huge_pages() == huge_page_use::transparent);
    CHECK(reinterpret_cast<std::uintptr_t>(b.data()) % (4 * mib) == 0);
    use(b);
}

void huge_pages_are_asked_for() {
    linn::buffer_pool small{mib, {.huge_pages = huge_page_use::transparent}};
    linn::buffer_pool ordinary{bytes};
    const linn::buffer a = small.acquire();
    const linn::buffer b = ordinary.acquire();
    CHECK(system_says.asked_for == 0);
    linn::buffer_pool pool{bytes, {.huge_pages = huge_page_use::reserved}}; // there are none
    errno = 17;
    linn::buffer c = pool.acquire();
    CHECK(errno == 17);
    CHECK(c.huge_pages() == huge_page_use::transparent);
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
    CHECK(!system_buffer_pages::map({.bytes = most, .align = 4 * mib, .huge = huge_page_use::off}, m));
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
    each("reserved pages", &reserved_pages);
    each("reserved pages at the wrong address", &reserved_pages_at_the_wrong_address);
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
