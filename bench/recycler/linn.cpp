// SPDX-License-Identifier: Apache-2.0
#include "recycler.hpp"

#include <linn/allocator.hpp>
#include <linn/recycler.hpp>

namespace linn::bench::recycling {
namespace {

template <class T>
auto share_one(recycler<T>& all) {
    return [&all] { escape(all.acquire_shared().get()); };
}

template <class T>
auto hold_one(recycler<T>& all) {
    return [&all] { escape(all.acquire().get()); };
}

template <class T>
auto fill_one(recycler<T>& all) {
    return [&all] {
        const std::shared_ptr<T> m = all.acquire_shared();
        m->fill();
        escape(m.get());
    };
}

template <class T>
void allocate_one() {
    escape(std::allocate_shared<T>(allocator<T>{}).get());
}

} // namespace

void run_recycler(sampler& s) {
    recycler<filled_message<large>> packets;
    recycler<filled_message<small>> others;
    measure(s, share_one(packets), share_one(others));
}

void run_recycler_filling(sampler& s) {
    recycler<message<large>> packets{{.reset = [](message<large>& m) { m.clear(); }}};
    recycler<message<small>> others{{.reset = [](message<small>& m) { m.clear(); }}};
    measure(s, fill_one(packets), fill_one(others));
}

void run_recycler_handle(sampler& s) {
    recycler<filled_message<large>> packets;
    recycler<filled_message<small>> others;
    measure(s, hold_one(packets), hold_one(others));
}

void run_allocate_shared(sampler& s) {
    measure(s, allocate_one<filled_message<large>>, allocate_one<filled_message<small>>);
}

} // namespace linn::bench::recycling
