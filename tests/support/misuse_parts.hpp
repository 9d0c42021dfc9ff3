// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_SUPPORT_MISUSE_PARTS_HPP
#define LINN_TESTS_SUPPORT_MISUSE_PARTS_HPP

/// @file
/// The parts of the library as misuse_acts.hpp sees them: each gives an object, takes one back, and looks at what it
/// holds.

#include "process.hpp"

#include <linn/linn.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace linn_test::acts {

inline bool wrong = false;
inline constexpr std::string_view done_words = "done\n";

/// Everything that is reported from here on is late.
inline void done() noexcept {
    say(done_words);
}

/// So that the compiler neither warns nor leaves out what is wrong.
template <class T>
T* hidden(T* p) noexcept {
    T* volatile same = p;
    return same;
}
inline volatile char sink = 0;

inline void write_at(void* p, std::ptrdiff_t offset) noexcept {
    *hidden(static_cast<volatile char*>(p) + offset) = 1;
}
inline void read_at(void* p, std::ptrdiff_t offset) noexcept {
    sink = *hidden(static_cast<volatile char*>(p) + offset);
}
/// Not made as a T*, of which UBSan would complain.
inline void* moved(void* p, std::ptrdiff_t offset) noexcept {
    const std::uintptr_t bits = reinterpret_cast<std::uintptr_t>(p) + static_cast<std::uintptr_t>(offset);
    void* result = nullptr;
    std::memcpy(&result, &bits, sizeof bits);
    return hidden(result);
}

struct item {
    std::int64_t words[8];
};
struct another {
    std::int64_t words[8];
};

// --- the parts: get(), put(), look(), and get_from_elsewhere() for what belongs to another one ------------

struct in_pool {
    using type = item;
    static type* get() { return linn::pool<item>::allocate(); }
    static void put(void* p) { linn::pool<item>::deallocate(static_cast<item*>(p)); }
    static void look() { linn::pool<item>::trim(); }
    static void* get_from_elsewhere() { return linn::pool<another>::allocate(); }
    static void put_elsewhere(void* p) { linn::pool<another>::deallocate(static_cast<another*>(p)); }
};

struct in_local_pool {
    using type = item;
    static linn::local_pool<item>& here() {
        static linn::local_pool<item> pool;
        return pool;
    }
    static linn::local_pool<item>& elsewhere() {
        static linn::local_pool<item> pool;
        return pool;
    }
    static type* get() { return here().allocate(); }
    static void put(void* p) { here().deallocate(static_cast<item*>(p)); }
    static void look() { here().trim(); }
    static void* get_from_elsewhere() { return elsewhere().allocate(); }
    static void put_elsewhere(void* p) { elsewhere().deallocate(static_cast<item*>(p)); }
};

struct in_fixed_pool {
    using type = item;
    static inline constinit linn::fixed_pool<item, 16> here;
    static inline constinit linn::fixed_pool<item, 16> elsewhere;
    static type* get() { return here.allocate(); }
    static void put(void* p) { here.deallocate(static_cast<item*>(p)); }
    static void look() {}
    static void* get_from_elsewhere() { return elsewhere.allocate(); }
    static void put_elsewhere(void* p) { elsewhere.deallocate(static_cast<item*>(p)); }
};

struct in_allocator : in_pool {
    static type* get() { return linn::allocator<item>{}.allocate(1); }
    static void put(void* p) { linn::allocator<item>{}.deallocate(static_cast<item*>(p), 1); }
};

struct pooled_item : linn::pooled<pooled_item> {
    std::int64_t words[8];
};
struct larger_item : pooled_item {
    std::int64_t more[8];
};

struct in_pooled : in_pool {
    using type = pooled_item;
    static type* get() { return new pooled_item; }
    static void put(void* p) { delete static_cast<pooled_item*>(p); }
    static void look() { linn::pool<pooled_item>::trim(); }
};

struct in_unique_ptr : in_pool {
    static type* get() { return linn::make_unique_for_overwrite<item>().release(); }
    static void put(void* p) { linn::unique_ptr<item>{static_cast<item*>(p)}.reset(); }
};

struct in_resource {
    using type = item;
    static linn::pool_resource& here() {
        static linn::pool_resource resource;
        return resource;
    }
    static linn::pool_resource& elsewhere() {
        static linn::pool_resource resource;
        return resource;
    }
    static type* get() { return static_cast<item*>(here().allocate(sizeof(item), alignof(item))); }
    static void put(void* p) { here().deallocate(p, sizeof(item), alignof(item)); }
    static void look() { here().trim(); }
    static void* get_from_elsewhere() { return elsewhere().allocate(sizeof(item), alignof(item)); }
    static void put_elsewhere(void* p) { elsewhere().deallocate(p, sizeof(item), alignof(item)); }
};

struct in_recycler {
    using type = item;
    static linn::recycler<item>& here() {
        static linn::recycler<item> recycler;
        return recycler;
    }
    static type* get() { return here().acquire().release(); }
    static void put(void* p) { linn::recycler<item>::recycle(static_cast<item*>(p)); }
    static void look() { here().trim(); }
};

} // namespace linn_test::acts

#endif
