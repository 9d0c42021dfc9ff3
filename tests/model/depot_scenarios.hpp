// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_MODEL_DEPOT_SCENARIOS_HPP
#define LINN_TESTS_MODEL_DEPOT_SCENARIOS_HPP

#include "policy.hpp"

#include <linn/detail/sync/depot.hpp>
#include <linn/detail/sync/registry.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace model {

using linn::detail::geometry;
using registry = linn::detail::registry<policy>;

/// Few slots in a slab, few in a magazine.
inline geometry small_geometry(std::size_t magazine = 1, std::size_t slot_bytes = 512) {
    geometry g;
    g.slot_bytes = slot_bytes;
    g.slot_align = 8;
    g.object_bytes = slot_bytes;
    g.object_align = 8;
    g.slab_align = 8192;
    g.first_slab_bytes = 8192;
    g.magazine_slots = magazine;
    g.retain_bytes = 0;
    return g;
}

/// What a user does with an object: writes to all of it and finds what he wrote. Two users at once, or one
/// that does not come after the other, are a race.
inline void use(void* object, std::size_t value) {
    auto* words = static_cast<std::size_t*>(object);
    words[0] = value;
    words[1] = ~value;
}
inline void check_use(void* object, std::size_t value) {
    const auto* words = static_cast<const std::size_t*>(object);
    check(words[0] == value && words[1] == ~value, "an object holds what its user wrote");
}

/// It remembers when memory of all depots was last returned.
inline const struct shared_registry {
    shared_registry() { share(&registry::process(), sizeof(registry)); }
} registry_of_depots;

using depot = linn::detail::depot<policy>;
using front = linn::detail::front<policy>;

inline void* take(depot& d, front& f, std::size_t value) {
    void* p = nullptr;
    if (!f.try_pop(p)) {
        p = d.take(f);
    }
    check(p != nullptr, "there is memory");
    use(p, value);
    return p;
}
inline void put(depot& d, front& f, void* p, std::size_t value) {
    check_use(p, value);
    if (!f.try_push(p)) {
        d.put(f, p);
    }
}

/// A depot and a front a thread, all of it memory of the model.
struct depot_state {
    explicit depot_state(const geometry& g, linn::detail::service mode = linn::detail::service::cached)
        : pool{{.sizes = g, .type = linn::detail::label_of("model")}, "model", mode, arena} {
        pool.registered_in = reinterpret_cast<std::uintptr_t>(this); // no fork concerns it
    }

    void attach(unsigned thread) { pool.attach(fronts[thread], thread + 1); }

    /// Everything came back: nothing is lost and nothing is there twice.
    void finish() {
        for (front& f : fronts) {
            if (f.home != nullptr) {
                pool.detach(f);
            }
        }
        check(pool.consistent(), "the slabs are consistent");
        check(pool.statistics().live == 0, "what was handed out came back");
        pool.trim(nullptr);
        const auto s = pool.statistics();
        check(s.live == 0 && s.cached == 0, "nothing is lost, and nothing is cached after a trim");
        check(s.threads == 0, "no thread is left");
        check(s.peak <= most_out, "no more is out than threads may hold");
        check(pool.consistent(), "the slabs are consistent after a trim");
    }

    linn::detail::metadata_arena<policy> arena;
    depot pool;
    front fronts[3];
    std::size_t most_out = 24;
};

} // namespace model

#endif
