// SPDX-License-Identifier: Apache-2.0
// Prints the OpenMetrics text of pools in use, of rows that have their labels in common, and of types with odd names; then,
// behind "# EOF", the same rows as JSON, which scrape.py compares it with.
#include <linn/buffer_pool.hpp>
#include <linn/memory_resource.hpp>
#include <linn/pool.hpp>
#include <linn/statistics.hpp>

#include <cstdio>
#include <vector>

namespace {

struct order {
    long id;
    double price;
};

template <char Mark>
struct marked {
    char c[40];
};

linn::pool_statistics made(std::string_view type, std::size_t n) {
    linn::pool_statistics s;
    s.type = type;
    s.object_bytes = 24;
    s.slot_bytes = 32;
    s.live = n;
    s.peak = 2 * n;
    s.cached = 3 * n;
    s.threads = 4 * n;
    s.slabs = 5 * n;
    s.reserved_bytes = 6 * n;
    s.resident_bytes = 7 * n;
    s.returned_bytes = 8 * n;
    s.depot_visits = 9 * n;
    s.contended = 10 * n;
    return s;
}

} // namespace

int main() {
    std::vector<order*> orders(100);
    linn::pool<order>::allocate_n(orders);
    marked<'"'>* const a = linn::pool<marked<'"'>>::allocate();
    marked<'\\'>* const b = linn::pool<marked<'\\'>>::allocate();
    linn::pool_resource one;
    linn::pool_resource two; // has rows with the same labels
    void* const first = one.allocate(64, 8);
    void* const second = two.allocate(64, 8);
    linn::buffer_pool buffers{1 << 20};
    const auto buffer = buffers.acquire();

    std::vector<linn::pool_statistics> all = linn::statistics();
    all.push_back(made("odd \"quoted\" \\ back\nline {x=\"1\"} # EOF \xc3\xa9", 1000));
    all.push_back(made("twice", 1));
    all.push_back(made("twice", 10));
    all.push_back(made("", 0));
    std::fputs(linn::to_openmetrics(all).c_str(), stdout);
    std::puts(linn::to_json(all).c_str());

    two.deallocate(second, 64, 8);
    one.deallocate(first, 64, 8);
    linn::pool<marked<'\\'>>::deallocate(b);
    linn::pool<marked<'"'>>::deallocate(a);
    linn::pool<order>::deallocate_n(orders);
}
