// SPDX-License-Identifier: Apache-2.0
// What smart pointers, allocators and pooled classes cannot be of is refused in a sentence, which comes first.
// LINES: 30
#include <linn/allocator.hpp>
#include <linn/fixed_pool.hpp>
#include <linn/local_allocator.hpp>
#include <linn/memory.hpp>
#include <linn/pooled.hpp>

#include <coroutine>
#include <list>

struct declared;
struct point : linn::pooled<point> {};

template <class T>
struct fancy {
    T* raw;
};
template <class T>
struct upstream : std::allocator<T> {
#if defined(LINN_CASE_fancy_pointer) // linn::allocator: the upstream allocator must use plain pointers
    using pointer = fancy<T>;
#endif
    template <class U>
    struct rebind {
        using other = upstream<U>;
    };
};
static_assert(sizeof(linn::allocator<int, upstream<int>>) != 0);

#if defined(LINN_CASE_too_large) // linn::local_allocator: an object does not fit a slot of the pool
using element = long double[4];
#else
using element = int;
#endif
using slots = linn::fixed_pool<linn::node_slot<std::list<int>>, 4>;

struct task {                  // a coroutine's frame does not fit a pool of its promise
#if defined(LINN_CASE_promise) // linn::pooled is not for promise types of coroutines
    struct promise_type : linn::pooled<promise_type> {
#else
    struct promise_type {
#endif
        task get_return_object() { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
};
task count(point*) {
    co_return;
}

void use() {
#if defined(LINN_CASE_make_reference) // linn::make_shared and make_unique make objects: the type must be
    static_cast<void>(linn::make_shared<int&>(3));
#elif defined(LINN_CASE_make_incomplete) // linn::make_shared and make_unique make objects: the type must be
    static_cast<void>(linn::make_unique<declared>());
#elif defined(LINN_CASE_allocator_const) // linn::allocator: its type must not be const, volatile, a reference
    linn::allocator<const int> a;
#elif defined(LINN_CASE_allocator_incomplete) // linn: the type of a pool must be complete
    linn::allocator<declared> a;
    static_cast<void>(a.allocate(1));
#elif defined(LINN_CASE_pooled)               // linn::pooled is a base of the class that it names
    struct number : linn::pooled<int> {};
#endif
    slots memory;
    linn::local_allocator<element, slots, void> without_upstream{memory};
    without_upstream.deallocate(without_upstream.allocate(1), 1);
    linn::allocator<declared> named; // to name it is fine
    static_cast<void>(named);
    static_cast<void>(linn::make_unique<const int>(3));
    static_cast<void>(new point);
}
