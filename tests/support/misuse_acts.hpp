// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_SUPPORT_MISUSE_ACTS_HPP
#define LINN_TESTS_SUPPORT_MISUSE_ACTS_HPP

/// @file
/// What one can do wrong with each part of the library: the rows of misuse_table.hpp. Each act does nothing wrong
/// unless `wrong` is set, says that it is done, and then lets the pool look at what it holds.

#include "misuse_parts.hpp"

#include <linn/linn.hpp>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

namespace linn_test::acts {

// --- acts on any of them ------------------------------------------------------------------------------

template <class Part>
void free_twice() {
    void* other = Part::get();
    void* p = hidden(Part::get());
    Part::put(p);
    if (wrong) {
        Part::put(p);
    }
    done();
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
    if (wrong) {
        Part::put(p);
    }
    done();
    Part::look();
}

template <class Part>
void free_twice_in_threads() {
    void* other = Part::get();
    void* p = hidden(Part::get());
    Part::put(p);
    std::thread{[p] {
        if (wrong) {
            Part::put(p);
        }
        done();
    }}.join();
    Part::put(other);
    Part::look();
}

/// Writes to what is free, or reads it, if that is what is wrong.
inline void touch_wrongly(void* p, std::ptrdiff_t offset, bool writes) {
    if (wrong && writes) {
        write_at(p, offset);
    } else if (wrong) {
        read_at(p, offset);
    }
}

/// Frees `p`, if that is what is wrong.
template <class Part>
void free_as_well(void* p) {
    void* right = Part::get();
    if (wrong) {
        Part::put(hidden(p));
    }
    done();
    Part::put(right);
    Part::look();
}

template <class Part>
void free_static() {
    alignas(64) static unsigned char storage[192];
    free_as_well<Part>(storage + 64);
}

template <class Part>
void free_malloced() {
    static void* p = std::calloc(3, sizeof(item));
    free_as_well<Part>(p);
    if (!wrong) {
        std::free(p);
    }
}

template <class Part>
void free_new() {
    static void* p = ::operator new(sizeof(item));
    free_as_well<Part>(p);
    if (!wrong) {
        ::operator delete(p);
    }
}

template <class Part, std::ptrdiff_t Offset>
void free_inside() {
    void* p = Part::get();
    free_as_well<Part>(moved(p, Offset));
    Part::put(p);
}

template <class Part>
void free_to_another() {
    void* p = hidden(Part::get_from_elsewhere());
    free_as_well<Part>(p);
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
    touch_wrongly(p, 24, Write);
    done();
    Part::put(other);
    Part::look();
}
template <class Part>
void write_after_free() {
    use_after_free<Part, true>();
}
template <class Part>
void read_after_free() {
    use_after_free<Part, false>();
}

/// With both neighbours alive.
template <class Part, std::ptrdiff_t Offset>
void write_beyond() {
    void* all[3] = {Part::get(), Part::get(), Part::get()};
    if (wrong) {
        write_at(all[1], Offset);
    }
    done();
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
    void* p = nullptr;
    {
        linn::local_pool<item> pool;
        p = pool.allocate();
        pool.deallocate(static_cast<item*>(p));
    }
    if (wrong) {
        write_at(p, 8);
    }
    done();
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
    if (wrong) {
        write_at(p + 1, 24);
    }
    done();
    in_fixed_pool::put(p);
}

template <class Part>
void release_all() {
    if constexpr (requires { Part::here().release(); }) {
        Part::here().release();
    } else {
        Part::here.release();
    }
}

template <class Part>
void use_after_release() {
    item* p = hidden(Part::get());
    release_all<Part>();
    if (wrong) {
        write_at(p, 8);
    }
    done();
    Part::look();
}

template <class Part>
void free_after_release() {
    item* p = hidden(Part::get());
    release_all<Part>();
    if (wrong) {
        Part::put(p);
    }
    done();
    Part::look();
}

inline void allocate_one_free_two() {
    linn::allocator<item> a;
    item* p = hidden(a.allocate(1));
    a.deallocate(p, wrong ? 2 : 1);
    done();
    linn::pool<item>::trim();
}

inline void allocate_two_free_one() {
    linn::allocator<item> a;
    item* p = hidden(a.allocate(2));
    a.deallocate(p, wrong ? 1 : 2);
    done();
    linn::pool<item>::trim();
}

template <bool Write>
void use_after_erase() {
    linn::list<item> list(3);
    item* p = &list.front();
    list.pop_front();
    touch_wrongly(p, 8, Write);
    done();
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
    touch_wrongly(raw, 8, Write);
    done();
    linn::make_shared_for_overwrite<item>().reset();
}

inline void free_with_another_size() {
    auto& here = in_resource::here();
    here.deallocate(here.allocate(1000), 1000); // so that there is a cache of that size
    void* p = in_resource::get();
    in_resource::here().deallocate(p, wrong ? 1000 : sizeof(item), alignof(item));
    done();
    in_resource::look();
}
inline void free_with_another_alignment() {
    auto& here = in_resource::here();
    here.deallocate(here.allocate(sizeof(item), 512), sizeof(item), 512);
    void* p = in_resource::get();
    in_resource::here().deallocate(p, sizeof(item), wrong ? 512 : alignof(item));
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
    if (wrong) {
        in_resource::here().deallocate(p, 300'000);
    }
    done();
}
inline void use_after_resource() {
    void* p = nullptr;
    {
        linn::pool_resource resource;
        p = resource.allocate(sizeof(item));
    }
    if (wrong) {
        write_at(p, 8);
    }
    done();
}

inline void recycle_what_is_shared() {
    const std::shared_ptr<item> p = in_recycler::here().acquire_shared();
    if (wrong) {
        in_recycler::put(p.get());
    }
    done();
}
inline void return_after_recycler() {
    linn::recycler<item>::handle object;
    {
        linn::recycler<item> recycler;
        object = recycler.acquire();
        if (!wrong) {
            object.reset();
        }
    }
    object.reset();
    done();
}
inline void use_after_recycler() {
    item* p = nullptr;
    {
        linn::recycler<item> recycler;
        p = hidden(recycler.acquire().get());
    }
    if (wrong) {
        write_at(p, 8);
    }
    done();
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
    touch_wrongly(p, sizeof(item) - 1, Write);
    for (item& i : pool) {
        i = {};
    }
    done();
    *pool.get(pool.create()) = *pool.get(neighbour);
    pool.clear();
    pool.trim();
}

inline constexpr std::size_t buffer_bytes = 100'000;

inline void give_buffer_back_twice() {
    linn::buffer_pool pool{buffer_bytes};
    linn::buffer b = pool.acquire();
    const linn::buffer other = pool.acquire();
    b.reset();
    if (wrong) {
        b.reset();
    }
    CHECK(pool.statistics().live == 1 && pool.statistics().cached == 1);
    done();
}
inline void give_buffer_back_after_pool() {
    linn::buffer b;
    {
        linn::buffer_pool pool{buffer_bytes};
        b = pool.acquire();
        if (!wrong) {
            b.reset();
        }
    }
    b.reset();
    done();
}
template <bool Write>
void use_buffer_after_return() {
    linn::buffer_pool pool{buffer_bytes};
    linn::buffer b = pool.acquire();
    void* p = b.data();
    write_at(p, 70'000);
    b.reset();
    touch_wrongly(p, 70'000, Write);
    done();
}
inline void use_shared_buffer_after_return() {
    linn::buffer_pool pool{buffer_bytes};
    std::shared_ptr<std::byte[]> b = pool.acquire_shared();
    void* p = b.get();
    b.reset();
    if (wrong) {
        write_at(p, 70'000);
    }
    done();
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
    if (wrong) {
        write_at(p, 70'000);
    }
    done();
}
/// Beyond the size, or the capacity, of the middle one of three.
template <bool Capacity>
void write_beyond_buffer() {
    linn::buffer_pool pool{buffer_bytes};
    const linn::buffer b = pool.acquire();
    if (wrong) {
        write_at(b.data(), static_cast<std::ptrdiff_t>(Capacity ? b.capacity() : b.size()));
    }
    done();
}

} // namespace linn_test::acts

#endif
