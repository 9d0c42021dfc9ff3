// SPDX-License-Identifier: Apache-2.0
// Promise: a plugin may be unloaded while its objects are alive, and again and again; forks go on. Its objects stay valid and any
// other module may free them; what its static initialisers made, they may free when it goes. Threads that used it and live on:
// matrix.cpp.
//
// Breaks when something that outlives a module refers to data of the module: the arena of its depots, a name, the
// handler of a thread's exit. That only shows when the module is really gone, so where the loader can let it go
// the test demands that it did.
#include "module.hpp"

#include <linn/buffer_pool.hpp>

#include <atomic>
#include <string_view>

using namespace linn_test;

namespace {

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

/// Objects of a plugin that is gone are freed while the program forks: nobody may be inside their depot then, or the child waits
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

int main(int argc, char** argv) {
    CHECK(argc == 3);
    const char* path = argv[1];
#ifdef __GLIBC__
    // Sanitizers keep modules, for the names in their reports. Other loaders keep all.
    const bool goes = std::string_view{argv[2]} == "goes" && !asan && !tsan;
#else
    const bool goes = false;
#endif
    in_a_thread([&] { destroy_all(make_some(&make_here), &destroy_here); });
    orphans_are_freed(path, goes);
    orphans_and_forks(path, goes);
    again_and_again(path, goes);
}
