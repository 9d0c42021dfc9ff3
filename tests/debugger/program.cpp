// SPDX-License-Identifier: Apache-2.0
// What the test of the debugger's view stops in: pools in every state that `linn owner` can tell apart.
#include <linn/allocator.hpp>
#include <linn/buffer_pool.hpp>
#include <linn/fixed_pool.hpp>
#include <linn/handle_pool.hpp>
#include <linn/local_pool.hpp>
#include <linn/pool.hpp>
#include <linn/recycler.hpp>

#include <array>
#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>

namespace shop {

struct order {
    long id;
    double price;
};

template <class T>
struct box {
    T value;
};

} // namespace shop

using shop::order;
using orders = linn::pool<order>;

// Globals, so that gdb finds them by name in every frame.
order* live_order = nullptr;
order* freed_here = nullptr;      // in the magazine of the main thread
order* freed_elsewhere = nullptr; // by a thread that is gone: in its slab
order* freed_waiting = nullptr;   // in the magazine of a thread that is still there
order* last_slot = nullptr;
shop::box<int>* live_box = nullptr;
order* local_live = nullptr;
order* local_freed = nullptr;
order* first_of_many = nullptr;
order* idle_order = nullptr;    // in a recycler
order* handled_order = nullptr; // in a handle_pool
std::array<order*, 1000> many{};
linn::local_pool<order>* local = nullptr;
constinit linn::fixed_pool<order, 4> fixed;
int not_pooled = 0;

[[gnu::noinline]] void stop_here() { // the breakpoint
    asm volatile("" ::: "memory");
}

[[gnu::noinline]] order* make_order(long id) {
    return orders::create(id, 2.0);
}

[[gnu::noinline]] void drop_order(order* o) {
    orders::destroy(o);
}

int main() {
    for (order*& o : many) {
        o = orders::create(1L, 1.0);
    }
    live_order = orders::create(42L, 99.5);
    freed_here = make_order(2L);
    freed_elsewhere = many[500];
    freed_waiting = many[501];
    first_of_many = many.front();
    last_slot = many.back();
    live_box = linn::pool<shop::box<int>>::create(shop::box<int>{7});

    linn::local_pool<order> mine;
    local = &mine;
    local_live = mine.create(3L, 3.0);
    local_freed = mine.create(4L, 4.0);
    order* local_other = mine.create(5L, 5.0);
    mine.destroy(local_freed);

    order* fixed_first = fixed.try_create(6L, 6.0);
    order* fixed_second = fixed.try_create(7L, 7.0);
    fixed.destroy(fixed_first);

    linn::recycler<order> recycler{10};
    recycler.prefill(3);
    const auto recycled = recycler.acquire_shared();
    idle_order = recycler.acquire().get(); // and back at once

    linn::handle_pool<order> handles;
    const auto handle = handles.create(8L, 8.0);
    const auto stale = handles.create(9L, 9.0);
    const auto reused = handles.create(10L, 10.0);
    handles.destroy(stale);
    const auto second = handles.create(11L, 11.0);
    const linn::pool_handle<order> no_handle;
    handled_order = handles.get(handle);

    linn::buffer_pool buffers{1 << 20};
    const linn::buffer buffer = buffers.acquire();
    const linn::buffer no_buffer;

    const linn::allocator<int> allocator;
    std::list<int, linn::allocator<int>> numbers{1, 2, 3};

    std::thread{[] { orders::destroy(freed_elsewhere); }}.join();

    std::mutex mutex;
    std::condition_variable changed;
    int step = 0;
    std::thread waiting{[&] {
        orders::destroy(freed_waiting);
        std::unique_lock lock{mutex};
        step = 1;
        changed.notify_all();
        changed.wait(lock, [&] { return step == 2; });
    }};
    {
        std::unique_lock lock{mutex};
        changed.wait(lock, [&] { return step == 1; });
    }
    drop_order(freed_here);
    stop_here();
    {
        const std::lock_guard lock{mutex};
        step = 2;
    }
    changed.notify_all();
    waiting.join();

    fixed.destroy(fixed_second);
    mine.destroy(local_live);
    mine.destroy(local_other);
    (void)allocator;
    (void)no_buffer;
    (void)reused;
    (void)second;
    (void)no_handle;
    return static_cast<int>(numbers.size()) - 3 + not_pooled;
}
