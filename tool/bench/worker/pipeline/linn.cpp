// SPDX-License-Identifier: Apache-2.0
#include "pipeline.hpp"

#include <linn/allocator.hpp>
#include <linn/memory.hpp>
#include <linn/recycler.hpp>

#include <memory>

namespace linn::tool::worker {
namespace {

struct linn_make_shared_way {
    static std::shared_ptr<packet> create() { return linn::make_shared<packet>(); }
};

struct linn_for_overwrite_way {
    static std::shared_ptr<plain_packet> create() { return linn::make_shared_for_overwrite<plain_packet>(); }
};

struct linn_allocate_shared_way {
    static std::shared_ptr<packet> create() {
        return std::allocate_shared<packet>(linn::allocator<packet>{});
    }
};

struct linn_recycler_way {
    linn::recycler<packet>& source = shared_source();
    auto create() { return source.acquire_shared(); }

private:
    static linn::recycler<packet>& shared_source() {
        static linn::recycler<packet>& r = *new linn::recycler<packet>{{.capacity = 4'096}};
        return r;
    }
};

constexpr variant all[] = {
    {"pipeline", "linn_make_shared", &run_pipeline<linn_make_shared_way>},
    {"pipeline", "linn_make_shared_for_overwrite", &run_pipeline<linn_for_overwrite_way>},
    {"pipeline", "linn_allocate_shared", &run_pipeline<linn_allocate_shared_way>},
    {"pipeline", "linn_recycler_shared", &run_pipeline<linn_recycler_way>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
