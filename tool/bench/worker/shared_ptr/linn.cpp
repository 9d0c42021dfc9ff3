// SPDX-License-Identifier: Apache-2.0
#include "shared_ptr.hpp"

#include <linn/allocator.hpp>
#include <linn/memory.hpp>
#include <linn/pool.hpp>
#include <linn/recycler.hpp>

#include <memory>

namespace linn::tool::worker {
namespace {

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
