// SPDX-License-Identifier: Apache-2.0
#include "../locked_pool.hpp"

#include "pipeline.hpp"

#include <memory>
#include <mutex>

namespace linn::tool::worker {
namespace {

/// The published winner: packet and control block in one block of the locked pool.
template <class Lock>
struct allocate_shared_way {
    static std::shared_ptr<packet> create() {
        return std::allocate_shared<packet>(locked_allocator<packet, Lock>{});
    }
};

constexpr variant all[] = {
    {"pipeline", "allocate_shared", &run_pipeline<allocate_shared_way<std::mutex>>},
    {"pipeline", "allocate_shared_spin", &run_pipeline<allocate_shared_way<spin_lock>>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
