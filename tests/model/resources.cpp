// SPDX-License-Identifier: Apache-2.0
// What is behind a memory resource: a depot for each size, caches for threads, blocks that are in no slab.
#include "policy.hpp"

#include <linn/detail/sync/resource_core.hpp>

#include <cstddef>

namespace model::of_resources {

using core = linn::detail::resource_core<policy>;
using table = linn::detail::thread_index_table<policy>;
using linn::detail::block_origin;
using linn::detail::class_bytes;
using linn::detail::class_of;

const struct prepared {
    prepared() {
        // Joins what forks stop, whose list is that of all tests: no scenario joins again.
        linn::detail::the_spare_chunks.take(1, 1, 0);
        share(&core::registry_type::process(), sizeof(core::registry_type));
        share_thread_numbers();
        share(&linn::detail::the_spare_chunks, sizeof(linn::detail::spare_chunks));
    }
} preparation;

/// Of 64 KiB: two in a front.
constexpr std::size_t bytes = std::size_t{64} << 10;

struct core_state {
    explicit core_state(bool own_pages = false, bool used = true, std::size_t retain_bytes = 0)
        : shared{settings(*this, own_pages, retain_bytes)} {
        if (used) {
            shared.trim(); // the first use, which makes forks know of it
        }
    }

    static linn::detail::resource_settings settings(core_state& me, bool own_pages,
                                                    std::size_t retain_bytes) {
        linn::detail::resource_settings s;
        s.upstream = {.context = &me,
                      .get =
                          [](void* context, std::size_t n, std::size_t align) {
                              // Upstream need not be safe for threads: its count is a plain one.
                              ++static_cast<core_state*>(context)->chunks;
                              return memory_get(n, align);
                          },
                      .put =
                          [](void* context, void* p, std::size_t n, std::size_t) {
                              --static_cast<core_state*>(context)->chunks;
                              memory_put(p, n);
                          }};
        s.own_pages = own_pages;
        s.slab_bytes = 65'536;
        s.retain_bytes = retain_bytes;
        return s;
    }

    void* allocate(std::size_t value, std::size_t n = bytes) {
        const unsigned c = class_of(n);
        void* p = nullptr;
        if (!shared.pop(c, p)) {
            p = shared.take(c);
        }
        check(p != nullptr, "there is memory");
        *static_cast<std::size_t*>(p) = value;
        return p;
    }
    void deallocate(void* p, std::size_t value, std::size_t n = bytes) {
        check(*static_cast<std::size_t*>(p) == value, "a block holds what its user wrote");
        if (!shared.push(class_of(n), p)) {
            shared.put(class_of(n), p);
        }
    }
    void look() {
        shared.statistics([](const linn::pool_statistics& s) {
            check(s.live <= 16 && s.cached <= 16 && s.peak <= 16 && s.threads <= 3,
                  "statistics are in bounds");
        });
    }

    void finish() {
        check(shared.consistent(), "the slabs are consistent");
        shared.statistics(
            [](const linn::pool_statistics& s) { check(s.live == 0, "what was handed out came back"); });
        shared.release();
        check(chunks == 0, "upstream gets everything back");
    }

