// SPDX-License-Identifier: Apache-2.0
#include "make_shared.hpp"

#include <memory>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace linn::bench::make_shared {
namespace {

/// As cheap as `std::make_shared` gets: nothing is filled. Portable to libraries without
/// `make_shared_for_overwrite`.
struct unfilled_packet : packet {
    unfilled_packet() {}
};
struct unfilled {
    static std::shared_ptr<unfilled_packet> make() { return std::make_shared<unfilled_packet>(); }
};
struct filled {
    static std::shared_ptr<packet> make() { return std::make_shared<packet>(); }
};

} // namespace

void run_general(sampler& s) {
    measure<unfilled>(s);
}

void run_no_trim(sampler& s) {
#if defined(__GLIBC__)
    ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
    measure<unfilled>(s);
}

void run_filled(sampler& s) {
    measure<filled>(s);
}

} // namespace linn::bench::make_shared
