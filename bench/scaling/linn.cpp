// SPDX-License-Identifier: Apache-2.0
#include "scaling.hpp"
#include "support/linn_storage.hpp"

#include <linn/pool.hpp>

namespace linn::bench::scaling {
namespace {

struct counts {
    pool_statistics before;

    void begin() noexcept { before = pool<node>::statistics(); }
    void end(sampler& s, const std::string& cell) noexcept {
        const pool_statistics after = pool<node>::statistics();
        char text[128];
        std::snprintf(text, sizeof text, "%s: depot_visits %zu, contended %zu", cell.c_str(),
                      after.depot_visits - before.depot_visits, after.contended - before.contended);
        s.note(text);
    }
};

} // namespace

void run_linn(sampler& s) {
    measure<linn_storage, counts>(s);
}

} // namespace linn::bench::scaling