    std::size_t chunks = 0;
    core shared;
};

/// Everything is made at the first use, by the first thread.
struct cold : core_state {
    void run(unsigned t) {
        linn::detail::this_thread_index<policy> = table::most + 1;
        held[t] = allocate(t);
        if (t == 0) {
            deallocate(held[t], t);
        }
    }
    void finish() {
        deallocate(held[1], 1);
        core_state::finish();
    }
    void* held[2] = {};
};
const registration<cold> cold_of_two{"resource.cold", 2, true};

/// While a thread uses a resource for the first time, another asks for the numbers of all.
struct all_rows : core_state {
    all_rows() : core_state{false, false} {}
    void run(unsigned t) {
        if (t == 0) {
            deallocate(allocate(1), 1);
            return;
        }
        core::registry_type::process().any([](core& c) {
            c.statistics([](const linn::pool_statistics& s) { check(s.live <= 1, "one is alive at most"); });
            return false;
        });
    }
};
const registration<all_rows> all_rows_of_two{"resource.all_rows", 2};

/// A size is used for the first time by two threads at once, which have no cache.
struct first_depot : core_state {
    first_depot() {
        deallocate(allocate(1, 8), 1, 8);
        leave_thread_number();
    }
    void run(unsigned t) {
        linn::detail::this_thread_index<policy> = table::most + 1;
        void* a = allocate(t);
        if (t == 0) {
            deallocate(a, t);
        } else {
            held = a;
        }
    }
    void finish() {
        deallocate(held, 1);
        core_state::finish();
    }
    void* held = nullptr;
};
const registration<first_depot> first_depot_of_two{"resource.first_depot", 2};

/// A slab of which pages go back, for which it is away, while another thread frees the last slot of it.
struct away : core_state {
    away() : core_state{true} {
        for (void*& p : held) {
            p = allocate(1);
        }
        for (std::size_t i = 1; i != 3; ++i) {
            deallocate(held[i], 1);
        }
        shared.trim(); // which also empties the cache
        for (std::size_t i = 1; i != 3; ++i) {
            held[i] = allocate(1);
        }
        leave_thread_number();
        at_first = returned();
    }
    void run(unsigned t) {
        linn::detail::this_thread_index<policy> = table::most + 1;
        if (t == 0) {
            deallocate(held[1], 1);
            deallocate(held[2], 1);
        } else {
            deallocate(held[0], 1);
        }
    }
    void finish() {
        const std::size_t n = returned() - at_first;
        most = n > most ? n : most;
        core_state::finish();
    }
    std::size_t returned() {
        std::size_t n = 0;
        shared.statistics([&n](const linn::pool_statistics& s) { n += s.returned_bytes; });
        return n;
    }
    static void conclude() { check(most != 0, "in some schedule pages go back while the others work"); }
    static inline std::size_t most = 0;
    std::size_t at_first = 0;
    void* held[3];
};
const registration<away> away_of_two{"resource.away", 2};

/// Somebody trims and looks at the numbers.
struct trim : core_state {
    void run(unsigned t) {
        if (t == 0) {
            void* a = allocate(1);
            void* b = allocate(2);
            deallocate(a, 1);
            deallocate(b, 2);
        } else {
            shared.trim();
            look();
        }
        leave_thread_number();
    }
};
const registration<trim> trim_of_two{"resource.trim", 2};

/// Two of them, slabs that both could give back, and a look at the numbers.
struct two_trims : core_state {
    two_trims() : core_state{false, true, std::size_t{1} << 20} { // so that nothing goes back before
        for (void*& p : held) {
            p = allocate(1);
        }
        for (void* p : held) {
            deallocate(p, 1);
        }
        leave_thread_number();
    }
    void run(unsigned t) {
        if (t == 0) {
            deallocate(allocate(1), 1); // so that there is a cache to flush
        }
        shared.trim();
        if (t == 1) {
            look();
        }
    }
    void* held[12];
};
const registration<two_trims> two_trims_at_once{"resource.two_trims", 2};

/// Pages between objects that are in use go back, while somebody takes slots there.
struct holes : core_state {
    holes() : core_state{true} {
        for (void*& p : held) {
            p = allocate(1);
        }
        for (std::size_t i = 1; i < 4; ++i) {
            deallocate(held[i], 1);
        }
        leave_thread_number();
    }
    void run(unsigned t) {
        if (t == 0) {
            for (std::size_t i = 1; i < 4; ++i) {
                held[i] = allocate(2);
            }
            for (std::size_t i = 1; i < 4; ++i) {
                deallocate(held[i], 2);
            }
        } else {
            shared.trim();
        }
        leave_thread_number();
    }
    void finish() {
        deallocate(held[0], 1);
        core_state::finish();
    }
    void* held[4];
};
const registration<holes> holes_of_two{"resource.holes", 2};

/// Blocks that are too large for a slab, from upstream, while slabs come from there too.
struct blocks : core_state {
    void run(unsigned t) {
        const std::size_t n = std::size_t{1000} << t;
        void* p = shared.take_block(n, 16, block_origin::upstream);
        *static_cast<std::size_t*>(p) = t;
        check(*static_cast<std::size_t*>(p) == t, "a block holds what its user wrote");
        shared.put_block(p, n, 16);
        look();
    }
};
const registration<blocks> blocks_of_two{"resource.blocks", 2};

/// A block goes to another thread, which frees it, in a resource that the thread never used.
struct passed : core_state {
    void run(unsigned t) {
        if (t == 0) {
            place.send(allocate(7));
        } else {
            deallocate(place.receive(), 7);
        }
        leave_thread_number();
    }
    box place;
};
const registration<passed> passed_on{"resource.passed", 2};

/// Threads without a number have no cache.
struct without_cache : cold {
    without_cache() {
        deallocate(allocate(1), 1);
        shared.trim();
        leave_thread_number();
    }
};
const registration<without_cache> without_cache_of_two{"resource.without_cache", 2};

} // namespace model::of_resources
