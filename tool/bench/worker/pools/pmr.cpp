// SPDX-License-Identifier: Apache-2.0
#include "../pools.hpp"

#include <memory_resource>

namespace linn::tool::worker {
namespace {

/// The standard library's own pool resources, default options, over `new_delete_resource`.
template <class Resource>
struct pmr {
    static Resource& resource() {
        static Resource instance{std::pmr::new_delete_resource()};
        return instance;
    }

    template <class T>
    static std::pmr::polymorphic_allocator<T> allocator() {
        return &resource();
    }

    template <std::size_t Bytes>
    struct object : payload<Bytes> {
        using payload<Bytes>::payload;

        static void* operator new(std::size_t size) { return resource_.allocate(size, alignof(object)); }
        static void operator delete(void* p, std::size_t size) {
            resource_.deallocate(p, size, alignof(object));
        }

    private:
        // A reference held once, so that the row does not pay for the guard of a function's static.
        static inline Resource& resource_ = resource();
    };
};

constexpr auto one_thread = pool_variants<pmr<std::pmr::unsynchronized_pool_resource>>("pmr_unsynchronized");
constexpr auto any_thread = pool_variants<pmr<std::pmr::synchronized_pool_resource>>("pmr_synchronized");

const variants here[]{variants{one_thread}, variants{any_thread}};

} // namespace
} // namespace linn::tool::worker
