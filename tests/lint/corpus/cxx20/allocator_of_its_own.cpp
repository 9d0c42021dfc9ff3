// SPDX-License-Identifier: Apache-2.0
// An allocator without construct() fills as the standard one.
// bytes: page 4096
#include <cstdlib>
#include <memory>
struct page {
    char data[4096]; // member 4096
    int pins = 0;
};
template <class T>
struct counting_allocator {
    using value_type = T;
    counting_allocator() = default;
    template <class U>
    counting_allocator(const counting_allocator<U>&) {}
    T* allocate(std::size_t n) { return static_cast<T*>(std::malloc(n * sizeof(T))); }
    void deallocate(T* p, std::size_t) { std::free(p); }
    bool operator==(const counting_allocator&) const = default;
};
auto make() {
    return std::allocate_shared<page>(counting_allocator<page>{}); // finds 4096, fix
}
