// SPDX-License-Identifier: Apache-2.0
#include "packets.hpp"

#include <linn/memory.hpp>
#include <linn/recycler.hpp>

#include <memory>

namespace linn::bench::packets {
namespace {

struct make_shared_way {
    static std::shared_ptr<tool::worker::packet> create() {
        return linn::make_shared<tool::worker::packet>();
    }
};

struct recycler_way {
    linn::recycler<tool::worker::packet>& source = kept();
    std::shared_ptr<tool::worker::packet> create() { return source.acquire_shared(); }

private:
    static linn::recycler<tool::worker::packet>& kept() {
        static auto& r = *new linn::recycler<tool::worker::packet>{{.capacity = 4'096}};
        return r;
    }
};

} // namespace

void run_linn_make_shared(sampler& s) {
    measure<make_shared_way>(s);
}

void run_linn_recycler(sampler& s) {
    measure<recycler_way>(s);
}

} // namespace linn::bench::packets
