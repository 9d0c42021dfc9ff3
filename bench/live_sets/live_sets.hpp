// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/measure.hpp"
#include "support/workload.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace linn::bench::live_sets {

void run_pool(sampler& s);
void run_resource(sampler& s);
void run_general(sampler& s);

inline constexpr std::size_t sizes[] = {16, 64, 256};
inline constexpr std::size_t lives[] = {3'000, 10'000, 30'000, 100'000, 1'000'000};

std::string cell_of(std::size_t size, std::size_t live, bool random);

template <std::size_t bytes>
struct object {
    unsigned char data[bytes];
};

/// Takes `n` objects, writes each, and gives them back in the order of `order`.
template <class Storage>
[[gnu::noinline]] void turn(Storage& storage, void** live, const std::uint32_t* order, std::size_t n) {
    for (std::size_t i = 0; i != n; ++i) {
        void* p = storage.take();
        *static_cast<unsigned char*>(p) = 1;
        live[i] = p;
    }
    for (std::size_t i = 0; i != n; ++i) {
        storage.give(live[order[i]]);
    }
}

/// One size: each live set is filled and emptied until a sample has a million pairs, after a turn that is not measured.
template <class Storage>
void measure(sampler& s, std::size_t size, Storage&& storage) {
    for (const std::size_t live : lives) {
        const std::size_t n = s.quick() ? live / 1'000 : live;
        const std::size_t turns = s.quick() ? 1 : 1'000'000 / n;
        array<void*> objects{n};
        array<std::uint32_t> order{n};
        for (const bool random : {false, true}) {
            for (std::size_t i = 0; i != n; ++i) {
                order.begin()[i] = static_cast<std::uint32_t>(i);
            }
            if (random) {
                random_numbers numbers{11};
                shuffle(order.begin(), n, numbers);
            }
            const auto go = [&] { turn(storage, objects.begin(), order.begin(), n); };
            for (std::size_t i = 0; i != (turns + 3) / 4; ++i) {
                go();
            }
            for (int sample = 0; sample != 3; ++sample) {
                s.add(cell_of(size, live, random).c_str(), time_of(n * turns, [&] {
                          for (std::size_t i = 0; i != turns; ++i) {
                              go();
                          }
                      }));
            }
        }
    }
}

/// All sizes. @param storage_of makes a storage for objects of `N` bytes: storage_of.template operator()<N>()
template <class StorageOf>
void measure_all(sampler& s, StorageOf storage_of) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
        (measure(s, sizes[i], storage_of.template operator()<sizes[i]>()), ...);
    }(std::make_index_sequence<std::size(sizes)>{});
}

} // namespace linn::bench::live_sets
