// SPDX-License-Identifier: Apache-2.0
// Promise: a wrong deallocation from a pool_resource is named for what it is: in a checked build at the
// call, else when slots return to their slabs. A handler that returns makes the resource ignore the
// call, and it is whole afterwards.
//
// Breaks when a check is skipped or looks at memory that is not there. This file tests a checked build or,
// where it is not, what release builds notice at a trim.
#include "process.hpp"

#include <linn/memory_resource.hpp>
#include <linn/misuse.hpp>

#include <cstdlib>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

namespace {

std::vector<linn::misuse> seen;

void note(const linn::misuse& m) noexcept {
    seen.push_back(m);
}

linn::pool_resource resource;
linn::pool_resource other{std::pmr::new_delete_resource()};

void check_whole() {
    std::set<void*> all;
    for (std::size_t i = 0; i < 500; ++i) {
        void* p = resource.allocate(100);
        std::memset(p, 1, 100);
        CHECK(all.insert(p).second);
    }
    for (void* p : all) {
        resource.deallocate(p, 100);
    }
    resource.trim();
}

template <class Misuse>
void expect(const char* what, linn::misuse_kind kind, Misuse&& wrong) {
    seen.clear();
    linn::set_misuse_handler(&note);
    const void* address = wrong();
    if (!linn::detail::checked_build) {
        resource.trim(); // to the slabs with it
    }
    linn::set_misuse_handler(nullptr);
    if (seen.size() != 1 || seen[0].kind != kind || seen[0].address != address) {
        std::fprintf(stderr, "%s: seen %zu, %s\n", what, seen.size(),
                     seen.empty() ? "nothing" : linn::to_string(seen[0].kind));
        std::exit(1);
    }
    CHECK(seen[0].type == "linn::pool_resource");
    check_whole();

    const auto child = linn_test::run_child([&] {
        static_cast<void>(wrong());
        resource.trim();
    });
    child.expect(child.killed_by(SIGABRT) || linn_test::tsan, what);
    child.expect(child.says("linn: ") && child.says(linn::to_string(kind)), what);
}

} // namespace

int main() {
    if (linn_test::asan || linn_test::on_memcheck()) {
        return linn_test::skip("a memory checker sees to it here");
    }
    static void* kept = resource.allocate(100);
    static void* kept_large = resource.allocate(200'000);
    constexpr bool checked = linn::detail::checked_build;

    expect("double free", linn::misuse_kind::double_free, [] {
        void* p = resource.allocate(100);
        resource.deallocate(p, 100);
        resource.deallocate(p, 100);
        return p;
    });
    expect("interior", linn::misuse_kind::interior_pointer, [] {
        void* p = static_cast<std::byte*>(kept) + 16;
        resource.deallocate(p, 100);
        return p;
    });
    expect("another size", linn::misuse_kind::wrong_size, [] {
        resource.deallocate(kept, 1000);
        return kept;
    });
    expect("another alignment", linn::misuse_kind::wrong_size, [] {
        resource.deallocate(kept, 100, 512);
        return kept;
    });
    expect("a small size of a large block", linn::misuse_kind::wrong_size, [] {
        resource.deallocate(kept_large, 100);
        return kept_large;
    });
    expect("another size of a large block", linn::misuse_kind::wrong_size, [] {
        resource.deallocate(kept_large, 200'001);
        return kept_large;
    });
    expect("a large size of a small one", linn::misuse_kind::wrong_size, [] {
        resource.deallocate(kept, 200'000);
        return kept;
    });
    expect("from malloc", linn::misuse_kind::foreign_pointer, [] {
        static void* p = std::malloc(100);
        resource.deallocate(p, 100);
        return p;
    });
    expect("from calloc, large", linn::misuse_kind::foreign_pointer, [] {
        static void* p = static_cast<std::byte*>(std::calloc(3000, 1000)) + 64;
        resource.deallocate(p, 200'000);
        return p;
    });
    char on_stack[100] = {};
    expect("from the stack", linn::misuse_kind::foreign_pointer, [&] {
        resource.deallocate(on_stack, 100);
        return static_cast<void*>(on_stack);
    });
    expect("of another resource", linn::misuse_kind::wrong_pool, [] {
        static void* p = other.allocate(100);
        resource.deallocate(p, 100);
        return p;
    });
    expect("a large one of another resource", linn::misuse_kind::wrong_pool, [] {
        static void* p = other.allocate(200'000);
        resource.deallocate(p, 200'000);
        return p;
    });
    if constexpr (checked) {
        expect("double free of a large one", linn::misuse_kind::foreign_pointer, [] {
            void* p = resource.allocate(150'000);
            resource.deallocate(p, 150'000);
            resource.deallocate(p, 150'000);
            return p;
        });
        expect("double free by another thread", linn::misuse_kind::double_free, [] {
            void* p = resource.allocate(100);
            resource.deallocate(p, 100);
            std::thread{[p] { resource.deallocate(p, 100); }}.join();
            return p;
        });
    }
    // What was refused is still there.
    resource.deallocate(kept, 100);
    resource.deallocate(kept_large, 200'000);
    for (const auto& s : resource.statistics()) {
        CHECK(s.live == 0);
    }
}
