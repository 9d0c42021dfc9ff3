// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_DSO_MODULE_HPP
#define LINN_TESTS_DSO_MODULE_HPP

#include "plugin.hpp"
#include "process.hpp"

#include <linn/linn.hpp>

#include <dlfcn.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace linn_test {

/// A plugin, loaded as long as this lives, and longer where the loader decides so. Its static initialisers run in a
/// thread of their own, since a thread that has used a pool keeps the pool's module loaded until it ends.
class module {
public:
    explicit module(const char* path, int flags = RTLD_LOCAL) {
        std::thread{[&] { handle_ = ::dlopen(path, RTLD_NOW | flags); }}.join();
        if (handle_ == nullptr) {
            std::fprintf(stderr, "%s\n", ::dlerror());
            std::exit(1);
        }
        void* symbol = ::dlsym(handle_, "linn_test_plugin");
        CHECK(symbol != nullptr);
        f = reinterpret_cast<get_plugin_functions*>(symbol)();
        CHECK(f->made_at_start() ==
              300); // its thread has ended: nobody may wait for one while a library goes
    }
    ~module() { unload(); }

    void unload() {
        if (handle_ != nullptr) {
            ::dlclose(handle_);
            handle_ = nullptr;
        }
    }

    const plugin_functions* f = nullptr;

private:
    void* handle_ = nullptr;
};

/// Whether the loader has kept the plugin though everybody closed it.
inline bool is_loaded(const char* path) {
    void* handle = ::dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (handle != nullptr) {
        ::dlclose(handle);
    }
    return handle != nullptr;
}

using make_function = exchanged_item* (*)(std::size_t);
using destroy_function = void (*)(exchanged_item*);

inline exchanged_item* make_here(std::size_t number) {
    return linn::pool<exchanged_item>::create(exchanged_item{number, {}});
}
inline void destroy_here(exchanged_item* item) {
    linn::pool<exchanged_item>::destroy(item);
}
inline std::size_t live_here() {
    return linn::pool<exchanged_item>::statistics().live;
}

inline constexpr std::size_t some_magazines = 1000;

inline std::vector<exchanged_item*> make_some(make_function make) {
    std::vector<exchanged_item*> items;
    for (std::size_t i = 0; i < some_magazines; ++i) {
        items.push_back(make(i));
    }
    return items;
}

inline void destroy_all(const std::vector<exchanged_item*>& items, destroy_function destroy) {
    for (std::size_t i = 0; i < items.size(); ++i) {
        CHECK(items[i]->number == i);
        destroy(items[i]);
    }
}

/// Runs `f` in a thread that ends before this returns.
template <class F>
void in_a_thread(F&& f) {
    std::thread{f}.join();
}

} // namespace linn_test

#endif
