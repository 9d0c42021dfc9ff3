// SPDX-License-Identifier: Apache-2.0
#include "packets.hpp"

#include <linn/allocator.hpp>
#include <linn/memory.hpp>
#include <linn/pool.hpp>
#include <linn/recycler.hpp>

#include <memory>
#include <mutex>
#include <new>

namespace linn::tool::worker {
namespace {

struct make_shared_way : owning_way {
    static std::shared_ptr<packet> create() { return std::make_shared<packet>(); }
};

/// As most programs write it: without a constructor the packet is filled with zeros first.
struct make_shared_filled_way : owning_way {
    static std::shared_ptr<plain_packet> create() { return std::make_shared<plain_packet>(); }
};

/// Two general allocations, for the packet and for the control block.
struct with_new_way : owning_way {
    static std::shared_ptr<packet> create() { return std::shared_ptr<packet>(new packet); }
};

struct new_delete_way {
    static packet* create() { return new packet; }
    static void destroy(packet*& p) { delete p; }
};

template <class Lock>
struct pool_way {
    locked_pool<Lock>& pool = packet_pool<Lock>();

    packet* create() { return ::new (pool.pop()) packet; }
    void destroy(packet*& p) { pool.push(p); }
};

/// The packet from the pool, the control block by a small general allocation.
template <class Lock>
struct with_pool_way : owning_way {
    static std::shared_ptr<packet> create() {
        return std::shared_ptr<packet>(::new (packet_pool<Lock>().pop()) packet,
                                       locked_deleter<packet, Lock>{});
    }
};

/// Packet and control block in one block of the pool.
template <class Lock>
struct allocate_shared_way : owning_way {
    static std::shared_ptr<packet> create() {
        return std::allocate_shared<packet>(locked_allocator<packet, Lock>{});
    }
};

struct linn_make_shared_way : owning_way {
    static std::shared_ptr<packet> create() { return linn::make_shared<packet>(); }
};

struct linn_for_overwrite_way : owning_way {
    static std::shared_ptr<plain_packet> create() { return linn::make_shared_for_overwrite<plain_packet>(); }
};

struct linn_allocate_shared_way : owning_way {
    static std::shared_ptr<packet> create() {
        return std::allocate_shared<packet>(linn::allocator<packet>{});
    }
};

struct linn_pool_way {
    static packet* create() { return linn::pool<packet>::create(); }
    static void destroy(packet*& p) { linn::pool<packet>::destroy(p); }
};

/// Packets that stay constructed. One recycler for all threads, as a program would have it.
linn::recycler<packet>& packets() {
    static linn::recycler<packet>& r = *new linn::recycler<packet>{{.capacity = 4'096}};
    return r;
}

struct linn_recycler_way : owning_way {
    linn::recycler<packet>& source = packets();
    auto create() { return source.acquire(); }
};

struct linn_recycler_shared_way : owning_way {
    linn::recycler<packet>& source = packets();
    auto create() { return source.acquire_shared(); }
};

constexpr variant all[] = {
    {"shared-ptr", "make_shared", &run_shared_ptr<make_shared_way>},
    {"shared-ptr", "make_shared_filled", &run_shared_ptr<make_shared_filled_way>},
    {"shared-ptr", "shared_ptr_with_new", &run_shared_ptr<with_new_way>},
    {"shared-ptr", "new_delete", &run_shared_ptr<new_delete_way>},
    {"shared-ptr", "shared_ptr_with_pool", &run_shared_ptr<with_pool_way<std::mutex>>},
    {"shared-ptr", "allocate_shared", &run_shared_ptr<allocate_shared_way<std::mutex>>},
    {"shared-ptr", "pool", &run_shared_ptr<pool_way<std::mutex>>},
    {"shared-ptr", "allocate_shared_spin", &run_shared_ptr<allocate_shared_way<spin_lock>>},
    {"shared-ptr", "pool_spin", &run_shared_ptr<pool_way<spin_lock>>},
    {"shared-ptr", "linn_make_shared", &run_shared_ptr<linn_make_shared_way>},
    {"shared-ptr", "linn_make_shared_for_overwrite", &run_shared_ptr<linn_for_overwrite_way>},
    {"shared-ptr", "linn_allocate_shared", &run_shared_ptr<linn_allocate_shared_way>},
    {"shared-ptr", "linn_recycler_shared", &run_shared_ptr<linn_recycler_shared_way>},
    {"shared-ptr", "linn_recycler", &run_shared_ptr<linn_recycler_way>},
    {"shared-ptr", "linn_pool", &run_shared_ptr<linn_pool_way>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
