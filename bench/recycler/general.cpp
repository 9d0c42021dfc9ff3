// SPDX-License-Identifier: Apache-2.0
#include "recycler.hpp"

namespace linn::bench::recycling {
namespace {

template <class T>
void make_one() {
    escape(std::make_shared<T>().get());
}

} // namespace

void run_general(sampler& s) {
    measure(s, make_one<filled_message<large>>, make_one<filled_message<small>>);
}

} // namespace linn::bench::recycling
