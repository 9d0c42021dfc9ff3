// SPDX-License-Identifier: Apache-2.0
// Each public part, used as a module does. The same file is a plugin, a library that the program is linked with, and part of the
// program. With ONLY_POOL it has nothing but pool<T>, so that what else a plugin has is shared with nobody.
#include "parts.hpp"

#include <linn/pool.hpp>
#ifndef ONLY_POOL
#include <linn/linn.hpp>
#endif

#include <cstdlib>
#include <new>

/// External linkage, so that it is one type everywhere.
struct matrix_item {
    long words[3];
};
#ifndef ONLY_POOL
/// Of plugins alone.
struct plugin_item {
    long words[5];
};
#endif

namespace {

#ifdef ONLY_POOL
using item = matrix_item;
#else
using item = plugin_item;
#endif

void use_pool() {
    linn::pool<matrix_item>::destroy(linn::pool<matrix_item>::create());
    item* items[100];
    for (item*& p : items) {
        p = linn::pool<item>::create();
    }
    for (item* p : items) {
        linn::pool<item>::destroy(p);
    }
}
void leave_pool() {
    static_cast<void>(linn::pool<item>::create());
    static_cast<void>(linn::pool<matrix_item>::create());
}

#ifndef ONLY_POOL
void use_containers() {
    linn::map<int, item> map;
    linn::list<item> list(10);
    map[1] = list.front();
}

void use_memory() {
    auto shared = linn::make_shared<item>();
    auto own = linn::make_unique<item>();
}

void use_resource() {
    linn::pool_resource mine;
    for (std::pmr::memory_resource* r :
         {static_cast<std::pmr::memory_resource*>(&mine),
          static_cast<std::pmr::memory_resource*>(linn::default_pool_resource())}) {
        void* p = r->allocate(100);
        r->deallocate(p, 100);
    }
}
/// Two that are never destroyed: in a static variable, and on the heap.
void leave_resource() {
    alignas(linn::pool_resource) static std::byte place[sizeof(linn::pool_resource)];
    static linn::pool_resource* const immortal = ::new (static_cast<void*>(place)) linn::pool_resource;
    static_cast<void>(immortal->allocate(100));
    static_cast<void>((new linn::pool_resource)->allocate(100));
    static_cast<void>(linn::default_pool_resource()->allocate(100));
}

/// With slabs that `trim` returns.
void* make_resource() {
    auto* made = new linn::pool_resource{{.retain_bytes = std::size_t{64} << 20}};
    void* blocks[100];
    for (void*& p : blocks) {
        p = made->allocate(std::size_t{32} << 10);
    }
    for (void* p : blocks) {
        made->deallocate(p, std::size_t{32} << 10);
    }
    return made;
}
bool heard_of_resource = false;
void hear_of_resource(const linn::pool_event& e) noexcept {
    heard_of_resource = e.type == "linn::pool_resource";
}
void ask_resource(void* made) {
    auto* const resource = static_cast<linn::pool_resource*>(made);
    linn::set_pool_observer(&hear_of_resource);
    resource->trim();
    bool right = heard_of_resource;
    for (const linn::pool_statistics& row : resource->statistics()) {
        right = right && row.type == "linn::pool_resource";
    }
    if (!right) {
        std::abort();
    }
}

void use_recycler() {
    linn::recycler<item> r{10};
    auto handle = r.acquire();
    auto shared = r.acquire_shared();
}
void leave_recycler() {
    static_cast<void>((new linn::recycler<item>{10})->acquire().release());
}

void use_buffers() {
    linn::buffer_pool buffers{std::size_t{64} << 10};
    auto one = buffers.acquire();
}
void leave_buffers() {
    static_cast<void>(new auto{(new linn::buffer_pool{std::size_t{64} << 10})->acquire()});
}

void use_local_pool() {
    linn::local_pool<item> pool;
    pool.destroy(pool.create());
}

void use_statistics() {
    static_cast<void>(linn::to_json(linn::statistics()));
    static_cast<void>(linn::leak_report());
}

void use_node_types() {
    if (linn::node_types<std::map<int, item>>().empty()) {
        std::abort();
    }
}

void handle_misuse(const linn::misuse&) noexcept {}

/// An object that outlives its local_pool: whatever handler is installed is called, and returns.
void use_misuse() {
    linn::local_pool<item> pool;
    static_cast<void>(pool.create());
}
void leave_misuse() {
    linn::set_misuse_handler(&handle_misuse);
    use_misuse();
}

void observe(const linn::pool_event&) noexcept {}

void use_observer() {
    linn::set_pool_observer(linn::set_pool_observer(nullptr));
    linn::local_pool<item> pool; // takes memory, which whatever observer is installed is told
    pool.destroy(pool.create());
}
void leave_observer() {
    linn::set_pool_observer(&observe);
    use_observer();
}

void leave_nothing() {}
#endif

constexpr part all_parts[] = {
    {"pool", &use_pool, &leave_pool},
#ifndef ONLY_POOL
    {"containers", &use_containers, &leave_nothing},
    {"memory", &use_memory, &leave_nothing},
    {"pool_resource", &use_resource, &leave_resource},
    {"recycler", &use_recycler, &leave_recycler},
    {"buffer_pool", &use_buffers, &leave_buffers},
    {"local_pool", &use_local_pool, &leave_nothing},
    {"statistics", &use_statistics, &leave_nothing},
    {"node_types", &use_node_types, &leave_nothing},
    {"misuse", &use_misuse, &leave_misuse},
    {"observer", &use_observer, &leave_observer},
#endif
};

constexpr parts mine{all_parts, sizeof all_parts / sizeof *all_parts,
#ifdef ONLY_POOL
                     nullptr, nullptr, nullptr
#else
                     [] { linn::report_leaks_at_exit(); }, &make_resource, &ask_resource
#endif
};

} // namespace

extern "C" [[gnu::visibility("default")]] const parts* linn_test_parts() {
    return &mine;
}
