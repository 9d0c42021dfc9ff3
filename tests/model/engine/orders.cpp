// SPDX-License-Identifier: Apache-2.0
// What a load may return. Stores to one atomic are in the order in which they are executed. Each thread has a
// view: of each atomic the oldest store that it may still read. A release hands the view of its thread over
// with the value, an acquire takes it; a relaxed load may return any store that is not older than the view.
// Source: Kang, Hur, Lahav, Vafeiadis, Dreyer: A promising semantics for relaxed-memory concurrency, POPL 2017
// (its views, without promises); ISO C++20 [atomics.order]
#include "engine.hpp"

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace model::engine {
namespace {

/// What a value carries from the one who stored it to the one who reads it.
struct message {
    clocks seen;
    view floor;
};

struct stored {
    word value = 0;
    bool released = false;
    message with;
};

struct location {
    const void* at = nullptr;
    unsigned generation = 0;
    unsigned view_number = 0;   ///< 0: was not written yet
    clocks made;                ///< when it was constructed
    std::uint32_t in_order = 0; ///< the newest store that the single order of seq_cst has seen
    std::vector<stored> stores;

    bool visible = false;
    unsigned users = 0; ///< set of threads
    bool written = false;

    bool held = false; ///< as a lock, whose message is that of the last unlock
    message left;
    unsigned sleepers = 0; ///< set of threads in futex_wait

    [[nodiscard]] std::uint32_t newest() const { return static_cast<std::uint32_t>(stores.size() - 1); }
};

constexpr std::size_t table_size = 4096;
location table[table_size];
unsigned generation = 0;
unsigned views_used = 0;
std::size_t locations_used = 0;

location& place_of(const void* at) {
    std::size_t i = (reinterpret_cast<std::uintptr_t>(at) * 0x9e3779b97f4a7c15U >> 40) % table_size;
    while (table[i].generation == generation && table[i].at != at) {
        i = (i + 1) % table_size;
    }
    location& l = table[i];
    if (l.generation != generation) {
        if (++locations_used > table_size / 2) {
            fail("the model has no room for so many atomics");
        }
        l.at = at;
        l.generation = generation;
        l.visible = is_visible(at);
        l.stores.clear();
    }
    return l;
}

void begin(location& l, word value) {
    const own_memory guard;
    l.view_number = 0;
    l.made = {};
    l.in_order = 0;
    l.stores.resize(1);
    l.stores[0].value = value;
    l.stores[0].released = false;
    l.users = 0;
    l.written = false;
    l.held = false;
    l.left = {};
    l.sleepers = 0;
}

word value_in_memory(const void* at, std::size_t bytes) {
    word w = 0;
    copy_bytes(&w, at, bytes);
    return w;
}

/// The atomic at an address; one in a global object begins with what is there.
location& atomic_at(const void* at, std::size_t bytes) {
    location& l = place_of(at);
    if (l.stores.empty()) {
        begin(l, value_in_memory(at, bytes));
    }
    return l;
}

bool covers(const clocks& later, const clocks& earlier) {
    for (unsigned i = 0; i < most_threads; ++i) {
        if (later.at[i] < earlier.at[i]) {
            return false;
        }
    }
    return true;
}

/// Learns which atomics threads share: operations on others need no schedule.
void note_use(location& l, bool writes) {
    if (current->id == 0) {
        return;
    }
    l.users |= 1U << current->id;
    l.written = l.written || writes;
    if (l.written && (l.users & (l.users - 1)) != 0 && !l.visible) {
        becomes_visible(l.at);
    }
}

void stop_before(operation::kind what, location& l, const char* name, std::uint32_t newer_than = 0) {
    current->spin_object = nullptr;
    if (l.visible) {
        visit({what, l.at, newer_than, name, current->id});
    }
}

bool acquires(std::memory_order o) {
    return o != std::memory_order_relaxed && o != std::memory_order_release;
}
bool releases(std::memory_order o) {
    return o == std::memory_order_release || o == std::memory_order_acq_rel || o == std::memory_order_seq_cst;
}

std::uint16_t& floor_of(thread& t, const location& l) {
    return t.floor.at[l.view_number];
}

void take_over(thread& t, const message& m) {
    t.seen.join(m.seen);
    t.floor.join(m.floor);
}
message hand_over(thread& t) {
    message m{t.seen, t.floor};
    ++t.seen.at[t.id]; // what follows is not part of it
    return m;
}

/// Before each operation on it, when nothing stops the thread any more.
void check_made(const location& l, std::size_t bytes) {
    plain_access(l.at, bytes, false, nullptr);
    if (!covers(current->seen, l.made)) {
        fail("an atomic is used by a thread that its construction does not come before");
    }
}

/// Of the stores that the current thread may read, one; the newest is choice 0.
std::uint32_t pick(location& l, std::memory_order o, std::uint32_t newer_than) {
    std::uint32_t least = l.view_number != 0 ? floor_of(*current, l) : 0;
    if (o == std::memory_order_seq_cst && least < l.in_order) {
        least = l.in_order;
    }
    if (least < newer_than) {
        least = newer_than;
    }
    return l.newest() - choose(l.newest() - least + 1);
}

void has_read(location& l, std::uint32_t index, std::memory_order o) {
    if (l.view_number != 0) {
        floor_of(*current, l) = static_cast<std::uint16_t>(index);
    }
    if (acquires(o) && l.stores[index].released) {
        take_over(*current, l.stores[index].with);
    }
    if (o == std::memory_order_seq_cst && l.in_order < index) {
        l.in_order = index;
    }
}

/// @param after a store whose release sequence goes on; null for a plain store
void append(location& l, void* at, std::size_t bytes, word value, std::memory_order o, const stored* after) {
    if (current->id == 0) { // alone: nobody can read what was there before
        begin(l, value);
        l.made = current->seen;
        copy_bytes(at, &value, bytes);
        return;
    }
    const own_memory guard;
    if (l.view_number == 0) {
        l.view_number = ++views_used;
        if (views_used >= most_views) {
            fail("the model has no room for so many atomics that are written");
        }
    }
    stored s;
    s.value = value;
    if (after != nullptr && after->released) {
        s.released = true;
        s.with = after->with;
    }
    floor_of(*current, l) = static_cast<std::uint16_t>(l.stores.size());
    if (releases(o)) {
        s.released = true;
        const message m = hand_over(*current);
        s.with.seen.join(m.seen);
        s.with.floor.join(m.floor);
    }
    l.stores.push_back(s);
    if (o == std::memory_order_seq_cst) {
        l.in_order = l.newest();
    }
    copy_bytes(at, &value, bytes);
}

} // namespace

void reset_orders() noexcept {
    ++generation;
    views_used = 0;
    locations_used = 0;
    for (thread& t : threads) {
        t.seen = {};
        t.seen.at[t.id] = 1;
        t.floor = {};
        t.next = {};
        t.finished = t.woken = false;
        t.last_step = -1;
        t.spin_object = nullptr;
        t.depth = 0;
        t.time = 0;
        t.unlocked.clear();
    }
}

void order_after(thread& later, const thread& earlier) noexcept {
    later.seen.join(earlier.seen);
    later.floor.join(earlier.floor);
}

bool may_go(const thread& t) noexcept {
    using kind = operation::kind;
    switch (t.next.what) {
    case kind::lock:
        return !place_of(t.next.object).held;
    case kind::load:
    case kind::load_in_order:
        return place_of(t.next.object).newest() >= t.next.newer_than;
    case kind::await:
        return t.woken;
    default:
        return true;
    }
}

} // namespace model::engine

