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

/// A pool that was large once, of which one block in a thousand stays, while another pool goes on for some seconds.
void leave() {
    std::vector<void*> all;
    for (int i = 0; i != 400'000; ++i) {
        void* const p = site_malloc();
        if (i % 1000 != 0) {
            all.push_back(p);
        }
    }
    for (void* p : all) {
        std::free(p);
    }
    void* some[5000];
    for (int tenths = 25; tenths != 0; --tenths) {
        for (void*& p : some) {
            p = site_new();
        }
        for (void* p : some) {
            ::operator delete(p);
        }
        ::usleep(100'000);
    }
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
