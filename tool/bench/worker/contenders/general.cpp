// SPDX-License-Identifier: Apache-2.0
#include "../contender.hpp"

#include <memory>

namespace linn::tool::worker {
namespace {

/// Plain `std::allocator`, `new` and `delete`: whatever general allocator the process was started with.
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

} // namespace

contender general_contender() {
    return make_contender<general>("general");
}

} // namespace linn::tool::worker
