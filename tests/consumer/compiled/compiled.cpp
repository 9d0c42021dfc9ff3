// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"

#include <linn/pool.hpp>

#ifdef LINN_DETAIL_SYNC_THREAD_CACHE_HPP
#error "linn::compiled compiles the slow paths again"
#endif

shared_object* create_compiled(int value) {
    return linn::pool<shared_object>::create(value);
}

bool destroy_compiled(shared_object* object) {
    const bool owned = linn::pool<shared_object>::owns(object);
    linn::pool<shared_object>::destroy(object);
    return owned;
}
