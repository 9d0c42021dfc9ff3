// SPDX-License-Identifier: Apache-2.0
// With LINN_FIBERS a fiber may suspend anywhere in a function and be resumed by another thread. Without it the compiler keeps the
// address of a thread's cache across the switch, so that two threads use one cache: an object gets two owners, or the
// program crashes. Prints the kinds of allocation that failed.
#include <linn/linn.hpp>

#include <boost/context/fiber.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace context = boost::context;

namespace {

constexpr int fiber_count = 48;
constexpr int thread_count = 4;

std::atomic<int> clashes{0};

/// One object of a fiber at a time: an object that another fiber owns too is a clash.
struct item {
    std::atomic<int> owner{0};
    char padding[28] = {};

    void enter(int who) noexcept { clashes += owner.exchange(who) != 0 ? 1 : 0; }
    void leave(int who) noexcept { clashes += owner.exchange(0) != who ? 1 : 0; }
};

/// A fiber as its own code sees it.
struct self {
    context::fiber& caller;
    int id;
    [[gnu::always_inline]] void suspend() { caller = std::move(caller).resume(); }
};

/// Fibers run `Work::round` in a few threads, which resume any fiber that is not running.
template <class Work>
void run(int rounds) {
    std::mutex lock;
    std::vector<context::fiber> ready;
    std::atomic<int> left{fiber_count};
    for (int i = 1; i <= fiber_count; ++i) {
        ready.emplace_back([i, rounds](context::fiber&& caller) {
            Work work;
            self me{caller, i};
            for (int n = 0; n < rounds; ++n) {
                work.round(me);
            }
            return std::move(caller);
        });
    }
    std::vector<std::thread> threads;
    for (int t = 0; t < thread_count; ++t) {
        threads.emplace_back([&, random = static_cast<unsigned>(t)]() mutable {
            while (left > 0) {
                context::fiber f;
                {
                    const std::lock_guard<std::mutex> guard{lock};
                    if (!ready.empty()) {
                        random = random * 1103515245U + 12345U;
                        std::swap(ready[(random >> 8U) % ready.size()], ready.back());
                        f = std::move(ready.back());
                        ready.pop_back();
                    }
                }
                if (!f) {
                    std::this_thread::yield();
                    continue;
                }
                f = std::move(f).resume();
                if (!f) {
                    --left;
                    continue;
                }
                const std::lock_guard<std::mutex> guard{lock};
                ready.push_back(std::move(f));
            }
        });
    }
    for (std::thread& t : threads) {
        t.join();
    }
}

/// One object after the other, each made before the one before it is dropped. `make()` gives an owner of an item.
template <auto Make>
struct one_by_one {
    void round(self& me) {
        auto a = Make();
        a->enter(me.id);
        me.suspend();
        auto b = Make();
        b->enter(me.id);
        a->leave(me.id);
        a.reset();
        me.suspend();
        b->leave(me.id);
    }
};

/// An item from somewhere, which `Drop` gives back.
template <auto Drop>
struct dropping {
    [[gnu::always_inline]] void operator()(item* p) const { Drop(p); }
};
template <auto Drop>
using owner = std::unique_ptr<item, dropping<Drop>>;

constexpr auto from_pool = [] {
    return owner<[](item* p) { linn::pool<item>::destroy(p); }>{linn::pool<item>::create()};
};

/// Suspends in the constructor, which then throws in every other round, and in the destructor.
struct sleeper : item {
    self& me;
    sleeper(self& s, bool fails) : me{s} {
        enter(me.id);
        me.suspend();
        if (fails) {
            leave(me.id);
            throw std::runtime_error{"planned"};
        }
    }
    ~sleeper() {
        me.suspend();
        leave(me.id);
    }
};

struct constructors {
    bool fails = false;
    void round(self& me) {
        fails = !fails;
        try {
            linn::pool<sleeper>::destroy(linn::pool<sleeper>::create(me, fails));
        } catch (const std::runtime_error&) { // a fiber that suspends in a handler loses its exception
        }
        me.suspend();
    }
};

struct container {
    std::list<item, linn::allocator<item>> items;
    void round(self& me) {
        items.emplace_back().enter(me.id);
        me.suspend();
        items.emplace_back().enter(me.id);
        me.suspend();
        while (!items.empty()) {
            items.front().leave(me.id);
            items.pop_front();
            me.suspend();
        }
    }
};

struct pooled_item : item, linn::pooled<pooled_item> {};

constexpr auto pooled = [] { return std::make_unique<pooled_item>(); };
constexpr auto allocated_shared = [] { return std::allocate_shared<item>(linn::allocator<item>{}); };
constexpr auto made_shared = [] { return linn::make_shared<item>(); };
constexpr auto made_unique = [] { return linn::make_unique<item>(); };

struct bulk {
    void round(self& me) {
        std::array<item*, 24> some{};
        linn::pool<item>::allocate_n(some);
        for (item*& p : some) {
            p = std::construct_at(p);
            p->enter(me.id);
        }
        me.suspend();
        for (item* p : some) {
            p->leave(me.id);
            std::destroy_at(p);
        }
        linn::pool<item>::deallocate_n(some);
        me.suspend();
        if (me.id == 1) {
            linn::pool<item>::trim();
        }
    }
};

linn::pool_resource& resource() {
    static linn::pool_resource r;
    return r;
}

constexpr auto from_resource = [] {
    return owner<[](item* p) { resource().deallocate(p, sizeof(item), alignof(item)); }>{
        std::construct_at(static_cast<item*>(resource().allocate(sizeof(item), alignof(item))))};
};

linn::recycler<item>& items() {
    static linn::recycler<item> r;
    return r;
}

constexpr auto recycled = [] { return items().acquire(); };
constexpr auto recycled_shared = [] { return items().acquire_shared(); };

linn::buffer_pool& buffers() {
    static linn::buffer_pool b{4096};
    return b;
}

/// A buffer with an item in it.
struct item_in_buffer {
    linn::buffer memory = buffers().acquire();
    item* inside = std::construct_at(static_cast<item*>(static_cast<void*>(memory.data())));
    item* operator->() const { return inside; }
    void reset() { memory.reset(); }
};
constexpr auto buffer = [] { return item_in_buffer{}; };

template <class Work>
bool holds(const char* name, int rounds) {
    clashes = 0;
    run<Work>(rounds);
    if (clashes != 0) {
        std::printf("%s: %d objects had two owners\n", name, clashes.load());
    }
    return clashes == 0;
}

} // namespace

int main() {
    bool good = holds<one_by_one<from_pool>>("pool", 2000);
    good = holds<constructors>("constructors", 1000) && good;
    good = holds<container>("container", 1000) && good;
    good = holds<bulk>("bulk", 500) && good;
    good = holds<one_by_one<pooled>>("pooled", 2000) && good;
    good = holds<one_by_one<allocated_shared>>("allocate_shared", 1000) && good;
    good = holds<one_by_one<made_shared>>("make_shared", 1000) && good;
    good = holds<one_by_one<made_unique>>("make_unique", 1000) && good;
    good = holds<one_by_one<from_resource>>("memory_resource", 2000) && good;
    good = holds<one_by_one<recycled>>("recycler", 1000) && good;
    good = holds<one_by_one<recycled_shared>>("recycler, shared", 1000) && good;
    good = holds<one_by_one<buffer>>("buffer", 2000) && good;
    const auto left = linn::pool<item>::statistics().live + linn::pool<sleeper>::statistics().live +
                      linn::pool<pooled_item>::statistics().live;
    if (left != 0) {
        std::printf("%zu objects are alive at the end\n", static_cast<std::size_t>(left));
    }
    return good && left == 0 ? 0 : 1;
}