namespace model {

using namespace engine;
using kind = operation::kind;

void atomic_construct(const void* at, word value) noexcept {
    if (current == nullptr) {
        return;
    }
    location& l = place_of(at);
    begin(l, value);
    l.made.at[current->id] = current->seen.at[current->id];
}

word atomic_load(const void* at, std::size_t bytes, std::memory_order wanted, const where& here) noexcept {
    if (current == nullptr) {
        return value_in_memory(at, bytes);
    }
    const std::memory_order o = order_at("load", wanted, here);
    location& l = atomic_at(at, bytes);
    note_use(l, false);
    // A thread that reads the same again and again waits for another value.
    thread& t = *current;
    const bool again =
        t.spin_object == at && t.spin_line == here.line() && wanted != std::memory_order_relaxed;
    const unsigned repeats = again ? t.spin_count + 1 : 0;
    const std::uint32_t newer_than = again && repeats >= 2 ? t.spin_index + 1 : 0;
    stop_before(o == std::memory_order_seq_cst ? kind::load_in_order : kind::load, l, "load", newer_than);
    check_made(l, bytes);
    if (newer_than > l.newest()) { // only where nobody else is known to use it
        if (t.id == 0) {
            fail("deadlock: it waits for a value that nobody stores");
        }
        becomes_visible(at);
    }
    const std::uint32_t index = pick(l, o, newer_than);
    has_read(l, index, o);
    t.spin_object = at;
    t.spin_line = here.line();
    t.spin_count = again && t.spin_index == index ? repeats : 0;
    t.spin_index = index;
    return l.stores[index].value;
}

void atomic_store(void* at, std::size_t bytes, word value, std::memory_order wanted,
                  const where& here) noexcept {
    if (current == nullptr) {
        copy_bytes(at, &value, bytes);
        return;
    }
    const std::memory_order o = order_at("store", wanted, here);
    location& l = atomic_at(at, bytes);
    note_use(l, true);
    stop_before(kind::write, l, "store");
    check_made(l, bytes);
    append(l, at, bytes, value, o, nullptr);
}

word atomic_update(void* at, std::size_t bytes, change c, word operand, std::memory_order wanted,
                   const where& here) noexcept {
    static constexpr const char* names[] = {"exchange", "fetch_add", "fetch_sub"};
    const char* name = names[static_cast<unsigned>(c)];
    if (current == nullptr) {
        fail("an atomic is updated outside of an execution");
    }
    const std::memory_order o = order_at(name, wanted, here);
    location& l = atomic_at(at, bytes);
    note_use(l, true);
    stop_before(kind::write, l, name);
    check_made(l, bytes);
    const std::uint32_t index = l.newest();
    has_read(l, index, o);
    const stored before = l.stores[index];
    const word now = c == change::exchange ? operand
                     : c == change::add    ? before.value + operand
                                           : before.value - operand;
    append(l, at, bytes, now, o, &before);
    return before.value;
}

bool atomic_compare_exchange(void* at, std::size_t bytes, word& expected, word desired,
                             std::memory_order success, std::memory_order failure,
                             const where& here) noexcept {
    if (current == nullptr) {
        fail("an atomic is updated outside of an execution");
    }
    const std::memory_order o = order_at("compare_exchange", success, here);
    location& l = atomic_at(at, bytes);
    note_use(l, true);
    stop_before(kind::write, l, "compare_exchange");
    check_made(l, bytes);
    // It fails with any other value that a load could return, and succeeds with the newest only.
    std::uint32_t readable[64];
    unsigned n = 0;
    const std::uint32_t least = l.view_number != 0 ? floor_of(*current, l) : 0;
    for (std::uint32_t i = l.newest() + 1; i-- != least && n != 64;) {
        if (i == l.newest() || l.stores[i].value != expected) {
            readable[n++] = i;
        }
    }
    const std::uint32_t index = readable[choose(n)];
    const stored before = l.stores[index];
    if (index == l.newest() && before.value == expected) {
        has_read(l, index, o);
        append(l, at, bytes, desired, o, &before);
        return true;
    }
    has_read(l, index, failure);
    expected = before.value;
    return false;
}

void futex_wait(const void* at, std::uint32_t expected) noexcept {
    location& l = atomic_at(at, sizeof expected);
    note_use(l, true);
    stop_before(kind::write, l, "futex_wait");
    if (l.stores.back().value != expected) {
        return;
    }
    if (current->id == 0) {
        fail("deadlock: it sleeps, and nobody is there to wake it");
    }
    current->woken = false;
    l.sleepers |= 1U << current->id;
    visit({kind::await, at, 0, "sleep", current->id});
}

void futex_wake_one(const void* at) noexcept {
    location& l = atomic_at(at, sizeof(std::uint32_t));
    note_use(l, true);
    stop_before(kind::write, l, "futex_wake");
    if (l.sleepers == 0) {
        return;
    }
    unsigned which = choose(static_cast<unsigned>(__builtin_popcount(l.sleepers)));
    for (unsigned i = 1; i < most_threads; ++i) {
        if ((l.sleepers >> i & 1) != 0 && which-- == 0) {
            l.sleepers &= ~(1U << i);
            threads[i].woken = true;
            return;
        }
    }
}

void barrier_of_all_threads() noexcept {
    if (barrier_is_removed()) {
        return;
    }
    // Each thread meets it somewhere between its begin and its end, in any order.
    const view before = current->floor;
    for (unsigned i = 1; i <= thread_count(); ++i) {
        if (&threads[i] != current) {
            current->spin_object = nullptr;
            visit({kind::barrier, nullptr, 0, "barrier", current->id, i});
            current->floor.join(threads[i].floor);
            threads[i].floor.join(before);
        }
    }
}

bool mutex_try_lock(void* at, bool waits) noexcept {
    if (lock_is_removed()) {
        const own_memory guard;
        current->unlocked.push_back(at);
        return true;
    }
    location& l = atomic_at(at, 0);
    note_use(l, true);
    stop_before(waits ? kind::lock : kind::try_lock, l, waits ? "lock" : "try_lock");
    check_made(l, sizeof(std::uint32_t));
    if (l.held) {
        if (waits && current->id == 0) {
            fail("deadlock: a lock was left behind");
        }
        return false;
    }
    l.held = true;
    take_over(*current, l.left);
    return true;
}

void mutex_lock(void* at) noexcept {
    mutex_try_lock(at, true);
}

void mutex_unlock(void* at) noexcept {
    auto& removed = current->unlocked;
    for (std::size_t i = removed.size(); i-- != 0;) {
        if (removed[i] == at) {
            removed.erase(removed.begin() + static_cast<std::ptrdiff_t>(i));
            return;
        }
    }
    location& l = atomic_at(at, 0);
    note_use(l, true);
    stop_before(kind::unlock, l, "unlock");
    check_made(l, sizeof(std::uint32_t));
    if (!l.held) {
        fail("a lock is released that nobody holds");
    }
    l.held = false;
    l.left = hand_over(*current);
}

} // namespace model
