// SPDX-License-Identifier: Apache-2.0
// Promise: if the misuse handler returns, a pool_resource ignores the wrong deallocation and is whole afterwards.
//
// Breaks when a check comes after a change. misuse_matrix has each misuse, and what is said about it.
#include "process.hpp"

#include <linn/memory_resource.hpp>
#include <linn/misuse.hpp>

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
}

} // namespace

int main() {
    if (linn_test::asan || linn_test::on_memcheck()) {
        return linn_test::skip("a memory checker sees to it here");
    }
    static void* kept = resource.allocate(100);
    static void* kept_large = resource.allocate(200'000);

    expect("double free", linn::misuse_kind::double_free, [] {
        void* p = resource.allocate(100);
        resource.deallocate(p, 100);
        resource.deallocate(p, 100);
        return p;
    });
    expect("another size", linn::misuse_kind::wrong_size, [] {
        resource.deallocate(kept, 1000);
        return kept;
    });
    expect("another size of a large block", linn::misuse_kind::wrong_size, [] {
        resource.deallocate(kept_large, 200'001);
        return kept_large;
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
    // What was refused is still there.
    resource.deallocate(kept, 100);
    resource.deallocate(kept_large, 200'000);
    for (const auto& s : resource.statistics()) {
        CHECK(s.live == 0);
    }
}
