// SPDX-License-Identifier: Apache-2.0
// The recycler without a type: who caches an object, who takes it back, who destroys it, and who ends last.
#include "policy.hpp"

#include <linn/detail/sync/recycler_core.hpp>

#include <cstddef>

namespace model::of_recyclers {

using base = linn::detail::recycler_core<policy>;
using table = linn::detail::thread_index_table<policy>;
using linn::detail::recycled_state;

const struct prepared {
    prepared() {
        base::registry::process().join_forks(); // whose list is that of all tests: no scenario joins again
        table::process().join_forks();
        share(&base::registry::process(), sizeof(base::registry));
        share(&table::process(), sizeof(table));
        make_local(&linn::detail::this_thread_index<policy>, sizeof linn::detail::this_thread_index<policy>);
    }
} preparation;

/// An object, and who uses it.
struct object {
    base::slot head;
    std::size_t value;

    static object* of(base::slot* s) { return reinterpret_cast<object*>(s); }
};

struct counters {
    // Plain: the core orders the destruction of what it owns before its own.
    bool core_is_gone = false;
    policy::atomic<std::size_t> disposed{0};
};

class core final : public base {
public:
    core(std::size_t capacity, bool asymmetric, counters& c) : base{capacity, asymmetric}, counters_{c} {}
    ~core() override { counters_.core_is_gone = true; }

    object* take(std::size_t value) {
        base::slot* s = nullptr;
        if (!try_take(s) && (s = take_slow()) == nullptr) {
            count_new();
            s = &(new object{{this, recycled_state::kept}, 0})->head;
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
    void dispose(base::slot* s) noexcept override {
        counters_.disposed.fetch_add(1, std::memory_order_relaxed);
        delete object::of(s);
    }
    counters& counters_;
};

template <bool Asymmetric, std::size_t Capacity = 8>
struct recycler_state {
    recycler_state() : shared{new core{Capacity, Asymmetric, all}} {}

    void work(std::size_t value) {
        object* a = shared->take(value);
        object* b = shared->take(value + 1);
        shared->give(a, value);
        shared->give(b, value + 1);
    }
    void leave() { leave_thread_number(); }

    /// Idle objects are counted, bounded and destroyed with the recycler.
    void end() {
        check(shared->idle() <= Capacity, "no more than the capacity is idle");
        check(shared->idle() == shared->slots(), "every object came back once");
        check(shared->created() == shared->slots() + all.disposed.load(std::memory_order_relaxed),
              "every object is idle or destroyed");
        shared->close();
        check(all.core_is_gone, "the core ends with the last object");
        check(base::registry::process().empty(), "it leaves the list that forks go through");
    }

    counters all;
    core* shared;
};

/// Each thread has a cache, makes objects and reuses them.
template <bool Asymmetric>
struct exchange : recycler_state<Asymmetric> {
    void run(unsigned t) {
        this->work(10 * t);
        if (t == 0) {
            object* a = this->shared->take(5);
            this->shared->give_to_all(a, 5);
        }
        this->leave();
    }
    void finish() { this->end(); }
};
const registration<exchange<true>> exchange_asymmetric{"recycler.exchange", 2};
const registration<exchange<false>> exchange_symmetric{"recycler.exchange_symmetric", 2};

/// So small that nobody gets a cache: everything goes through the lock.
struct small : recycler_state<true, 2> {
    void run(unsigned t) {
        object* a = shared->take(t);
        shared->give(a, t);
        leave();
    }
    void finish() { end(); }
};
const registration<small> small_of_two{"recycler.small", 2};

/// A cache with an object waits for the first thread that asks for a number.
template <bool Asymmetric>
struct warm : recycler_state<Asymmetric> {
    warm() {
        this->shared->give(this->shared->take(0), 0);
        this->leave();
    }
    void use_once(std::size_t value) {
        object* a = this->shared->take(value);
        this->shared->give(a, value);
    }
};

/// Somebody trims while the owner of a cache works.
template <bool Asymmetric, std::size_t Rounds = 1>
struct trim : recycler_state<Asymmetric> {
    trim() {
        this->shared->give(this->shared->take(0), 0);
        number = linn::detail::this_thread_index<policy>;
    }
    void run(unsigned t) {
        if (t == 0) {
            linn::detail::this_thread_index<policy> = number; // of a thread that has used it before
            for (std::size_t i = 0; i < Rounds; ++i) {
                object* a = this->shared->take(i);
                this->shared->give(a, i);
            }
        } else {
            this->shared->trim();
        }
    }
    void finish() { this->end(); }
    std::uint32_t number;
};
const registration<trim<true>> trim_asymmetric{"recycler.trim", 2};
const registration<trim<false>> trim_symmetric{"recycler.trim_symmetric", 2};
const registration<trim<true, 2>> trim_again{"recycler.trim_again", 2};
const registration<trim<true>> trim_twice{"recycler.trim_twice", 3, true};

/// Somebody looks at the numbers meanwhile.
struct numbers : warm<true> {
    void run(unsigned t) {
        if (t == 0) {
            use_once(1);
            object* a = shared->take(2);
            shared->give_to_all(a, 2);
            leave();
        } else {
            check(shared->idle() <= 2 && shared->slots() <= 2 && shared->threads() <= 1 &&
                      shared->created() <= 2,
                  "the numbers are in bounds");
        }
    }
    void finish() { end(); }
};
const registration<numbers> numbers_of_two{"recycler.numbers", 2};

/// The recycler ends while objects are out: the last one that comes back ends the core.
template <bool Asymmetric>
struct close : recycler_state<Asymmetric> {
    close() {
        for (std::size_t i = 0; i < 3; ++i) {
            out[i] = this->shared->take(i);
        }
        this->shared->give(out[2], 2);
        this->leave();
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
const registration<close<true>> close_asymmetric{"recycler.close", 2};
const registration<close<false>> close_symmetric{"recycler.close_symmetric", 2};
const registration<close<true>> close_of_three{"recycler.close_three", 3};
const registration<close<false>> close_symmetric_of_three{"recycler.close_symmetric_three", 3, true};

/// A thread ends and leaves its cache to the one that gets its number.
struct inherit : warm<true> {
    void run(unsigned t) {
        use_once(t);
        leave();
    }
    void finish() { end(); }
};
const registration<inherit> inherit_of_two{"recycler.inherit", 2};
const registration<inherit> inherit_of_three{"recycler.inherit_three", 3};

} // namespace model::of_recyclers
