// SPDX-License-Identifier: Apache-2.0
// Promise: everything compiles and works with -fno-exceptions -fno-rtti; what cannot be had ends the program with the reason, as
// no code can catch it.
//
// Breaks with a `throw`, `try`, `typeid` or `dynamic_cast` that is not guarded: a compile error. What
// compiles is also run, since without exceptions the paths differ.
#include "process.hpp"

#include <linn/linn.hpp>

#include <csignal>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <new>
#include <string>
#include <thread>
#include <utility>
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

template <class Body>
void ends(const char* text, Body body) {
    const auto child = linn_test::run_child(body);
    child.expect(child.killed_by(SIGABRT) && child.says(text), text);
}

struct packet {
    char bytes[1500];
};
struct may_throw { // as far as the compiler knows
    may_throw() {}
    explicit may_throw(int n) : number{n} {}
    int number = 1;
};

void pointers() {
    CHECK(linn::make_shared<may_throw>(3)->number == 3);
    CHECK(linn::make_shared_for_overwrite<may_throw[4]>()[3].number == 1);
    CHECK(linn::make_shared<std::string[3]>("x")[2] == "x");
    CHECK(linn::make_shared<int[]>(5)[4] == 0);
    CHECK(linn::make_shared_for_overwrite<may_throw[]>(5)[4].number == 1);
    CHECK(linn::make_unique<may_throw>(4)->number == 4);
    CHECK(linn::make_unique_for_overwrite<may_throw>()->number == 1);
    CHECK(linn::make_unique<int[]>(5)[4] == 0);
    CHECK(linn::make_shared<packet>(linn::value_initialize)->bytes[1499] == 0);
    CHECK(linn::value_initialization_fill<packet>() == sizeof(packet));
}

void resources() {
    linn::pool_resource r;
    linn::pool_resource over{{.slab_bytes = 4096}, &r};
    {
        std::pmr::map<int, std::pmr::string> map{&over};
        for (int i = 0; i < 1000; ++i) {
            map.emplace(i, std::pmr::string(static_cast<std::size_t>(i), 'x'));
        }
        std::thread{[&] { map.erase(map.begin(), map.find(500)); }}.join();
        CHECK(map.size() == 500);
        std::pmr::vector<int> large(100'000, 7, linn::default_pool_resource());
        CHECK(large.back() == 7);
    }
    CHECK(r.is_equal(r) && !r.is_equal(over));
    for (const auto& s : over.statistics()) {
        CHECK(s.live == 0);
    }
    over.trim();
    over.release();
    r.release();
    ends("", [&] { static_cast<void>(r.allocate(SIZE_MAX / 2, 16)); });
}

struct message : std::enable_shared_from_this<message> {
    std::vector<int> words;
    std::string text;
};

void recyclers() {
    linn::recycler<message> all{{.capacity = 8, .prefill = 2, .reset = [](message& m) { m.words.clear(); }}};
    CHECK(all.idle() == 2);
    auto handle = all.acquire();
    handle->words.resize(100);
    std::thread{[mine = std::move(handle)]() mutable { mine.reset(); }}.join();
    std::shared_ptr<message> shared = all.acquire_shared();
    CHECK(shared->shared_from_this() == shared);
    const std::weak_ptr<message> weak = shared;
    shared.reset();
    CHECK(weak.expired());
    CHECK(all.try_acquire() != nullptr);
    CHECK(all.trim() >= 1);
    linn::recycler<item> made{{.create = [] { return item{7}; }}};
    CHECK(made.acquire()->number == 7);
}

struct line {
    char data[100000];
    int size = 3;
};

void buffers() {
    linn::buffer_pool pool{sizeof(line), {.prefault = true, .max_bytes = 300000}};
    pool.reserve(1);
    linn::buffer b = pool.acquire();
    b.span().back() = std::byte{1};
    const auto shared = std::move(b).share();
    const auto object = pool.make_shared_for_overwrite<line>();
    CHECK(object->size == 3);
    CHECK(pool.statistics().live == 2);
    CHECK(!pool.try_acquire());
    pool.trim();
    ends("buffers of 0 bytes", [] { linn::buffer_pool none{0}; });
    ends("not a power of two", [] { linn::buffer_pool odd{1, {.alignment = 3}}; });
    ends("larger than the address space", [] { linn::buffer_pool vast{SIZE_MAX}; });
    ends("does not fit", [] {
        linn::buffer_pool small{1};
        static_cast<void>(small.make_shared_for_overwrite<line>());
    });
}

void handles() {
    linn::handle_pool<item, {.index_bits = 2, .generation_bits = 3}> items;
    linn::pool_handle<item, items.options> all[4];
    for (auto& h : all) {
        h = items.create(7);
    }
    CHECK(!items.try_create(8));
    CHECK(items.get(all[3])->number == 7);
    CHECK(items.destroy(all[3]) && !items.destroy(all[3]) && items.get(all[3]) == nullptr);
    int sum = 0;
    for (const item& one : items) {
        sum += one.number;
    }
    CHECK(sum == 21);
    all[3] = items.create(1);
    ends("", [&] { static_cast<void>(items.create(1)); });
    items.clear();
    CHECK(items.empty());

    using slots = linn::fixed_pool<linn::node_slot<std::list<int>>, 2>;
    slots memory;
    {
        std::list<int, linn::local_allocator<int, slots, void>> list{memory};
        list.push_back(1);
        list.push_back(2);
        CHECK(memory.full());
        ends("", [&] { list.push_back(3); });
    }
    linn::fixed_pool<item, 1> one;
    {
        linn::base_ptr<const item> p = linn::try_make_unique_in(one, 5);
        CHECK(p->number == 5 && linn::try_make_unique_in(one, 6) == nullptr);
    }
    CHECK(one.empty() && memory.empty());
}

} // namespace

int main() {
    pools();
    containers();
    pooled();
    reports();
    ends("", [] { linn::pool<item>::reserve(SIZE_MAX); });
    pointers();
    resources();
    recyclers();
    buffers();
    handles();
}
