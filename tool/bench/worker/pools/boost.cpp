// SPDX-License-Identifier: Apache-2.0
#include "../pools.hpp"

#include <boost/pool/singleton_pool.hpp>

#include <memory>
#include <new>

namespace linn::tool::worker {
namespace {

struct boost_tag {};

/// Boost's segregated-storage pool, one a size, without its mutex: the fastest form Boost offers.
template <std::size_t Bytes>
using pool_of = boost::singleton_pool<boost_tag, Bytes, boost::default_user_allocator_new_delete,
                                      boost::details::pool::null_mutex>;

/// One object from the pool, arrays from `std::allocator`. Boost's own `fast_pool_allocator` would take the
/// bucket array from the pool too and search the free list for neighbours, which makes the hash table unusable;
/// the benchmark compares pools, so it gives Boost the better allocator.
template <class T>
struct boost_allocator {
    using value_type = T;

    boost_allocator() = default;
    template <class U>
    boost_allocator(const boost_allocator<U>&) noexcept {}

    T* allocate(std::size_t n) {
        if (n != 1) {
            return std::allocator<T>{}.allocate(n);
        }
        void* p = pool_of<sizeof(T)>::malloc();
        if (p == nullptr) {
            throw std::bad_alloc{};
        }
        return static_cast<T*>(p);
    }

    void deallocate(T* p, std::size_t n) {
        if (n != 1) {
            return std::allocator<T>{}.deallocate(p, n);
        }
        pool_of<sizeof(T)>::free(p);
    }

    friend bool operator==(const boost_allocator&, const boost_allocator&) noexcept { return true; }
};

struct boost_pool {
    template <class T>
    static boost_allocator<T> allocator() {
        return {};
    }

    template <std::size_t Bytes>
    struct object : payload<Bytes> {
        using payload<Bytes>::payload;

        static void* operator new(std::size_t) {
            void* p = pool_of<Bytes>::malloc();
            if (p == nullptr) {
                throw std::bad_alloc{};
            }
            return p;
        }
        static void operator delete(void* p) { pool_of<Bytes>::free(p); }
    };
};

constexpr auto all = pool_variants<boost_pool>("boost_singleton_pool");

const variants here{all};

} // namespace
} // namespace linn::tool::worker
