// SPDX-License-Identifier: Apache-2.0
// A plugin, built several times: visibility, options of its pool, and settings differ.
#include "plugin.hpp"

#include <linn/linn.hpp>

#include <list>
#include <memory_resource>
#include <thread>

#ifndef PLUGIN_OPTIONS
#define PLUGIN_OPTIONS linn::default_options<exchanged_item>
#endif

namespace {

using item_pool = linn::pool<exchanged_item, PLUGIN_OPTIONS>;

exchanged_item* make(std::size_t number) {
    return item_pool::create(exchanged_item{number, {}});
}
void destroy(exchanged_item* item) {
    item_pool::destroy(item);
}
std::size_t live() {
    return item_pool::statistics().live;
}
std::size_t trim() {
    return item_pool::trim();
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

/// Its pool has a type of its own, so that what lives from the first to the last moment of the plugin is not in
/// the counts of the others.
struct early_item {
    std::size_t number;
    char bytes[100];
};

class from_start_to_end {
public:
    from_start_to_end() {
        make_range(0, count / 2, numbers_);
        thread_ = std::thread{[this] { make_range(count / 2, count, numbers_of_thread_); }};
        // To wait for it here is what no library may: glibc holds a lock that the first thread_local object of a thread
        // needs.
    }
    ~from_start_to_end() {
        const std::size_t found = intact();
        for (early_item* item : items_) {
            linn::pool<early_item>::destroy(item);
        }
        if (freed != nullptr) {
            *freed = found;
        }
    }

    [[nodiscard]] std::size_t intact() {
        if (thread_.joinable()) {
            thread_.join();
        }
        std::size_t n = 0;
        for (const auto* numbers : {&numbers_, &numbers_of_thread_}) {
            for (const std::size_t i : *numbers) {
                n += items_[i]->number == i ? 1 : 0;
            }
        }
        return n;
    }

    std::size_t* freed = nullptr;

private:
    void make_range(std::size_t first, std::size_t last, std::pmr::list<std::size_t>& numbers) {
        for (std::size_t i = first; i < last; ++i) {
            items_[i] = linn::pool<early_item>::create(early_item{i, {}});
            numbers.push_back(i);
        }
    }

    static constexpr std::size_t count = 300;
    early_item* items_[count];
    std::pmr::list<std::size_t> numbers_{linn::default_pool_resource()};
    std::pmr::list<std::size_t> numbers_of_thread_{linn::default_pool_resource()};
    std::thread thread_;
} at_start;

std::size_t made_at_start() {
    return at_start.intact();
}
void say_when_gone(std::size_t* objects_freed) {
    at_start.freed = objects_freed;
}
std::uintptr_t place() {
    return reinterpret_cast<std::uintptr_t>(&make);
}

void* resource() {
    static linn::pool_resource one;
    return &one;
}
void* recycler() {
    static linn::recycler<exchanged_item> one{{.capacity = 1000}};
    return &one;
}

void* buffer() {
    return new linn::buffer{linn::buffer_pool{65536}.acquire()};
}

constexpr plugin_functions functions{&make,          &destroy, &live,     &trim,     &work,  &made_at_start,
                                     &say_when_gone, &place,   &resource, &recycler, &buffer};

} // namespace

extern "C" [[gnu::visibility("default")]] const plugin_functions* linn_test_plugin() {
    return &functions;
}
