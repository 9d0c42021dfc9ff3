// SPDX-License-Identifier: Apache-2.0
// Promise: everything compiles and works with -fno-exceptions -fno-rtti.
//
// Breaks with a `throw`, `try`, `typeid` or `dynamic_cast` that is not guarded: a compile error. What
// compiles is also run, since without exceptions the paths differ.
#include "process.hpp"

#include <linn/linn.hpp>

#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#if defined(__cpp_exceptions) || defined(__cpp_rtti)
#error this test is about builds without exceptions and RTTI
#endif

namespace {

struct item {
    explicit item(int n) : number{n} {} // may throw, as far as the compiler knows
    int number;
    char more[60];
};

struct pooled_item : linn::pooled<pooled_item> {
    explicit pooled_item(int n) : number{n} {}
    int number;
};
struct alignas(64) pooled_aligned : linn::pooled<pooled_aligned> {
    int number = 1;
};

void pools() {
    using pool = linn::pool<item>;
    item* p = pool::create(3);
    CHECK(p->number == 3);
    CHECK(pool::statistics().live == 1);
    pool::destroy(p);
    pool::destroy(nullptr);
    CHECK((p = pool::try_allocate()) != nullptr);
    pool::deallocate(p);
    std::vector<item*> many(1000);
    pool::allocate_n(many);
    std::thread{[&] { pool::deallocate_n(many); }}.join();
    pool::reserve(1000);
    pool::trim();
    CHECK(!pool::owns(&many));
    CHECK(pool::statistics().live == 0);

    linn::local_pool<item> local;
    local.reserve(100);
    item* q = local.create(4);
    CHECK(local.live() == 1 && q->number == 4);
    local.destroy(q);
    item* several[10];
    local.allocate_n(several);
    local.deallocate_n(several);
    CHECK(local.statistics().live == 0);
    local.trim();
    CHECK(local.try_allocate() != nullptr);
    local.release();
}

void containers() {
    linn::list<int> list{1, 2, 3};
    linn::forward_list<int> forward{1, 2, 3};
    linn::set<int> set{1, 2, 3};
    linn::multiset<int> multiset{1, 1};
    linn::map<int, std::string> map{{1, "a"}};
    linn::multimap<int, int> multimap{{1, 1}, {1, 2}};
    linn::unordered_set<int> hash_set{1, 2};
    linn::unordered_multiset<int> hash_multiset{1, 1};
    linn::unordered_map<int, int> hash_map{{1, 2}};
    linn::unordered_multimap<int, int> hash_multimap{{1, 2}, {1, 3}};
    list.sort();
    map[2] = "b";
    hash_map[3] = 4;
    std::vector<int, linn::allocator<int>> vector(100, 7);
    CHECK(vector.size() == 100 && list.size() == 3 && map.size() == 2 && hash_map.size() == 2);
    auto shared = std::allocate_shared<item>(linn::allocator<item>{}, 5);
    std::weak_ptr<item> weak = shared;
    shared.reset();
    CHECK(weak.expired());
}

void pooled() {
    std::unique_ptr<pooled_item> p{new pooled_item{1}};
    std::unique_ptr<pooled_item> q{new (std::nothrow) pooled_item{2}};
    std::unique_ptr<pooled_aligned> r{new pooled_aligned};
    CHECK(p->number == 1 && q->number == 2 && r->number == 1);
    delete[] new pooled_aligned[3];
    CHECK(linn::pool<pooled_item>::statistics().live == 2);
}

void reports() {
    const auto all = linn::statistics();
    CHECK(all.size() > 5);
    CHECK(linn::to_json(all).find("linn.statistics/1") != std::string::npos);
    CHECK(!linn::to_table(all).empty());
    CHECK(linn::to_openmetrics(all).ends_with("# EOF\n"));
    CHECK(linn::leak_report().empty());
    linn::set_misuse_handler([](const linn::misuse&) noexcept {});
    linn::set_misuse_handler(nullptr);
    CHECK(std::string{linn::to_string(linn::misuse_kind::double_free)} == "freed twice");
}

/// There is nothing to catch: the end of memory ends the program.
void out_of_memory() {
    const auto child = linn_test::run_child([] { linn::pool<item>::reserve(SIZE_MAX); });
    child.expect(child.killed_by(SIGABRT), "out of memory");
}

} // namespace

int main() {
    pools();
    containers();
    pooled();
    reports();
    out_of_memory();
}
