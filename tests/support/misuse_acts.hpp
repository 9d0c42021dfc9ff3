// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_SUPPORT_MISUSE_ACTS_HPP
#define LINN_TESTS_SUPPORT_MISUSE_ACTS_HPP

/// @file
/// The parts of the library, alike: each gives an object, takes one back, and looks at what it holds. And what one can do wrong
/// with each: the rows of misuse_table.hpp. Each act does nothing wrong unless `wrong` is set, says that it is done, and then lets
/// the part look.

#include "process.hpp"

#include <linn/linn.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <thread>

namespace linn_test::acts {

inline bool wrong = false;
inline constexpr std::string_view done_words = "done\n";

/// Everything that is reported from here on is late.
inline void done() noexcept {
    say(done_words);
}

/// What is wrong with an act.
template <class Act>
void if_wrong(Act&& act) {
    if (wrong) {
        act();
    }
    done();
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

template <class Pool>
struct in_object {
    using type = item;
    template <int Number>
    static Pool& numbered() {
        static Pool pool;
        return pool;
    }
    static Pool& here() { return numbered<0>(); }
    static type* get() { return here().allocate(); }
    static void put(void* p) { here().deallocate(static_cast<item*>(p)); }
    static void look() {
        if constexpr (requires(Pool& pool) { pool.trim(); }) {
            here().trim();
        }
    }
    static void* get_from_elsewhere() { return numbered<1>().allocate(); }
    static void put_elsewhere(void* p) { numbered<1>().deallocate(static_cast<item*>(p)); }
};
using in_local_pool = in_object<linn::local_pool<item>>;
using in_fixed_pool = in_object<linn::fixed_pool<item, 16>>;

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

// --- acts on any of them ------------------------------------------------------------------------------

template <class Part>
void free_twice() {
    void* other = Part::get();
    void* p = hidden(Part::get());
    Part::put(p);
    if_wrong([p] { Part::put(p); });
    Part::put(other);
    Part::look();
}

template <class Part>
void free_twice_after_others() {
    void* others[3] = {Part::get(), Part::get(), Part::get()};
    void* p = hidden(Part::get());
    Part::put(p);
    for (void* other : others) {
        Part::put(other);
    }
    if_wrong([p] { Part::put(p); });
    Part::look();
}

template <class Part>
void free_twice_in_threads() {
    void* other = Part::get();
    void* p = hidden(Part::get());
    Part::put(p);
    std::thread{[p] { if_wrong([p] { Part::put(p); }); }}.join();
    Part::put(other);
    Part::look();
}

/// Writes to what is free, or reads it.
template <bool Write = true>
void touch_if_wrong(void* p, std::ptrdiff_t offset = 8) {
    if_wrong([p, offset] {
        if (Write) {
            write_at(p, offset);
        } else {
            sink = *hidden(static_cast<volatile char*>(p) + offset);
        }
    });
}

template <class Part>
void free_if_wrong(void* p) {
    void* right = Part::get();
    if_wrong([p] { Part::put(hidden(p)); });
    Part::put(right);
    Part::look();
}

template <class Part>
void free_static() {
    alignas(64) static unsigned char storage[192];
    free_if_wrong<Part>(storage + 64);
}

template <class Part>
void free_malloced() {
    static void* p = std::calloc(3, sizeof(item));
    free_if_wrong<Part>(p);
    if (!wrong) {
        std::free(p);
    }
}

template <class Part>
void free_new() {
    static void* p = ::operator new(sizeof(item));
    free_if_wrong<Part>(p);
    if (!wrong) {
        ::operator delete(p);
    }
}

template <class Part, std::ptrdiff_t Offset>
void free_inside() {
    void* p = Part::get();
    free_if_wrong<Part>(moved(p, Offset));
    Part::put(p);
}

template <class Part>
void free_to_another() {
    void* p = hidden(Part::get_from_elsewhere());
    free_if_wrong<Part>(p);
    if (!wrong) {
        Part::put_elsewhere(p);
    }
}

template <class Part, bool Write>
void use_after_free() {
    void* other = Part::get();
    void* p = Part::get();
    write_at(p, 24);
    Part::put(p);
    touch_if_wrong<Write>(p, 24);
    Part::put(other);
    Part::look();
}

/// With both neighbours alive.
template <class Part, std::ptrdiff_t Offset>
void write_beyond() {
    void* all[3] = {Part::get(), Part::get(), Part::get()};
    touch_if_wrong(all[1], Offset);
    for (void* p : all) {
        Part::put(p);
    }
    Part::look();
}
inline constexpr std::ptrdiff_t behind = sizeof(item);

template <class Part>
[[gnu::noinline]] void drop_one() {
    Part::get()->words[0] = 1;
}

template <class Part>
void lose_one() {
    std::thread{[] {
        if (wrong) {
            drop_one<Part>();
        }
        overwrite_the_stack();
    }}.join();
    done();
}

template <class Part>
void read_unwritten() {
    auto* p = hidden(Part::get());
    if (!wrong) {
        std::memset(static_cast<void*>(p), 0, sizeof *p);
    }
    if (*hidden(&p->words[2]) == 123'456) {
        say("unlikely\n");
    }
    done();
    Part::put(p);
}

// --- acts on one of them --------------------------------------------------------------------------------

inline void use_after_local_pool() {
    item* p = nullptr;
    {
        linn::local_pool<item> pool;
        p = pool.allocate();
        pool.deallocate(p);
    }
    touch_if_wrong(p);
}

template <class Pool>
void survive() {
    {
        Pool pool;
        item* p = hidden(pool.allocate());
        if (!wrong) {
            pool.deallocate(p);
        }
    }
    done();
}

inline void use_before_fixed_pool() {
    item* p = hidden(in_fixed_pool::get());
    touch_if_wrong(p, sizeof(item) + 24);
    in_fixed_pool::put(p);
}

template <class Part>
void use_after_release() {
    item* p = hidden(Part::get());
    Part::here().release();
    touch_if_wrong(p);
    Part::look();
}

template <class Part>
void free_after_release() {
    item* p = hidden(Part::get());
    Part::here().release();
    if_wrong([p] { Part::put(p); });
    Part::look();
}

template <std::size_t Allocated, std::size_t Freed>
void free_another_number() {
    linn::allocator<item> a;
    item* p = hidden(a.allocate(Allocated));
    a.deallocate(p, wrong ? Freed : Allocated);
    done();
    linn::pool<item>::trim();
}

template <bool Write>
void use_after_erase() {
    linn::list<item> list(3);
    item* p = &list.front();
    list.pop_front();
    touch_if_wrong<Write>(p);
    list.emplace_back();
}

inline void delete_as_base() {
    larger_item* p = hidden(new larger_item);
    if (wrong) {
        in_pooled::put(static_cast<pooled_item*>(p)); // no virtual destructor
    } else {
        delete p;
    }
    done();
    in_pooled::look();
}

template <bool Write>
void use_after_shared() {
    std::shared_ptr<item> p = linn::make_shared_for_overwrite<item>();
    const std::shared_ptr<item> other = linn::make_shared_for_overwrite<item>();
    item* raw = p.get();
    write_at(raw, 8);
    p.reset();
    touch_if_wrong<Write>(raw);
    linn::make_shared_for_overwrite<item>().reset();
}

/// There is a cache of the wrong size and alignment.
template <std::size_t Bytes, std::size_t Align>
void free_with_another() {
    auto& here = in_resource::here();
    here.deallocate(here.allocate(Bytes, Align), Bytes, Align);
    void* p = in_resource::get();
    here.deallocate(p, wrong ? Bytes : sizeof(item), wrong ? Align : alignof(item));
    done();
    in_resource::look();
}
inline void free_large_with_another_size() {
    void* p = in_resource::here().allocate(300'000);
    in_resource::here().deallocate(p, wrong ? 200'000 : 300'000);
    done();
}
inline void free_large_twice() {
    void* p = hidden(in_resource::here().allocate(300'000));
    in_resource::here().deallocate(p, 300'000);
    if_wrong([p] { in_resource::here().deallocate(p, 300'000); });
}
inline void use_after_resource() {
    void* p = nullptr;
    {
        linn::pool_resource resource;
        p = resource.allocate(sizeof(item));
    }
    touch_if_wrong(p);
}

inline void recycle_what_is_shared() {
    const std::shared_ptr<item> p = in_recycler::here().acquire_shared();
    if_wrong([&p] { in_recycler::put(p.get()); });
}
inline void use_after_recycler() {
    item* p = nullptr;
    {
        linn::recycler<item> recycler;
        p = hidden(recycler.acquire().get());
    }
    touch_if_wrong(p);
    linn::recycler<item>{}.acquire().reset();
}

/// Its neighbour, an iteration that looks at both, and the next object in its place are no errors.
template <bool Write>
void use_after_destroy() {
    linn::handle_pool<item> pool;
    const auto neighbour = pool.create();
    const auto h = pool.create();
    item* p = pool.get(h);
    pool.destroy(h);
    touch_if_wrong<Write>(p, sizeof(item) - 1);
    for (item& i : pool) {
        i = {};
    }
    for (int i = 0; i != 100; ++i) { // one of them in its place
        *pool.get(pool.create()) = *pool.get(neighbour);
    }
    pool.clear();
    pool.trim();
}

inline constexpr std::size_t buffer_bytes = 100'000;

/// What a recycler or a buffer_pool gave comes back after its end.
template <class Pool>
void return_after_end() {
    decltype(std::declval<Pool&>().acquire()) owner;
    {
        Pool pool{buffer_bytes};
        owner = pool.acquire();
        if (!wrong) {
            owner.reset();
        }
    }
    owner.reset();
    done();
}
inline void give_buffer_back_twice() {
    linn::buffer_pool pool{buffer_bytes};
    linn::buffer b = pool.acquire();
    const linn::buffer other = pool.acquire();
    b.reset();
    if_wrong([&b] { b.reset(); });
    CHECK(pool.statistics().live == 1 && pool.statistics().cached == 1);
}
template <bool Write>
void use_buffer_after_return() {
    linn::buffer_pool pool{buffer_bytes};
    linn::buffer b = pool.acquire();
    void* p = b.data();
    write_at(p, 70'000);
    b.reset();
    touch_if_wrong<Write>(p, 70'000);
}
inline void use_shared_buffer_after_return() {
    linn::buffer_pool pool{buffer_bytes};
    std::shared_ptr<std::byte[]> b = pool.acquire_shared();
    void* p = b.get();
    b.reset();
    touch_if_wrong(p, 70'000);
}
inline void use_buffer_after_pool() {
    linn::buffer b;
    {
        linn::buffer_pool pool{buffer_bytes};
        b = pool.acquire();
    }
    void* p = b.data();
    write_at(p, 70'000);
    b.reset();
    touch_if_wrong(p, 70'000);
}
template <bool Capacity>
void write_beyond_buffer() {
    linn::buffer_pool pool{buffer_bytes};
    const linn::buffer b = pool.acquire();
    touch_if_wrong(b.data(), static_cast<std::ptrdiff_t>(Capacity ? b.capacity() : b.size()));
}

} // namespace linn_test::acts

#endif
