// SPDX-License-Identifier: Apache-2.0
// The resource that is never destroyed: for static objects, and as the default of the program.
#include <linn/memory_resource.hpp>

#include <cstdio>
#include <list>
#include <memory_resource>
#include <string>

// [static]
// Destroyed after main, in whatever order: the resource is there before and after.
std::pmr::list<std::pmr::string> history{linn::default_pool_resource()};

struct farewell {
    ~farewell() { history.emplace_back("written in a destructor, after main"); }
} at_the_end;
// [/static]

int main() {
    // [default]
    std::pmr::set_default_resource(linn::default_pool_resource()); // for all std::pmr containers from here on
    std::pmr::list<int> numbers{1, 2, 3};
    // [/default]
    std::printf("default: %s\n", numbers.get_allocator().resource() == linn::default_pool_resource()
                                     ? "pooled"
                                     : "not pooled");
    history.emplace_back("written in main");
    std::printf("lines: %zu\n", history.size());
    std::pmr::set_default_resource(nullptr);
}
