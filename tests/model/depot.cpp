// SPDX-License-Identifier: Apache-2.0
// The depot and what threads do with it: caches are refilled, flushed and trimmed.
#include "depot_scenarios.hpp"

namespace model::of_depots {

/// One thread trims while the others work; the system gets pages back that others still hold slots next to. Three threads do
/// a part of it: all takes minutes.
template <bool Twice>
struct trim : depot_state {
    trim() : depot_state{small_geometry(1, 3000)} {}
    void run(unsigned t) {
        attach(t);
        if (t == 0) {
            if (Twice) {
                void* mine = take(pool, fronts[0], 1);
                put(pool, fronts[0], mine, 1);
            }
            pool.trim(&fronts[0]);
        } else {
            void* a = take(pool, fronts[t], 10 + t);
            void* b = Twice ? take(pool, fronts[t], 20 + t) : nullptr;
            put(pool, fronts[t], a, 10 + t);
            if (Twice) {
                put(pool, fronts[t], b, 20 + t);
            }
        }
    }
};
const registration<trim<true>> trim_of_two{"depot.trim", 2};
const registration<trim<false>> trim_of_three{"depot.trim_three", 3};
const registration<trim<true>> trim_deep{"depot.trim_three_deep", 3, true};

/// Questions while the owner exchanges what statistics count, and slabs are mapped.
struct counted : depot_state {
    counted() : depot_state{small_geometry(1, 3000)} {}
    void run(unsigned t) {
        if (t == 0) {
            attach(0);
            void* held[3];
            for (int i = 0; i < 2; ++i) {
                for (void*& p : held) {
                    p = take(pool, fronts[0], 1);
                }
                for (void* p : held) {
                    put(pool, fronts[0], p, 1);
                }
            }
            return;
        }
        check(!pool.contains(this), "the pool knows what is not its own");
        const auto s = pool.statistics();
        check(s.live <= 5 && s.cached <= 5 && s.threads <= 1 && s.peak <= 5, "statistics are in bounds");
    }
};
const registration<counted> counted_of_two{"depot.statistics", 2};

/// Threads of one home free objects of another module's pool of that type, and end.
struct handed_over : depot_state {
    handed_over() : depot_state{small_geometry(1)} {
        for (void*& p : given) {
            p = sibling.take_one();
            use(p, 1);
        }
    }
    void run(unsigned t) {
        attach(t);
        put(pool, fronts[t], given[t], 1);
        pool.detach(fronts[t]);
    }
    void finish() {
        depot_state::finish();
        check(sibling.consistent() && sibling.statistics().live == 0, "what was handed over is there");
    }

    depot sibling{{.sizes = small_geometry(1), .type = linn::detail::label_of("model")},
                  "model",
                  linn::detail::service::cached,
                  arena};
    void* given[2];
};
const registration<handed_over> handed_over_by_two{"depot.handed_over", 2};

/// Threads that have no cache, as at their exit, and one that has; the system refuses some of the memory.
struct one_by_one : depot_state {
    one_by_one() : depot_state{small_geometry(1, 3000)} {}
    void run(unsigned t) {
        if (t == 1) {
            void* p = pool.take_one();
            use(p, 1);
            check_use(p, 1);
            pool.put_one(p);
            return;
        }
        attach(t);
        void* p = take(pool, fronts[t], 2);
        check(pool.contains(p) && pool.reserve(1), "the pool knows its objects, and has room");
        put(pool, fronts[t], p, 2);
    }
};
const registration<one_by_one> one_by_one_of_two{"depot.one_by_one", 2};

/// With a lock that may be found taken, which the other scenarios leave out: then it is waited for, and counted.
struct contended {
    struct contending : policy {
        using mutex = basic_mutex<false>;
    };
    using pool_type = linn::detail::depot<contending>;

    contended()
        : pool{{.sizes = small_geometry(1), .type = linn::detail::label_of("contended")},
               "contended",
               linn::detail::service::cached,
               arena} {}
    void run(unsigned t) {
        void* p = pool.take_one();
        use(p, t);
        check_use(p, t);
        pool.put_one(p);
    }
    void finish() {
        const auto s = pool.statistics();
        check(s.live == 0 && pool.consistent(), "what was handed out came back");
        check(s.contended <= s.depot_visits && s.depot_visits >= 4,
              "visits are counted, and those that waited");
        most = s.contended > most ? s.contended : most;
    }
    static void conclude() { check(most > 0, "in some schedule a thread waits"); }
    static inline std::size_t most = 0;

