// SPDX-License-Identifier: Apache-2.0
// What keeps idle objects, without a type: who caches an object, who takes it back, who destroys it, and who ends last.
#include "policy.hpp"

#include <linn/detail/sync/idle_core.hpp>

#include <cstddef>
#include <cstdint>

namespace model::of_recyclers {

using base = linn::detail::recycler_core<policy>;

const struct prepared {
    prepared() {
        share(&base::registry::process(), sizeof(base::registry));
        share_thread_numbers();
    }
} preparation;

/// An object, and who uses it.
struct object {
    base::item head;
    std::size_t value;

    static object* of(base::item* s) { return reinterpret_cast<object*>(s); }
};

struct counters {
    // Plain: the core orders the destruction of what it owns before its own.
    bool core_is_gone = false;
    policy::atomic<std::size_t> disposed{0};
};

class core final : public base {
public:
    core(std::size_t capacity, counters& c, std::size_t limit = 0) : base{capacity, limit}, counters_{c} {}
    ~core() override { counters_.core_is_gone = true; }

    /// Null when the limit is reached, nothing comes back and it is `until`; or when the recycler ends.
    object* take(std::size_t value, std::uint64_t until = linn::detail::whenever) {
        base::item* s = nullptr;
        if (!try_take(s)) {
            const offer what = take_slow(s, until);
            if (what == offer::nothing) {
                return nullptr;
            }
            if (what == offer::place) {
                s = &(new object{{this}, 0})->head;
            }
        }
        object::of(s)->value = value;
        return object::of(s);
    }
    void give(object* o, std::size_t value) {
        check(o->value == value, "an object holds what its user wrote");
        put(&o->head);
    }
    bool give_to_all(object* o, std::size_t value) {
        check(o->value == value, "an object holds what its user wrote");
        return put_for_all(&o->head);
    }

private:
    void dispose(base::item* s) noexcept override {
        counters_.disposed.fetch_add(1, std::memory_order_relaxed);
        delete object::of(s);
    }
    counters& counters_;
};

template <std::size_t Capacity = 8, std::size_t Limit = 0>
struct recycler_state {
    recycler_state() : shared{new core{Capacity, all, Limit}} {}

    /// Idle objects are counted, bounded and destroyed with the recycler.
    void finish() {
        check(shared->counts().idle <= Capacity, "no more than the capacity is idle");
        check(shared->counts().idle == shared->counts().all, "every object came back once");
        check(shared->counts().created == shared->counts().all + all.disposed.load(std::memory_order_relaxed),
              "every object is idle or destroyed");
        shared->close();
        check(all.core_is_gone, "the core ends with the last object");
        check(base::registry::process().empty(), "it leaves the list that forks go through");
    }

