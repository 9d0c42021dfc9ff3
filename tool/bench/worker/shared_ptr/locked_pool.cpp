// SPDX-License-Identifier: Apache-2.0
#include "../locked_pool.hpp"

#include "shared_ptr.hpp"

#include <memory>
#include <mutex>
#include <new>

namespace linn::tool::worker {
namespace {

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

constexpr variant all[] = {
    {"shared-ptr", "shared_ptr_with_pool", &run_shared_ptr<with_pool_way<std::mutex>>},
    {"shared-ptr", "allocate_shared", &run_shared_ptr<allocate_shared_way<std::mutex>>},
    {"shared-ptr", "pool", &run_shared_ptr<pool_way<std::mutex>>},
    {"shared-ptr", "allocate_shared_spin", &run_shared_ptr<allocate_shared_way<spin_lock>>},
    {"shared-ptr", "pool_spin", &run_shared_ptr<pool_way<spin_lock>>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
