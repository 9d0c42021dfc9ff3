// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/measure.hpp"
#include "support/workload.hpp"

#include <cstring>

namespace linn::bench::scattered {

void run_linn(sampler& s);
void run_list(sampler& s);
void run_general(sampler& s);

template <class Storage>
[[gnu::noinline]] void take_all(node** live, std::size_t n) {
    for (std::size_t i = 0; i != n; ++i) {
        node* p = Storage::take();
        escape(p);
        live[i] = p;
    }
}

template <class Storage>
[[gnu::noinline]] void take_all_and_write(node** live, std::size_t n) {
    for (std::size_t i = 0; i != n; ++i) {
        node* p = Storage::take();
        p->bytes[0] = 1;
        escape(p);
        live[i] = p;
    }
}

template <class Storage>
[[gnu::noinline]] void give_all(node* const* live, std::size_t n) {
    for (std::size_t i = 0; i != n; ++i) {
        Storage::give(live[i]);
        escape(live);
    }
}

/// Objects are taken and written, freed in random order, taken again. Between the phases nothing else runs, so
/// the second taking meets the order that the first freeing left.
template <class Storage>
void measure(sampler& s) {
    const std::size_t n = s.quick() ? 2'000 : 200'000;
    array<node*> live{n};
    random_numbers random{7};
    for (int sample = 0; sample != 6; ++sample) {
        const bool write = sample % 2 == 1;
        take_all_and_write<Storage>(live.begin(), n);
        shuffle(live.begin(), n, random);
        s.add("free in random order", time_of(n, [&] { give_all<Storage>(live.begin(), n); }));
        if (write) {
            s.add("take again, write one byte",
                  time_of(n, [&] { take_all_and_write<Storage>(live.begin(), n); }));
        } else {
            s.add("take again", time_of(n, [&] { take_all<Storage>(live.begin(), n); }));
        }
        give_all<Storage>(live.begin(), n);
    }
}

} // namespace linn::bench::scattered
