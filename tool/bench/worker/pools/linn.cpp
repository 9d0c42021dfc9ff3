// SPDX-License-Identifier: Apache-2.0
#include "../pools.hpp"

#include <linn/allocator.hpp>
#include <linn/pooled.hpp>

namespace linn::tool::worker {
namespace {

/// Linn as a user meets it: the allocator in a container, the base class for an object.
struct linn_policy {
    template <class T>
    static linn::allocator<T> allocator() {
        return {};
    }

    template <std::size_t Bytes>
    struct object : payload<Bytes>, linn::pooled<object<Bytes>> {
        using payload<Bytes>::payload;
    };
};

constexpr auto all = pool_variants<linn_policy>("linn");

const variants here{all};

} // namespace
} // namespace linn::tool::worker
