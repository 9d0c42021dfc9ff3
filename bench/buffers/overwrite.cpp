// SPDX-License-Identifier: Apache-2.0
#include "buffers.hpp"

namespace linn::bench::buffers {
namespace {

struct not_zeroed {
    static constexpr bool cheap = false;
    static std::shared_ptr<line> take() { return std::shared_ptr<line>{new line}; }
    static char* bytes(const std::shared_ptr<line>& l) { return l->data; }
};

} // namespace

void run_overwrite(sampler& s) {
    measure<not_zeroed>(s);
}

} // namespace linn::bench::buffers
