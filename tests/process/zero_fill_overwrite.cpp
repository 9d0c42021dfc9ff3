// SPDX-License-Identifier: Apache-2.0
// Promise: the forms `_for_overwrite` fill no byte, whatever the standard library, and objects are zero
// where zeros are asked for.
//
// Breaks when a library value-initialises what it was told to leave alone. Everything that operator new
// gives out is full of a poison, and so are the slots of the pools before they are used again; both must
// come out as they went in.
#include "process.hpp"

#include <linn/memory.hpp>

namespace {

constexpr unsigned char poison = 0xA5;

/// A store that the compiler cannot drop, though the object there is about to end.
void fill(void* p, std::size_t bytes) noexcept {
    std::memset(p, poison, bytes);
    asm volatile("" : : "r"(p) : "memory");
}

/// Zeros among the bytes. What was not filled has none: it holds the poison, or in a checked build the
/// pattern of a free slot.
std::size_t zeros(const void* p, std::size_t bytes) noexcept {
    asm volatile("" : : "r"(p) : "memory");
    const unsigned char* begin = static_cast<const unsigned char*>(p);
    return static_cast<std::size_t>(std::count(begin, begin + bytes, 0));
}

#if defined(_WIN32) // which cannot free what is aligned and what is not alike
void* aligned(std::size_t bytes, std::size_t align) noexcept {
    return ::_aligned_malloc(bytes, align);
}
void release(void* p) noexcept {
    ::_aligned_free(p);
}
#else
void* aligned(std::size_t bytes, std::size_t align) noexcept {
    return std::aligned_alloc(align, bytes);
}
void release(void* p) noexcept {
    std::free(p);
}
#endif

} // namespace

namespace linn_test {

inline void* get_block(std::size_t bytes, std::size_t align) noexcept {
    // A multiple of the alignment, as aligned_alloc wants it.
    const std::size_t rounded = (std::max)((bytes + align - 1) / align * align, align);
    void* p = aligned(rounded, align);
    if (p != nullptr) {
        fill(p, bytes);
    }
    return p;
}
inline void put_block(void* p) noexcept {
    release(p);
}

} // namespace linn_test

#include "replaced_new.hpp"

namespace {

struct packet {
    unsigned char bytes[1500];
};
struct line { // no constructor, but a member that has one
    std::string name;
    unsigned char bytes[1 << 16];
};
struct with_constructor {
    with_constructor() {}
    unsigned char bytes[600];
};
struct alignas(4096) page {
    unsigned char bytes[4096];
};

/// So many slots are poisoned that those that are used next are among them.
constexpr int many = 40;
constexpr int few = 10;

template <class Make>
void poison_slots(Make make) {
    std::vector<decltype(make())> all;
    for (int i = 0; i != many; ++i) {
        all.push_back(make());
        fill(all.back()->bytes, sizeof all.back()->bytes);
    }
}

/// `make` fills nothing, `make_zeros` everything, and they use the same slots.
template <class Make, class MakeZeros>
void check_object(Make make, MakeZeros make_zeros, bool zeros_wanted) {
    poison_slots(make);
    for (int i = 0; i != few; ++i) {
        auto p = make();
        CHECK(zeros(p->bytes, sizeof p->bytes) == 0);
        auto q = make_zeros();
        CHECK(zeros(q->bytes, sizeof q->bytes) == (zeros_wanted ? sizeof q->bytes : 0));
        fill(q->bytes, sizeof q->bytes);
    }
}

template <class T>
void check_type(bool zeros_wanted) {
    check_object([] { return linn::make_shared_for_overwrite<T>(); },
                 [] { return linn::make_shared<T>(linn::value_initialize); }, zeros_wanted);
    check_object([] { return linn::make_unique_for_overwrite<T>(); },
                 [] { return linn::make_unique<T>(linn::value_initialize); }, zeros_wanted);
}

template <class T>
void check_arrays(bool zeros_wanted) {
    // Of known bound: in slots, which must be poisoned first.
    {
        std::vector<std::shared_ptr<T[3]>> all;
        for (int i = 0; i != many; ++i) {
            all.push_back(linn::make_shared_for_overwrite<T[3]>());
            fill(all.back().get(), 3 * sizeof(T));
        }
    }
    for (int i = 0; i != few; ++i) {
        const auto p = linn::make_shared_for_overwrite<T[3]>();
        CHECK(zeros(p.get(), 3 * sizeof(T)) == 0);
        const auto q = linn::make_shared<T[3]>(linn::value_initialize);
        CHECK(zeros(q.get(), 3 * sizeof(T)) == (zeros_wanted ? 3 * sizeof(T) : 0));
        fill(q.get(), 3 * sizeof(T));
    }
    // Of run-time length: from operator new, which poisons.
    CHECK(zeros(linn::make_shared_for_overwrite<T[]>(50).get(), 50 * sizeof(T)) == 0);
    CHECK(zeros(linn::make_unique_for_overwrite<T[]>(50).get(), 50 * sizeof(T)) == 0);
    CHECK(zeros(linn::make_shared<T[]>(50, linn::value_initialize).get(), 50 * sizeof(T)) ==
          (zeros_wanted ? 50 * sizeof(T) : 0));
}

} // namespace

int main() {
    check_type<packet>(true);
    check_type<line>(true);
    check_type<page>(true);
    // What has a constructor is left alone by both forms: no library may fill for it.
    check_type<with_constructor>(false);
    check_arrays<packet>(true);
    check_arrays<page>(true);
    check_arrays<unsigned char>(true);
    check_arrays<with_constructor>(false);
}
