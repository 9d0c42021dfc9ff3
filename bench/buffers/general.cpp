// SPDX-License-Identifier: Apache-2.0
#include "buffers.hpp"

namespace linn::bench::buffers {
namespace {

struct zeroed {
    static constexpr bool cheap = false;
    static std::shared_ptr<line> take() { return std::make_shared<line>(); }
    static char* bytes(const std::shared_ptr<line>& l) { return l->data; }
};

} // namespace

void run_general(sampler& s) {
    measure<zeroed>(s);
}

} // namespace linn::bench::buffers