    linn::detail::metadata_arena<contending> arena;
    pool_type pool;
};
const registration<contended> contended_of_two{"depot.contended", 2};

/// Each object is an operator new, as where a memory checker is to see it.
struct bypassed : depot_state {
    bypassed() : depot_state{small_geometry(1), linn::detail::service::bypass} {}
    void run(unsigned t) {
        void* p = nullptr;
        check(pool.take_bypassed(&p, 1), "there is memory");
        use(p, t);
        check_use(p, t);
        pool.put_bypassed(p);
    }
    void finish() { check(pool.statistics().live == 0, "every object is taken off the list"); }
};
const registration<bypassed> bypassed_of_two{"depot.bypass", 2};

/// Slots of 3000 bytes, two a slab, and magazines of one: the second object of each thread makes it visit the depot.
struct homes_state : depot_state {
    homes_state() : depot_state{small_geometry(1, 3000)} {
        attach(0); // threads 0 and 1 have different homes
        attach(1);
    }
    template <std::size_t Objects>
    void fill_and_flush(unsigned t) {
        void* held[Objects];
        for (std::size_t i = 0; i != Objects; ++i) {
            held[i] = take(pool, fronts[t], 10 * t + i);
        }
        for (std::size_t i = 0; i != Objects; ++i) {
            put(pool, fronts[t], held[i], 10 * t + i);
        }
    }
};

/// Two threads of different homes refill and flush: each has a slab to take from, and takes over what the other left behind.
struct homes : homes_state {
    void run(unsigned t) { t == 0 ? fill_and_flush<4>(t) : fill_and_flush<3>(t); } // two stay in caches
};
const registration<homes> homes_of_two{"depot.homes", 2};

/// One of them, or two, while another thread trims.
template <std::size_t Objects>
struct homes_trimmed : homes_state {
    void run(unsigned t) {
        if (t == 1) {
            this->pool.trim(nullptr);
        } else {
            this->template fill_and_flush<Objects>(t == 0 ? 0 : 1);
        }
    }
};
const registration<homes_trimmed<3>> homes_trimmed_of_two{"depot.homes_trimmed", 2};
const registration<homes_trimmed<2>> homes_trimmed_of_three{"depot.homes_trimmed_three", 3};

/// A slab of four slots, of which only the last is out, so that the others are on pages of their own. Its pages go back to the
/// system, for which it is away, while another thread frees that slot, and it is empty when it returns.
template <bool Trim>
struct away : depot_state {
    static geometry four_slots() {
        geometry g = small_geometry(1, 7000);
        g.slab_align = g.first_slab_bytes = 32768;
        return g;
    }
    away() : depot_state{four_slots()} {
        void* held[4];
        for (std::size_t i = 0; i != 4; ++i) {
            held[i] = pool.take_one();
        }
        for (std::size_t i = 0; i != 3; ++i) {
            pool.put_one(held[i]);
        }
        last = held[3];
        use(last, 7);
        other = pool.take_one();
    }
    void run(unsigned t) {
        if (t == 0) {
            pool.put_one(other); // a visit that finds the first slab unchanged
        } else if (t == 1) {
            check_use(last, 7);
            pool.put_one(last);
        } else if (Trim) {
            pool.trim(nullptr);
        } else {
            void* p = pool.take_one();
            use(p, 3);
            check_use(p, 3);
            pool.put_one(p);
        }
    }
    void finish() {
        most_returned = pool.statistics().returned_bytes > most_returned ? pool.statistics().returned_bytes
                                                                         : most_returned;
        depot_state::finish();
    }
    static void conclude() {
        check(most_returned != 0, "in some schedule pages go back while the others work");
    }
    static inline std::size_t most_returned = 0;

    void* last = nullptr;
    void* other = nullptr;
};
const registration<away<false>> away_of_two{"depot.away", 2};
const registration<away<false>> away_of_three{"depot.away_three", 3};
const registration<away<true>> away_trimmed{"depot.away_trimmed", 3};

} // namespace model::of_depots
