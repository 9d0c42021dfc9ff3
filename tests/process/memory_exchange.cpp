// SPDX-License-Identifier: Apache-2.0
// Promise: if threads free the objects of others, for any time, memory stays the peak of live objects plus a
// constant a thread: one thread to one, one to many, and any to any; with a thread that has never allocated, and
// blocks for ever after. What one thread filled and emptied, the next can have: sixty-four in turn need no more than one.
//
// Breaks when objects go back to an owner who never looks, wait in a cache that nobody empties, or when each thread
// has memory of its own (mimalloc#1364, #1117). For pools and for resources.
#include "process.hpp"

#include <linn/linn.hpp>

#include <barrier>

namespace {

struct item {
    std::uint64_t words[6];
};

struct from_pool {
    static item* allocate() { return linn::pool<item>::allocate(); }
    static void free(item* p) noexcept { linn::pool<item>::deallocate(p); }
    static linn::pool_statistics statistics() { return linn::pool<item>::statistics(); }
    static void trim() { linn::pool<item>::trim(); }
};

linn::pool_resource resource;

struct from_resource {
    static item* allocate() { return static_cast<item*>(resource.allocate(sizeof(item), alignof(item))); }
    static void free(item* p) noexcept { resource.deallocate(p, sizeof(item), alignof(item)); }
    static linn::pool_statistics statistics() {
        for (const auto& s : resource.statistics()) {
            if (s.object_bytes == sizeof(item)) {
                return s;
            }
        }
        return {};
    }
    static void trim() { resource.trim(); }
};

/// From one thread to another, at most as many as it has places.
struct channel {
    static constexpr std::size_t places = 256;

    void put(std::size_t i, item* p) noexcept {
        auto& place = slots[i % places];
        linn_test::wait_until([&] { return place.load(std::memory_order_acquire) == nullptr; });
        place.store(p, std::memory_order_release);
    }
    item* take(std::size_t i) noexcept {
        auto& place = slots[i % places];
        item* p = nullptr;
        while ((p = place.load(std::memory_order_acquire)) == nullptr) {
            std::this_thread::yield();
        }
        place.store(nullptr, std::memory_order_release);
        return p;
    }
    std::array<std::atomic<item*>, places> slots{};
};

template <class Memory>
item* made(std::uint64_t mark) {
    item* p = Memory::allocate();
    p->words[0] = p->words[5] = mark;
    return p;
}
template <class Memory>
void gone(item* p, std::uint64_t mark) {
    CHECK(p->words[0] == mark && p->words[5] == mark);
    Memory::free(p);
}

/// What `threads` may hold while at most `live` objects are: a cache of the largest size each, and slabs, which grow
/// to 2 MiB.
std::size_t most_bytes(std::size_t threads, std::size_t live, std::size_t slot_bytes) {
    return (live + threads * 512) * slot_bytes + 4 * linn_test::mib;
}

template <class Memory>
void check_bounded(std::size_t threads, std::size_t live) {
    const auto s = Memory::statistics();
    CHECK(s.live == 0);
    CHECK_AT_MOST(s.resident_bytes, most_bytes(threads, live, s.slot_bytes));
}

/// One producer, and `consumers` that have never allocated. One of them stays, blocked, until the numbers were looked at.
template <class Memory>
void one_to_many(std::size_t consumers, std::size_t each) {
    std::vector<std::unique_ptr<channel>> ways;
    std::atomic<bool> looked{false};
    std::barrier<> done{static_cast<std::ptrdiff_t>(consumers + 1)};
    std::vector<std::thread> threads;
    for (std::size_t c = 0; c != consumers; ++c) {
        ways.push_back(std::make_unique<channel>());
        threads.emplace_back([&, way = ways.back().get()] {
            for (std::size_t i = 0; i != each; ++i) {
                gone<Memory>(way->take(i), i);
            }
            done.arrive_and_wait();
            looked.wait(false);
        });
    }
    for (std::size_t i = 0; i != each; ++i) {
        for (auto& way : ways) {
            way->put(i, made<Memory>(i));
        }
    }
    done.arrive_and_wait();
    check_bounded<Memory>(consumers + 1, consumers * (channel::places + 1));
    looked = true;
    looked.notify_all();
    linn_test::join_all(threads);
}

/// Each thread frees the object that it finds in a place, and leaves one of its own.
template <class Memory>
void any_to_any(std::size_t members, std::size_t each) {
    constexpr std::size_t places = 4096;
    static std::array<std::atomic<item*>, places> shared{};
    linn_test::in_threads(members, [each](std::size_t me) {
        std::uint64_t random = me + 1;
        for (std::size_t i = 0; i != each; ++i) {
            random = random * 6364136223846793005U + 1442695040888963407U;
            const std::size_t at = (random >> 33) % places;
            if (item* old = shared[at].exchange(made<Memory>(at), std::memory_order_acq_rel)) {
                gone<Memory>(old, at);
            }
        }
    });
    for (std::size_t at = 0; at != places; ++at) {
        if (item* last = shared[at].exchange(nullptr)) {
            gone<Memory>(last, at);
        }
    }
    check_bounded<Memory>(members + 1, places + members);
}

template <class Memory>
void fill_and_empty(std::size_t objects) {
    std::vector<item*> all(objects);
    for (item*& p : all) {
        p = made<Memory>(7);
    }
    for (item* p : all) {
        gone<Memory>(p, 7);
    }
}

/// Threads in turn, each of which fills and empties as much.
template <class Memory>
void phases(std::size_t turns, std::size_t objects) {
    Memory::trim();
    std::thread{[&] { fill_and_empty<Memory>(objects); }}.join();
    const std::size_t one = Memory::statistics().resident_bytes;
    for (std::size_t i = 1; i != turns; ++i) {
        std::thread{[&] { fill_and_empty<Memory>(objects); }}.join();
    }
    CHECK_AT_MOST(Memory::statistics().resident_bytes, one + one / 10 + linn_test::mib);
}

template <class Memory>
void all_of() {
    const std::size_t some = linn_test::scaled(100'000);
    one_to_many<Memory>(1, 4 * some);
    one_to_many<Memory>(3, some);
    any_to_any<Memory>(4, 2 * some);
    phases<Memory>(64, linn_test::scaled(500'000));
}

} // namespace

int main() {
    all_of<from_pool>();
    all_of<from_resource>();
}
