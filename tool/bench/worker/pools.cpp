// SPDX-License-Identifier: Apache-2.0
#include "pools.hpp"

#include <boost/pool/singleton_pool.hpp>

#include <memory_resource>
#include <new>

namespace linn::tool::worker {
namespace {

template <class Resource>
struct pmr : pmr_policy<Resource> {
    template <std::size_t Bytes>
    struct object : payload<Bytes> {
        using payload<Bytes>::payload;

        static void* operator new(std::size_t size) { return resource_.allocate(size, alignof(object)); }
        static void operator delete(void* p, std::size_t size) {
            resource_.deallocate(p, size, alignof(object));
        }

    private:
        // A reference held once, so that the row does not pay for the guard of a function's static.
        static inline Resource& resource_ = pmr_policy<Resource>::resource();
    };
};

/// A pool of single objects, as a `Source` of `source_allocator`.
template <class Source>
struct objects_from {
    template <class T>
    static source_allocator<T, Source> allocator() {
        return {};
    }

    template <std::size_t Bytes>
    struct object : payload<Bytes> {
        using payload<Bytes>::payload;

        static void* operator new(std::size_t) { return Source::template take<object>(); }
        static void operator delete(void* p) { Source::template give<object>(p); }
    };
};

struct boost_tag {};

/// Boost's segregated-storage pool, one a size, without its mutex: the fastest form Boost offers. Its own
/// `fast_pool_allocator` would take the bucket array from the pool too and search the free list for neighbours, which
/// makes the hash table unusable; the benchmark compares pools, so it gives Boost the better allocator.
struct boost_source {
    template <class T>
    using pool_of = boost::singleton_pool<boost_tag, sizeof(T), boost::default_user_allocator_new_delete,
                                          boost::details::pool::null_mutex>;

    template <class T>
    static void* take() {
        void* p = pool_of<T>::malloc();
        if (p == nullptr) {
            throw std::bad_alloc{};
        }
        return p;
    }
    template <class T>
    static void give(void* p) {
        pool_of<T>::free(p);
    }
};

// The pool that lectures and articles teach, written from its published description and measured because readers
// know it. Do not use it. An object freed on another thread joins that thread's free list while its chunk
// belongs to the first thread; when the first thread ends, the chunk is freed and the list dangles. A container
// at namespace scope outlives the thread-local pool its nodes came from. No chunk is given back before the end.

/// Nodes in a chunk; specialise to change it for a type.
template <class T>
inline constexpr std::size_t chunk_nodes = 64;

template <class T>
class lecture_pool {
public:
    lecture_pool() = default;
    lecture_pool(const lecture_pool&) = delete;
    lecture_pool& operator=(const lecture_pool&) = delete;
    ~lecture_pool() {
        while (chunks_ != nullptr) {
            chunk* next = chunks_->next;
            delete chunks_;
            chunks_ = next;
        }
    }

    void* allocate() {
        if (free_ == nullptr) {
            grow();
        }
        node* n = free_;
        free_ = n->next;
        return n;
    }

    void deallocate(void* p) noexcept {
        node* n = static_cast<node*>(p);
        n->next = free_;
        free_ = n;
    }

    static lecture_pool& of_this_thread() {
        static thread_local lecture_pool pool;
        return pool;
    }

private:
    union node {
        node* next;
        alignas(T) std::byte object[sizeof(T)];
    };
    struct chunk {
        chunk* next;
        node nodes[chunk_nodes<T>];
    };

    void grow() {
        chunk* fresh = new chunk;
        fresh->next = chunks_;
        chunks_ = fresh;
        for (std::size_t i = 0; i + 1 != chunk_nodes<T>; ++i) {
            fresh->nodes[i].next = &fresh->nodes[i + 1];
        }
        fresh->nodes[chunk_nodes<T> - 1].next = free_;
        free_ = &fresh->nodes[0];
    }

    node* free_ = nullptr;
    chunk* chunks_ = nullptr;
};

struct lecture_source {
    template <class T>
    static void* take() {
        return lecture_pool<T>::of_this_thread().allocate();
    }
    template <class T>
    static void give(void* p) noexcept {
        lecture_pool<T>::of_this_thread().deallocate(p);
    }
};

template <class Policy>
constexpr std::array<variant, 2> both(std::string_view name) noexcept {
    return {{{"object", name, &run_object<Policy>}, {"containers", name, &run_containers<Policy>}}};
}

constexpr auto of_general = both<standard_policy>("general");
constexpr auto of_unsynchronized = both<pmr<std::pmr::unsynchronized_pool_resource>>("pmr_unsynchronized");
constexpr auto of_synchronized = both<pmr<std::pmr::synchronized_pool_resource>>("pmr_synchronized");
constexpr auto of_boost = both<objects_from<boost_source>>("boost_singleton_pool");
constexpr auto of_lecture = both<objects_from<lecture_source>>("lecture_pool");
constexpr auto of_linn = both<linn_policy>("linn");

const variants here[]{variants{of_general}, variants{of_unsynchronized}, variants{of_synchronized},
                      variants{of_boost},   variants{of_lecture},        variants{of_linn}};

} // namespace
} // namespace linn::tool::worker
