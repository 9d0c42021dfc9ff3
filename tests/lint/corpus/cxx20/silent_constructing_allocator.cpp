// SPDX-License-Identifier: Apache-2.0
// Its construct() leaves alone what is given nothing.
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
struct page {
    char data[4096];
    int pins = 0;
};
template <class T>
struct leaving_allocator {
    using value_type = T;
    leaving_allocator() = default;
    template <class U>
    leaving_allocator(const leaving_allocator<U>&) {}
    T* allocate(std::size_t n) { return static_cast<T*>(std::malloc(n * sizeof(T))); }
    void deallocate(T* p, std::size_t) { std::free(p); }
    template <class U>
    void construct(U* p) {
        ::new (static_cast<void*>(p)) U;
    }
    template <class U, class... Args>
    void construct(U* p, Args&&... args) {
        ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
    }
    bool operator==(const leaving_allocator&) const = default;
};
auto a = std::allocate_shared<page>(leaving_allocator<page>{});
