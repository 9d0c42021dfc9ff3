// SPDX-License-Identifier: Apache-2.0
#include "../pools.hpp"

#include <memory>
#include <new>

namespace linn::tool::worker {
namespace {

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

template <class T>
struct lecture_allocator {
    using value_type = T;

    lecture_allocator() = default;
    template <class U>
    lecture_allocator(const lecture_allocator<U>&) noexcept {}

    T* allocate(std::size_t n) {
        if (n == 1) {
            return static_cast<T*>(lecture_pool<T>::of_this_thread().allocate());
        }
        return std::allocator<T>{}.allocate(n);
    }

    void deallocate(T* p, std::size_t n) {
        if (n == 1) {
            lecture_pool<T>::of_this_thread().deallocate(p);
        } else {
            std::allocator<T>{}.deallocate(p, n);
        }
    }

    friend bool operator==(const lecture_allocator&, const lecture_allocator&) noexcept { return true; }
};

struct lecture {
    template <class T>
    static lecture_allocator<T> allocator() {
        return {};
    }

    template <std::size_t Bytes>
    struct object : payload<Bytes> {
        using payload<Bytes>::payload;

        static void* operator new(std::size_t) { return lecture_pool<object>::of_this_thread().allocate(); }
        static void operator delete(void* p) { lecture_pool<object>::of_this_thread().deallocate(p); }
    };
};

constexpr auto all = pool_variants<lecture>("lecture_pool");

const variants here{all};

} // namespace
} // namespace linn::tool::worker
