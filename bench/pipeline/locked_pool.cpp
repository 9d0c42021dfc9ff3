// SPDX-License-Identifier: Apache-2.0
#include "bench/worker/locked_pool.hpp"

#include "packets.hpp"

#include <memory>
#include <mutex>

namespace linn::bench::packets {
namespace {

template <class Lock>
struct way {
    static std::shared_ptr<tool::worker::packet> create() {
        return std::allocate_shared<tool::worker::packet>(
            tool::worker::locked_allocator<tool::worker::packet, Lock>{});
    }
};

} // namespace

void run_locked_pool(sampler& s) {
    measure<way<std::mutex>>(s);
}

void run_spin_pool(sampler& s) {
    measure<way<tool::worker::spin_lock>>(s);
}

} // namespace linn::bench::packets
