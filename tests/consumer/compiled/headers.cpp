// SPDX-License-Identifier: Apache-2.0
#undef LINN_COMPILED // as in a library of the program that does not know of linn::compiled
#include "parts.hpp"

#include <linn/pool.hpp>

#ifndef LINN_DETAIL_SYNC_THREAD_CACHE_HPP
#error "the headers alone lack the slow paths"
#endif

shared_object* create_from_headers(int value) {
    return linn::pool<shared_object>::create(value);
}

bool destroy_from_headers(shared_object* object) {
    const bool owned = linn::pool<shared_object>::owns(object);
    linn::pool<shared_object>::destroy(object);
    return owned;
}
