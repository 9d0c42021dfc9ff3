// SPDX-License-Identifier: Apache-2.0
// Promise: shared libraries that use the same type may exchange objects: one allocates, another or the host frees, whether they
// share one pool (default visibility, the host too when it exports its symbols) or have one each (hidden). A plugin may be unloaded
// while its objects are alive, and again and again; forks go on. Its objects stay valid and any other module may free them; what
// its static initialisers made, they may free when it goes. Threads that used it and live on: matrix.cpp.
//
// Breaks when an object is given to the pool of the module that frees it, not to the one that its slab belongs to: counts would
// run away in one and the memory of the other never come back. So the counts of all modules are checked. And when something that
// outlives a module refers to data of the module: the arena of its depots, a name, the handler of a thread's exit. That only shows
// when the module is really gone, so where the loader can let it go the test demands that it did.
#include "module.hpp"

#include <atomic>
#include <list>
#include <memory_resource>
#include <string_view>

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

/// The host and two plugins, each with each.
void modules_exchange(const char* const (&paths)[2], int flags) {
    module one{paths[0], flags};
    module two{paths[1], flags};
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
    // Without slabs nothing tells whose an object is, so each module counts what passes through it.
    if (in_slabs()) {
        CHECK(one.f->live() == 0 && two.f->live() == 0 && live_here() == 0);
    }
}

/// With default visibility there is one pool, which works otherwise too, and then costs memory and a look at each object that comes
/// back.
void modules_share(const char* const (&paths)[2]) {
    module one{paths[0]};
    module two{paths[1]};
    CHECK(one.f->place() != two.f->place());
    exchanged_item* item = one.f->make(1);
    CHECK(one.f->live() == 1 && two.f->live() == 1 && live_here() == 1);
    two.f->destroy(item);
    CHECK(live_here() == 0);
    // What one module's code cached, another's takes first.
    exchanged_item* again = one.f->make(2);
    CHECK(again == item || !cached());
    destroy_here(again);
    CHECK(one.f->live() == 0);
}

/// Objects of a plugin that is unloaded are freed by the host: on this thread, and as another ends.
void orphans_are_freed(const char* path, bool goes) {
    std::vector<exchanged_item*> here;
    std::vector<exchanged_item*> there;
    void* buffer = nullptr;
    {
        module plugin{path};
        in_a_thread([&] { // a thread that has used it keeps it loaded until it ends
            here = make_some(plugin.f->make);
            buffer = plugin.f->buffer();
            there = make_some(plugin.f->make);
            destroy_all(make_some(plugin.f->make), plugin.f->destroy);
            destroy_all(make_some(&make_here), plugin.f->destroy);
            plugin.f->trim(); // or what is the host's would stay in the plugin's caches
        });
    }
    CHECK(!goes || !is_loaded(path));
    destroy_all(here, &destroy_here);
    delete static_cast<linn::buffer*>(buffer);
    in_a_thread([&] { destroy_all(there, &destroy_here); });
    linn::pool<exchanged_item>::trim();
    if (in_slabs()) {
        CHECK_AT_MOST(live_here(), 0);
    }
}

/// Objects of a plugin that is gone are freed while the program forks: no thread may be inside their depot then, or the child waits
/// for ever when it frees one.
void orphans_and_forks(const char* path, bool goes) {
    constexpr std::size_t threads = 4; // so that most of the time one of them is inside
    std::vector<exchanged_item*> orphans[threads];
    exchanged_item* last = nullptr;
    {
        module plugin{path};
        in_a_thread([&] {
            for (auto& some : orphans) {
                while (some.size() < 20 * some_magazines) {
                    some.push_back(plugin.f->make(0));
                }
            }
            last = plugin.f->make(0);
        });
    }
    CHECK(!goes || !is_loaded(path));
    std::atomic<std::size_t> over{0};
    std::vector<std::thread> others;
    for (const auto& some : orphans) {
        others.emplace_back([&] {
            for (exchanged_item* item : some) {
                destroy_here(item);
            }
            ++over;
        });
    }
    while (over != threads) {
        check_forked([&] {
            destroy_here(last);
            linn::pool<exchanged_item>::trim();
        });
    }
    for (std::thread& t : others) {
        t.join();
    }
    destroy_here(last);
}

/// Loaded and closed many times: it finds a world in order each time, and costs no more each time than what it did
/// not give back.
void again_and_again(const char* path, bool goes) {
    constexpr int times = 50;
    std::size_t before = 0;
    std::size_t same_place = 0;
    std::uintptr_t last_place = 0;
    std::vector<exchanged_item*> orphans;
    for (int i = 0; i < times; ++i) {
        if (i == 10) {
            before = rss_bytes();
        }
        module plugin{path};
        std::size_t freed_at_unload = 0;
        plugin.f->say_when_gone(&freed_at_unload);
        in_a_thread([&] {
            destroy_all(orphans, plugin.f->destroy); // of a generation that is gone
            destroy_all(make_some(plugin.f->make), plugin.f->destroy);
            orphans = make_some(plugin.f->make);
            plugin.f->trim();
        });
        const std::uintptr_t place = plugin.f->place();
        same_place += place == last_place ? 1 : 0;
        last_place = place;
        plugin.unload();
        CHECK(freed_at_unload == 300 || !goes);
    }
    destroy_all(orphans, &destroy_here);
    // Of a module that is gone stay the pages of its depots and magazines, and those with orphans.
    if (rss_is_ours()) {
        CHECK_AT_MOST(grown(rss_bytes(), before), (times - 10) * 128 * kib + mib);
    }
    std::printf("unloaded: %s; at the same place as the one before: %zu of %d\n", goes ? "yes" : "no",
                same_place, times);
}

} // namespace

/// <plugin> <its copy> local|global|shared stays|goes
int main(int argc, char** argv) {
    CHECK(argc == 5);
    const char* const paths[] = {argv[1], argv[2]};
    const std::string_view how{argv[3]};
#ifdef __GLIBC__
    // Sanitizers keep modules, for the names in their reports. Other loaders keep all.
    const bool goes = std::string_view{argv[4]} == "goes" && !asan && !tsan;
#else
    const bool goes = false;
#endif
    // In threads that end: one that has used a plugin keeps it loaded.
    if (how == "shared") {
        in_a_thread([&] { modules_share(paths); });
    }
    in_a_thread([&] { modules_exchange(paths, how == "local" ? RTLD_LOCAL : RTLD_GLOBAL); });
    orphans_are_freed(paths[0], goes);
    orphans_and_forks(paths[0], goes);
    again_and_again(paths[0], goes);
}
