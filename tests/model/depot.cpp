// SPDX-License-Identifier: Apache-2.0
// The depot and what threads do with it: magazines are exchanged, refilled, flushed and trimmed.
#include "depot_scenarios.hpp"

namespace model {

/// Magazines of one object: each second call visits the depot, which hands full ones from thread to thread.
struct exchange : depot_state {
    exchange() : depot_state{small_geometry(1)} {}
    void run(unsigned t) {
        attach(t);
        void* a = take(pool, fronts[t], 10 + t);
        void* b = take(pool, fronts[t], 20 + t);
        put(pool, fronts[t], a, 10 + t);
        put(pool, fronts[t], b, 20 + t);
    }
    void finish() { check_all_back(); }
};
const registration<exchange> exchange_of_two{"depot.exchange", 2};
const registration<exchange> exchange_of_three{"depot.exchange_three", 3, true};

} // namespace model
