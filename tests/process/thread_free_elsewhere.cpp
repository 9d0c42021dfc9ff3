// SPDX-License-Identifier: Apache-2.0
// Promise: any thread may free what any thread allocated, whether the thread that allocated it
// lives, is dead, or is replaced by another; a thread may exit with objects alive.
//
// Breaks when an object belongs to its thread: freed memory would go to a heap that is gone, or the
// exit of a thread would take its live objects along. The contents are checked before each free, so
// memory that was reused or returned too early is noticed; counts are checked at the end, so an
// object that got lost is noticed too.
#include "process.hpp"

#include <linn/linn.hpp>

namespace {

struct item {
    std::uint64_t owner;
    std::uint64_t number;
    std::uint64_t check;
};

item* make(std::uint64_t owner, std::uint64_t number) {
    return linn::pool<item>::create(item{owner, number, owner * 1'000'003 + number});
}

bool intact(const item* i) {
    return i->check == i->owner * 1'000'003 + i->number;
}

constexpr std::size_t count = 5000;

std::vector<item*> allocate_in_thread(std::uint64_t owner) {
    std::vector<item*> items;
    std::thread{[&] {
        for (std::size_t i = 0; i < count; ++i) {
            items.push_back(make(owner, i));
        }
    }}.join();
    return items;
}

void check_all(const std::vector<item*>& items, std::uint64_t owner) {
    CHECK(items.size() == count);
    for (std::size_t i = 0; i < count; ++i) {
        CHECK(intact(items[i]));
        CHECK(items[i]->owner == owner && items[i]->number == i);
    }
}

void free_while_the_owner_lives() {
    std::vector<item*> items;
    for (std::size_t i = 0; i < count; ++i) {
        items.push_back(make(1, i));
    }
    std::thread{[&] {
        check_all(items, 1);
        for (item* i : items) {
            linn::pool<item>::destroy(i);
        }
    }}.join();
    // The owner goes on, and must get distinct objects.
    std::set<item*> again;
    for (std::size_t i = 0; i < count; ++i) {
        CHECK(again.insert(make(2, i)).second);
    }
    for (item* i : again) {
        CHECK(intact(i));
        linn::pool<item>::destroy(i);
    }
}

void free_after_the_owner_died() {
    const std::vector<item*> items = allocate_in_thread(3);
    CHECK(linn::pool<item>::statistics().live == count);
    std::thread{[&] {
        // New objects of a thread that may have the identity of the dead one must not overlap.
        std::set<item*> others;
        for (std::size_t i = 0; i < count; ++i) {
            others.insert(make(4, i));
        }
        for (item* i : items) {
            CHECK(others.count(i) == 0);
        }
        check_all(items, 3);
        for (item* i : items) {
            linn::pool<item>::destroy(i);
        }
        for (item* i : others) {
            CHECK(intact(i));
            linn::pool<item>::destroy(i);
        }
    }}.join();
}

/// Objects go around: each generation frees what the one before it allocated, and dies.
void hand_down() {
    std::vector<item*> inherited = allocate_in_thread(10);
    for (std::uint64_t generation = 11; generation < 31; ++generation) {
        std::vector<item*> next;
        std::thread{[&] {
            check_all(inherited, generation - 1);
            for (std::size_t i = 0; i < count; ++i) {
                linn::pool<item>::destroy(inherited[i]);
                next.push_back(make(generation, i));
            }
        }}.join();
        inherited = std::move(next);
    }
    check_all(inherited, 30);
    linn::pool<item>::deallocate_n(inherited);
}

} // namespace

int main() {
    free_while_the_owner_lives();
    CHECK(linn::pool<item>::statistics().live == 0);
    free_after_the_owner_died();
    CHECK(linn::pool<item>::statistics().live == 0);
    hand_down();
    CHECK(linn::pool<item>::statistics().live == 0);
    CHECK(linn::leak_report().empty());
}
