// SPDX-License-Identifier: Apache-2.0
#include "packets.hpp"

#include <memory>

namespace linn::bench::packets {
namespace {

struct way {
    static std::shared_ptr<tool::worker::packet> create() { return std::make_shared<tool::worker::packet>(); }
};

} // namespace

void run_general(sampler& s) {
    measure<way>(s);
}

} // namespace linn::bench::packets
