// SPDX-License-Identifier: Apache-2.0
// Promise: two shared libraries that use the same type may exchange objects: one allocates, another
// or the host frees, whether they share one pool (default visibility) or have one each (hidden). That
// they may be unloaded meanwhile: unload.cpp.
//
// Breaks when an object is given to the pool of the module that frees it, not to the one that its
// slab belongs to: counts would run away in one and the memory of the other never come back. So the
// counts of all modules are checked, not only that nothing crashes.
#include "module.hpp"

#include <cstring>
#include <list>
#include <memory_resource>
#include <vector>

using namespace linn_test;

namespace {

void exchange(make_function make, destroy_function destroy, bool other_thread) {
    for (int round = 0; round < 2; ++round) {
        const std::vector<exchanged_item*> items = make_some(make);
        if (other_thread) {
            in_a_thread([&] { destroy_all(items, destroy); });
        } else {
            destroy_all(items, destroy);
        }
    }
}

/// A resource and a recycler of a plugin serve the host's threads, which have no caches there when the modules number their
/// threads apart; what they allocated, threads of the plugin may have cached.
void use_what_the_plugin_has(const plugin_functions& plugin) {
    auto& resource = *static_cast<linn::pool_resource*>(plugin.resource());
    auto& recycler = *static_cast<linn::recycler<exchanged_item>*>(plugin.recycler());
    const auto work = [&] {
        std::pmr::list<std::size_t> numbers{&resource};
        std::vector<linn::recycler<exchanged_item>::handle> items;
        for (std::size_t i = 0; i < 2 * some_magazines; ++i) {
            numbers.push_back(i);
            items.push_back(recycler.acquire());
            items.back()->number = i;
        }
        std::size_t expected = 0;
        for (const std::size_t i : numbers) {
            CHECK(i == expected);
            CHECK(items[i]->number == expected++);
        }
    };
    work();
    resource.trim(); // by code of the host, to which this thread may have another number
    in_a_thread(work);
    CHECK(recycler.live() == 0);
    CHECK_AT_MOST(recycler.idle(), 1000);
    std::size_t live = 0;
    for (const auto& s : resource.statistics()) {
        live += s.live;
    }
    CHECK(live == 0);
}

} // namespace

int main(int argc, char** argv) {
    CHECK(argc == 4);
    const int flags = std::strcmp(argv[3], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL;
    // Without slabs nothing tells whose an object is, so each module counts what passes through it.
    const bool counts_are_known = in_slabs();
    module one{argv[1], flags};
    module two{argv[2], flags};
    const make_function makers[] = {&make_here, one.f->make, two.f->make};
    const destroy_function destroyers[] = {&destroy_here, one.f->destroy, two.f->destroy};
    for (const make_function make : makers) {
        for (const destroy_function destroy : destroyers) {
            for (const bool other_thread : {false, true}) {
                exchange(make, destroy, other_thread);
            }
        }
    }
    one.f->work();
    two.f->work();
    use_what_the_plugin_has(*one.f);
    use_what_the_plugin_has(*two.f);
    // What a cache holds for another module's pool goes home by the trim of the one that holds it.
    for (int i = 0; i < 2; ++i) {
        linn::pool<exchanged_item>::trim();
        one.f->trim();
        two.f->trim();
    }
    if (counts_are_known) {
        CHECK_AT_MOST(one.f->live(), 0);
        CHECK_AT_MOST(two.f->live(), 0);
        CHECK_AT_MOST(live_here(), 0);
    }
}
