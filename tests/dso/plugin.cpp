// SPDX-License-Identifier: Apache-2.0
#include "plugin.hpp"

#include <linn/linn.hpp>

#include <thread>

namespace {

exchanged_item* make(std::size_t number) {
    return linn::pool<exchanged_item>::create(exchanged_item{number, {}});
}
void destroy(exchanged_item* item) {
    linn::pool<exchanged_item>::destroy(item);
}
std::size_t live() {
    return linn::pool<exchanged_item>::statistics().live;
}
std::size_t trim() {
    return linn::pool<exchanged_item>::trim();
}

void work() {
    std::thread{[] {
        linn::map<int, int> map;
        for (int i = 0; i < 1000; ++i) {
            map.emplace(i, i);
        }
        exchanged_item* items[200];
        for (auto*& item : items) {
            item = make(1);
        }
        for (auto* item : items) {
            destroy(item);
        }
    }}.join();
}

constexpr plugin_functions functions{&make, &destroy, &live, &trim, &work};

} // namespace

extern "C" [[gnu::visibility("default")]] const plugin_functions* linn_test_plugin() {
    return &functions;
}
