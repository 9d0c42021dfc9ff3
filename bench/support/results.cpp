// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include "measure/statistics.hpp"

namespace linn::bench {
namespace {

const std::vector<double>* samples_of(const row& r, const std::string& cell) {
    const auto found = r.samples.find(cell);
    return found != r.samples.end() && r.problem.empty() ? &found->second : nullptr;
}

} // namespace

double minimum_of(const row& r, const std::string& cell) {
    const std::vector<double>* samples = samples_of(r, cell);
    return samples != nullptr ? tool::minimum(*samples) : 0;
}

double median_of(const row& r, const std::string& cell) {
    const std::vector<double>* samples = samples_of(r, cell);
    return samples != nullptr ? tool::median(*samples) : 0;
}

const row* results::find(role kind) const {
    const std::vector<const row*> list = all(kind);
    return list.empty() ? nullptr : list.front();
}

std::vector<const row*> results::all(role kind) const {
    std::vector<const row*> list;
    for (const row& r : rows) {
        if (r.kind == kind && r.problem.empty() && !r.samples.empty()) {
            list.push_back(&r);
        }
    }
    return list;
}

champion results::best(role kind, const std::string& cell) const {
    champion best;
    for (const row* r : all(kind)) {
        const double value = minimum_of(*r, cell);
        if (value > 0 && (best.value <= 0 || value < best.value)) {
            best = {r->label, value};
        }
    }
    return best;
}

champion results::best_rival(const std::string& cell) const {
    const champion general = best(role::general, cell);
    const champion peer = best(role::peer, cell);
    const bool peer_wins = peer.value > 0 && (general.value <= 0 || peer.value < general.value);
    return peer_wins ? peer : general;
}

} // namespace linn::bench