    counters all;
    core* shared;
};

/// There is a cache with an object, for the thread that says that it has used the recycler before.
struct warm : recycler_state<> {
    warm() {
        use_once(0);
        number = linn::detail::this_thread_index<policy>;
    }
    void use_warm_number() const { linn::detail::this_thread_index<policy> = number; }
    void use_once(std::size_t value) {
        object* a = this->shared->take(value);
        this->shared->give(a, value);
    }
    std::uint32_t number;
};

/// Somebody trims while the owner of a cache works.
struct trim : warm {
    void run(unsigned t) {
        if (t == 0) {
            this->use_warm_number();
            this->use_once(t);
        } else {
            this->shared->trim();
        }
    }
};
const registration<trim> trim_of_two{"recycler.trim", 2};
const registration<trim> trim_twice{"recycler.trim_twice", 3, true};

/// Somebody looks at the numbers meanwhile.
struct numbers : warm {
    void run(unsigned t) {
        if (t == 0) {
            use_warm_number();
            use_once(1);
            object* a = shared->take(2);
            shared->give_to_all(a, 2);
        } else {
            check(shared->counts().idle <= 2 && shared->counts().all <= 2 && shared->counts().threads <= 1 &&
                      shared->counts().created <= 2,
                  "the numbers are in bounds");
        }
    }
};
const registration<numbers> numbers_of_two{"recycler.numbers", 2};

/// The recycler ends while objects are out: the last one that comes back ends the core.
struct close : recycler_state<> {
    close() {
        for (std::size_t i = 0; i < 3; ++i) {
            out[i] = this->shared->take(i);
        }
        this->shared->give(out[2], 2);
        leave_thread_number();
    }
    void run(unsigned t) {
        if (t == 0) {
            this->shared->close();
            return;
        }
        this->shared->give(out[t - 1], t - 1);
        if (thread_count() == 2) {
            this->shared->give(out[1], 1);
        }
    }
    void finish() {
        check(this->all.core_is_gone, "the core ends with the last object");
        check(this->all.disposed.load(std::memory_order_relaxed) == 3, "every object is destroyed");
    }
    object* out[3];
};
const registration<close> close_of_two{"recycler.close", 2};
const registration<close> close_of_three{"recycler.close_three", 3, true};

/// An object is in the cache of a thread that uses it, or does nothing any more; others want it. Nobody makes one while
/// it is idle: there are never more than threads.
struct steal : warm {
    void run(unsigned t) {
        if (t == 0) {
            use_warm_number();
        }
        use_once(t);
    }
    void finish() {
        check(shared->counts().created <= thread_count(), "what is idle is used before another is made");
        recycler_state::finish();
    }
};
const registration<steal> steal_of_two{"recycler.steal", 2};

/// Two threads, one object: the second waits, and is not forgotten, whichever way the object comes back.
struct wait : recycler_state<8, 1> {
    void run(unsigned t) {
        object* a = this->shared->take(t);
        check(a != nullptr, "a wait without an end ends with an object");
        this->shared->give(a, t);
    }
    void finish() {
        check(this->shared->counts().created == 1, "there are never more objects than the limit");
        recycler_state<8, 1>::finish();
    }
};
const registration<wait> wait_of_two{"recycler.wait", 2};

/// The object comes back through a cache that was open when the wait began.
struct wait_for_cache : recycler_state<8, 2> {
    wait_for_cache() {
        out[0] = shared->take(0);
        out[1] = shared->take(1);
        shared->give(out[0], 0);
        check(shared->take(0) == out[0], "it is cached");
        number = linn::detail::this_thread_index<policy>;
    }
    void run(unsigned t) {
        if (t == 0) {
            linn::detail::this_thread_index<policy> = number;
            shared->give(out[0], 0);
        } else {
            object* a = shared->take(5);
            shared->give(a, 5);
        }
    }
    void finish() {
        shared->give(out[1], 1);
        recycler_state::finish();
    }
    object* out[2];
    std::uint32_t number;
};
const registration<wait_for_cache> wait_for_cache_of_two{"recycler.wait_for_cache", 2};

/// The time is over while the object comes back: it is had by one of them, or idle.
struct wait_for_time : recycler_state<8, 1> {
    wait_for_time() : only{shared->take(7)} {}
    void run(unsigned t) {
        if (t == 0) {
            shared->give(only, 7);
        } else if (object* a = shared->take(t, 1); a != nullptr) {
            shared->give(a, t);
        }
    }
    void finish() {
        check(shared->counts().waiting == 0 && shared->counts().idle == 1, "the object is not lost");
        recycler_state::finish();
    }
    object* only;
};
const registration<wait_for_time> wait_for_time_of_two{"recycler.wait_for_time", 2};

/// An object is destroyed instead: its place goes to the one that waits, or is free.
struct wait_for_place : recycler_state<8, 1> {
    wait_for_place() : only{shared->take(7)} {}
    void run(unsigned t) {
        if (t == 0) {
            shared->destroy(&only->head);
        } else {
            object* a = shared->take(t);
            shared->give(a, t);
        }
    }
    void finish() {
        check(shared->counts().created == 2, "one at a time");
        recycler_state::finish();
    }
    object* only;
};
const registration<wait_for_place> wait_for_place_of_two{"recycler.wait_for_place", 2};

/// The recycler ends while a thread waits, or is about to.
struct wait_for_end : recycler_state<8, 1> {
    wait_for_end() : only{shared->take(7)} {}
    void run(unsigned t) {
        if (t == 0) {
            shared->close();
        } else {
            check(shared->take(t) == nullptr, "a wait ends with the recycler");
        }
    }
    void finish() {
        check(!all.core_is_gone, "an object is out");
        shared->give(only, 7);
        check(all.core_is_gone, "the core ends with the last object");
    }
    object* only;
};
const registration<wait_for_end> wait_for_end_of_two{"recycler.wait_for_end", 2};

} // namespace model::of_recyclers
