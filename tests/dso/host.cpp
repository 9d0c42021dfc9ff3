// SPDX-License-Identifier: Apache-2.0
// Promise: two shared libraries that use the same type may exchange objects: one allocates, another
// or the host frees, whether they share one pool (default visibility) or have one each (hidden). A
// plugin may be unloaded while objects that it allocated are alive.
//
// Breaks when an object is given to the pool of the module that frees it, not to the one that its
// slab belongs to: counts would run away in one and the memory of the other never come back. So the
// counts of all modules are checked, not only that nothing crashes.
#include "plugin.hpp"
#include "process.hpp"

#include <linn/linn.hpp>

#include <dlfcn.h>

#include <thread>
#include <vector>

namespace {

struct module {
    explicit module(const char* path) : handle{::dlopen(path, RTLD_NOW | RTLD_LOCAL)} {
        if (handle == nullptr) {
            std::fprintf(stderr, "%s\n", ::dlerror());
            std::exit(1);
        }
        void* symbol = ::dlsym(handle, "linn_test_plugin");
        CHECK(symbol != nullptr);
        f = reinterpret_cast<get_plugin_functions*>(symbol)();
    }
    module(const module&) = delete;
    module& operator=(const module&) = delete;
    ~module() { ::dlclose(handle); }

    void* handle;
    const plugin_functions* f = nullptr;
};

exchanged_item* make_here(std::size_t number) {
    return linn::pool<exchanged_item>::create(exchanged_item{number, {}});
}
void destroy_here(exchanged_item* item) {
    linn::pool<exchanged_item>::destroy(item);
}
std::size_t live_here() {
    return linn::pool<exchanged_item>::statistics().live;
}

constexpr std::size_t count = 1000; // some magazines

using make_function = exchanged_item* (*)(std::size_t);
using destroy_function = void (*)(exchanged_item*);

void exchange(make_function make, destroy_function destroy, bool other_thread) {
    for (int round = 0; round < 2; ++round) {
        std::vector<exchanged_item*> items;
        for (std::size_t i = 0; i < count; ++i) {
            items.push_back(make(i));
        }
        const auto free_all = [&] {
            for (std::size_t i = 0; i < count; ++i) {
                CHECK(items[i]->number == i);
                destroy(items[i]);
            }
        };
        if (other_thread) {
            std::thread{free_all}.join();
        } else {
            free_all();
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    CHECK(argc == 3);
    // Without slabs nothing tells whose an object is, so each module counts what passes through it.
    const bool counts_are_known = linn_test::in_slabs();
    std::vector<exchanged_item*> orphans;
    {
        module one{argv[1]};
        module two{argv[2]};
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
        for (std::size_t i = 0; i < count; ++i) {
            orphans.push_back(i % 2 == 0 ? one.f->make(i) : two.f->make(i));
        }
    }
    // The plugins are gone, as far as the loader lets them go; their objects are not.
    for (std::size_t i = 0; i < count; ++i) {
        CHECK(orphans[i]->number == i);
        destroy_here(orphans[i]);
    }
    linn::pool<exchanged_item>::trim();
    if (counts_are_known) {
        CHECK_AT_MOST(live_here(), 0);
    }
    // Loading them again must find a world in order.
    module one{argv[1]};
    exchange(one.f->make, &destroy_here, false);
    exchange(&make_here, one.f->destroy, true);
    linn::pool<exchanged_item>::trim();
    one.f->trim();
    if (counts_are_known) {
        CHECK_AT_MOST(live_here(), 0);
        CHECK_AT_MOST(one.f->live(), 0);
    }
}
