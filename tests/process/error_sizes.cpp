// SPDX-License-Identifier: Apache-2.0
// Promise: objects of any size and alignment: 1 byte, 3, 24, 1500, larger than a slab, aligned to a
// cache line or a page; and n * sizeof(T) that overflows throws instead of allocating too little.
//
// Breaks with rounding and header arithmetic. Each object is filled with a mark of its own and all
// are checked before they are freed, so overlap, misalignment and short slots are noticed.
#include "process.hpp"

#include <linn/linn.hpp>

#include <limits>

namespace {

template <std::size_t Bytes, std::size_t Align = 1>
struct alignas(Align) sized {
    unsigned char bytes[Bytes];
};

template <class T>
unsigned char mark(const T* object, std::size_t i) {
    return static_cast<unsigned char>((reinterpret_cast<std::uintptr_t>(object) >> 4) * 31 + i * 7 + 1);
}

template <class T>
void fill(T* object, std::size_t i) {
    if (sizeof(T) <= 8192) {
        std::memset(object->bytes, mark(object, i), sizeof object->bytes);
        return;
    }
    for (std::size_t at = 0; at < sizeof object->bytes; at += 1024) {
        object->bytes[at] = mark(object, i);
    }
    object->bytes[sizeof object->bytes - 1] = mark(object, i);
}

template <class T>
void check(const T* object, std::size_t i) {
    const std::size_t step = sizeof(T) <= 8192 ? 1 : 1024;
    for (std::size_t at = 0; at < sizeof object->bytes; at += step) {
        CHECK(object->bytes[at] == mark(object, i));
    }
    CHECK(object->bytes[sizeof object->bytes - 1] == mark(object, i));
}

template <class T, class Allocate, class Free>
void rounds(std::size_t count, Allocate&& allocate, Free&& deallocate) {
    std::vector<T*> objects(count);
    for (int round = 0; round < 3; ++round) {
        for (std::size_t i = 0; i < count; ++i) {
            objects[i] = allocate();
            CHECK(reinterpret_cast<std::uintptr_t>(objects[i]) % alignof(T) == 0);
            fill(objects[i], i);
        }
        for (std::size_t i = 0; i < count; ++i) {
            check(objects[i], i);
        }
        // Every third stays for the moment, so that slabs are mixed.
        for (std::size_t i = 0; i < count; ++i) {
            if (i % 3 != 0) {
                deallocate(objects[i]);
                objects[i] = nullptr;
            }
        }
        for (std::size_t i = 0; i < count; ++i) {
            if (objects[i] == nullptr) {
                objects[i] = allocate();
                fill(objects[i], i);
            }
        }
        for (std::size_t i = count; i-- > 0;) {
            check(objects[i], i);
            deallocate(objects[i]);
        }
    }
}

template <class T>
void size(std::size_t count) {
    using pool = linn::pool<T>;
    const auto here = [count] {
        rounds<T>(count, [] { return pool::allocate(); }, [](T* p) { pool::deallocate(p); });
    };
    here();
    std::thread{here}.join();
    CHECK(pool::statistics().live == 0);
    pool::trim();
    if (linn_test::in_slabs()) {
        const auto s = pool::statistics();
        CHECK_AT_MOST(s.resident_bytes, s.slabs * 4096);
        here();
        CHECK(pool::statistics().live == 0);
    }

    linn::local_pool<T> local;
    rounds<T>(count / 2 + 1, [&] { return local.allocate(); }, [&](T* p) { local.deallocate(p); });
    CHECK(local.live() == 0);

    using padded = linn::pool<T, {.cache_line_padding = true}>;
    rounds<T>(
        count / 2 + 1,
        [] {
            T* p = padded::allocate();
            CHECK(linn_test::asan || linn_test::on_memcheck() ||
                  reinterpret_cast<std::uintptr_t>(p) % 64 == 0);
            return p;
        },
        [](T* p) { padded::deallocate(p); });

    linn::allocator<T> allocator;
    rounds<T>(
        count / 4 + 1, [&] { return allocator.allocate(1); }, [&](T* p) { allocator.deallocate(p, 1); });
}

#if defined(__cpp_exceptions)
template <class T>
void overflow() {
    linn::allocator<T> allocator;
    volatile std::size_t most = std::numeric_limits<std::size_t>::max(); // not for the optimiser to see
    for (const std::size_t n : {most / sizeof(T) + 1, most / sizeof(T), most / 2, most - 1, most + 0}) {
        int failures = 0;
        try {
            T* p = allocator.allocate(n);
            allocator.deallocate(p, n);
        } catch (const std::bad_alloc&) { // or bad_array_new_length, which is one
            ++failures;
        }
        CHECK(failures == 1);
    }
    // Too many bytes for size_t: that one must be told apart.
    int overflows = 0;
    try {
        allocator.deallocate(allocator.allocate(most + 0), most);
    } catch (const std::bad_array_new_length&) {
        ++overflows;
    }
    CHECK(overflows == 1);
    allocator.deallocate(allocator.allocate(1), 1);
    allocator.deallocate(allocator.allocate(0), 0);
    allocator.deallocate(allocator.allocate(2), 2);
}
#endif

} // namespace

int main() {
    const std::size_t many = linn_test::scaled(20'000) + 10;
    size<sized<1>>(many);
    size<sized<3>>(many);
    size<sized<8>>(many);
    size<sized<24>>(many);
    size<sized<1500>>(many / 4);
    size<sized<5000>>(many / 16);
    size<sized<1, 64>>(many);
    size<sized<65, 64>>(many / 2);
    size<sized<4096, 4096>>(many / 32);
    size<sized<1, 4096>>(many / 32);
    size<sized<20'000>>(many / 100);
    size<sized<300'000>>(20);
    size<sized<2 * linn_test::mib>>(10);
    size<sized<5 * linn_test::mib>>(6);
    size<sized<3 * linn_test::mib, 4096>>(6);
#if defined(__cpp_exceptions)
    if (linn_test::asan || linn_test::tsan) {
        return 0; // sanitizers end the program on such sizes
    }
    overflow<sized<3>>();
    overflow<sized<24>>();
    overflow<sized<1500>>();
    overflow<sized<64, 64>>();
#endif
}
