// SPDX-License-Identifier: Apache-2.0
#include "../contender.hpp"

#include <linn/allocator.hpp>
#include <linn/pooled.hpp>

namespace linn::tool::worker {
namespace {

/// Linn as a user meets it: the allocator in a container, the base class for an object.
struct linn_pools {
    template <class T>
    static linn::allocator<T> allocator() {
        return {};
    }

    template <std::size_t Bytes>
    struct object : payload<Bytes>, linn::pooled<object<Bytes>> {
        using payload<Bytes>::payload;
    };
};

} // namespace

contender linn_contender() {
    return make_contender<linn_pools>("linn");
}

} // namespace linn::tool::worker
