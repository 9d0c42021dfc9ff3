// SPDX-License-Identifier: Apache-2.0
#include "../pools.hpp"

#include <memory>

namespace linn::tool::worker {
namespace {

/// Plain `std::allocator`, `new` and `delete`: the general allocator that the process was started with.
struct general {
    template <class T>
    static std::allocator<T> allocator() {
        return {};
    }

    template <std::size_t Bytes>
    struct object : payload<Bytes> {
        using payload<Bytes>::payload;
    };
};

constexpr auto all = pool_variants<general>("general");

const variants here{all};

} // namespace
} // namespace linn::tool::worker
