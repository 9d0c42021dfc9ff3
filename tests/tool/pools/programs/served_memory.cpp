// SPDX-License-Identifier: Apache-2.0
// What the program does with much memory, and with none.
#include "served.hpp"
#include "sites.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <new>
#include <thread>

void lock_memory() {
    std::free(site_malloc());
    rlimit limit{};
    ::getrlimit(RLIMIT_MEMLOCK, &limit);
    limit.rlim_cur = limit.rlim_max < (128u << 20) ? limit.rlim_max : 128u << 20;
    ::setrlimit(RLIMIT_MEMLOCK, &limit);
    const bool has_privilege = ::geteuid() == 0 && ::setuid(65534) != 0;
    const bool may_lock = has_privilege || limit.rlim_cur >= (32u << 20);
    // With less the program may fit, but not what it allocates next.
    expect(::mlockall(may_lock ? MCL_CURRENT | MCL_FUTURE : MCL_CURRENT) == 0 || !may_lock, "mlockall");
    many(site_malloc);
    many([] { return std::malloc(10'000); }, std::free, 10'000);
}

/// What is too much is refused as without the library: new handlers run, and exceptions come through.
void ask_for_too_much() {
    volatile std::size_t much = SIZE_MAX / 4;
    const auto throws = [](auto call) {
        try {
            call();
        } catch (const std::bad_alloc&) {
            return true;
        }
        return false;
    };
    static int handled = 0;
    std::set_new_handler([] {
        if (++handled % 3 == 0) {
            throw std::bad_alloc{};
        }
    });
    expect(throws([&] { kept(::operator new(much)); }) && handled == 3, "operator new");
    expect(throws([&] { kept(::operator new[](much)); }) && handled == 6, "operator new[]");
    expect(throws([&] { kept(::operator new(much, std::align_val_t{64})); }) && handled == 9,
           "aligned operator new");
    expect(kept(::operator new(much, std::nothrow)) == nullptr && handled == 12, "nothrow operator new");
    std::set_new_handler(nullptr);
    expect(throws([&] { kept(::operator new(much)); }), "operator new without a handler");
    errno = 0;
    expect(kept(std::malloc(much)) == nullptr && errno == ENOMEM, "malloc");
    expect(kept(std::calloc(much, much)) == nullptr, "calloc");
    // Until there is nothing left, neither in pools nor elsewhere.
    void** all = nullptr;
    std::size_t count = 0;
    expect(throws([&] {
               for (;; ++count) {
                   auto** const p = static_cast<void**>(site_new());
                   *p = all;
                   all = p;
               }
           }),
           "operator new of little");
    expect(count > 100'000, "there was no memory from the start");
    while (all != nullptr) {
        auto** const next = static_cast<void**>(*all);
        ::operator delete(all);
        all = next;
    }
    many(site_new, [](void* p) { ::operator delete(p); });
}

namespace {

/// Makes a pool large; of as many blocks one stays.
std::vector<void*> grow_once(int as_many) {
    std::vector<void*> all;
    std::vector<void*> kept_ones;
    for (int i = 0; i != 400'000; ++i) {
        (i % as_many == 0 ? kept_ones : all).push_back(site_malloc());
    }
    for (void* p : all) {
        std::free(p);
    }
    return kept_ones;
}

/// Takes some blocks and gives them back, ten times a second.
template <class Take, class Give>
void go_on(int tenths, Take take, Give give) {
    void* some[5000];
    for (; tenths != 0; --tenths) {
        for (void*& p : some) {
            p = take();
        }
        for (void* p : some) {
            give(p);
        }
        ::usleep(100'000);
    }
}

} // namespace

/// A few blocks that live keep a page each of a pool that was large once.
void waste(const char* seconds) {
    const std::vector<void*> kept_ones = grow_once(60);
    go_on(10 * std::atoi(seconds), site_malloc, std::free);
    for (void* p : kept_ones) {
        std::free(p);
    }
}

/// The same with a pool that the program is done with, while another one goes on.
void leave() {
    grow_once(1000);
    go_on(25, site_new, [](void* p) { ::operator delete(p); });
    std::_Exit((std::puts("ok"), std::fflush(stdout), ::raise(SIGUSR2), 0)); // with what it kept
}

void grow_and_trim() {
    std::vector<void*> all;
    for (int i = 0; i != 400'000; ++i) {
        mark(all.emplace_back(site_malloc()), bytes);
    }
    for (void* p : all) {
        std::free(p);
    }
    ::malloc_trim(0);
}

/// Requests as of a server: threads that hold a changing set of objects, and now and then begin and end.
void serve(const char* seconds) {
    const auto resident_kib = [] {
        long pages = 0;
        if (std::FILE* const f = std::fopen("/proc/self/statm", "r")) {
            if (std::fscanf(f, "%*d %ld", &pages) != 1) {
                pages = 0;
            }
            std::fclose(f);
        }
        return pages * ::sysconf(_SC_PAGESIZE) / 1024;
    };
    const auto session = [](unsigned seed) {
        std::vector<void*> live(20'000, nullptr);
        for (int i = 0; i != 300'000; ++i) {
            seed = seed * 1664525u + 1013904223u;
            void*& place = live[(seed >> 8) % live.size()];
            if (place != nullptr) {
                expect_mark(place, bytes);
                std::free(place);
                place = nullptr;
            } else {
                mark(place = (seed & 1) != 0 ? site_malloc() : site_new(), bytes);
            }
        }
        for (void* p : live) {
            std::free(p);
        }
    };
    const auto end = ::time(nullptr) + std::atoi(seconds);
    long first = 0;
    long last = 0;
    for (unsigned round = 0; round < 8 || ::time(nullptr) < end; ++round) {
        std::vector<std::jthread> threads;
        for (unsigned t = 0; t != 3; ++t) {
            threads.emplace_back(session, 100 * round + t);
        }
        threads.clear();
        last = resident_kib();
        first = round == 4 ? last : first;
    }
    std::printf("%ld %ld\n", first, last);
}
