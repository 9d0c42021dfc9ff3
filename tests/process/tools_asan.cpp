// SPDX-License-Identifier: Apache-2.0
// Promise: under AddressSanitizer a pool does not hide errors: use after free of its objects is
// reported, as it is for objects from `new`; so for local_pool and for nodes of containers.
//
// Breaks when freed objects stay readable in a cache. Each scenario is a child that must die with
// the report, and the same child without the error must end well, so the report has one cause.
#include "process.hpp"

#include <linn/linn.hpp>

namespace {

struct item {
    long words[8];
};

bool wrong = false;

void pool_object() {
    item* p = linn::pool<item>::create();
    p->words[2] = 5;
    volatile long* word = &p->words[2];
    if (!wrong) {
        CHECK(*word == 5);
    }
    linn::pool<item>::destroy(p);
    if (wrong) {
        *word = 6;
    }
}

void pool_object_later() {
    item* p = linn::pool<item>::create();
    volatile long* word = &p->words[7];
    linn::pool<item>::destroy(p);
    for (int i = 0; i < 100; ++i) {
        linn::pool<item>::destroy(linn::pool<item>::create());
    }
    linn::pool<item>::trim();
    if (wrong) {
        static_cast<void>(*word);
    }
}

/// What was free, and is an object again, may be used.
template <class Pool>
void reused(Pool&& pool) {
    item* p = pool.create();
    pool.destroy(p);
    p = pool.create();
    volatile long* word = &p->words[3];
    *word = 1;
    pool.destroy(p);
    if (wrong) {
        *word = 2;
    }
}

void pool_object_reused() {
    struct as_object {
        item* create() { return linn::pool<item>::create(); }
        void destroy(item* p) { linn::pool<item>::destroy(p); }
    };
    reused(as_object{});
}

void local_object_reused() {
    reused(linn::local_pool<item>{});
}

void local_object() {
    linn::local_pool<item> pool;
    item* p = pool.create();
    item* other = pool.create();
    volatile long* word = &p->words[0];
    *word = 1;
    pool.destroy(p);
    if (wrong) {
        *word = 2;
    }
    pool.destroy(other);
}

void local_pool_gone() {
    volatile long* word = nullptr;
    {
        linn::local_pool<item> pool;
        item* p = pool.create();
        word = &p->words[0];
        pool.destroy(p);
    }
    if (wrong) {
        *word = 2;
    }
}

void list_node() {
    linn::list<int> list{1, 2, 3};
    auto i = list.begin();
    const volatile int* value = &*i;
    CHECK(*value == 1);
    list.erase(i);
    if (wrong) {
        static_cast<void>(*value);
    }
}

void map_node() {
    linn::map<int, int> map{{1, 2}, {3, 4}};
    const volatile int* value = &map.at(3);
    map.clear();
    if (wrong) {
        static_cast<void>(*value);
    }
}

struct pooled_item : linn::pooled<pooled_item> {
    long words[5] = {};
};

void pooled_object() {
    auto* p = new pooled_item;
    volatile long* word = &p->words[1];
    delete p;
    if (wrong) {
        *word = 1;
    }
}

void freed_twice() {
    item* volatile p = linn::pool<item>::allocate();
    linn::pool<item>::deallocate(p);
    if (wrong) {
        linn::pool<item>::deallocate(p);
    }
}

void freed_inside() {
    item* volatile p = linn::pool<item>::allocate();
    if (wrong) {
        void* inside = &p->words[2];
        linn::pool<item>::deallocate(static_cast<item*>(inside));
    } else {
        linn::pool<item>::deallocate(p);
    }
}

void freed_from_elsewhere() {
    static item global;
    item* volatile p = wrong ? &global : linn::pool<item>::allocate();
    linn::pool<item>::deallocate(p);
}

void beyond_the_end() {
    item* p = linn::pool<item>::allocate();
    char* volatile end = reinterpret_cast<char*>(p) + sizeof(item);
    if (wrong) {
        *end = 1;
    }
    linn::pool<item>::deallocate(p);
}

void before_the_start() {
    item* p = linn::pool<item>::allocate();
    char* volatile start = reinterpret_cast<char*>(p);
    if (wrong) {
        start[-1] = 1;
    }
    linn::pool<item>::deallocate(p);
}

int reports = 0;

/// An object of another type's pool is a block of operator new, too: the pool itself must see that it is not its own,
/// and leave it alone when the handler returns.
void freed_to_another_pool() {
    struct other {
        long words[8];
    };
    linn::set_misuse_handler([](const linn::misuse& m) noexcept {
        ++reports;
        CHECK(m.kind == linn::misuse_kind::wrong_pool && m.type.find("item") != m.type.npos);
        CHECK(m.belongs_to.find("other") != m.belongs_to.npos);
    });
    other* p = linn::pool<other>::create();
    void* volatile same = p;
    linn::pool<item>::deallocate(static_cast<item*>(same));
    CHECK(reports == 1);
    CHECK(linn::pool<other>::statistics().live == 1);
    p->words[7] = 1;
    linn::pool<other>::destroy(p);
    CHECK(linn::pool<other>::statistics().live == 0);
    CHECK(reports == 1);
}

/// What AddressSanitizer finds in blocks of operator new, it finds in objects of pools.
void expect_words(const char* what, void (*body)(), const char* words) {
    if (!linn::detail::sanitizer_bypass) {
        return; // LINN_ASAN_POOLS: objects lie side by side
    }
    wrong = false;
    linn_test::run_child(body).expect_success(what);
    wrong = true;
    const auto child = linn_test::run_child(body);
    child.expect(!child.exited_with(0) && child.says(words), what);
}

void expect_report(const char* what, void (*body)()) {
    wrong = false;
    linn_test::run_child(body).expect_success(what);
    wrong = true;
    const auto child = linn_test::run_child(body);
    child.expect(
        !child.exited_with(0) && (child.says("heap-use-after-free") || child.says("use-after-poison")), what);
}

} // namespace

int main() {
    if (!linn_test::asan) {
        return linn_test::skip("not built with AddressSanitizer");
    }
    expect_report("pool", &pool_object);
    expect_report("pool, later", &pool_object_later);
    expect_report("pool, used again", &pool_object_reused);
    expect_report("local_pool", &local_object);
    expect_report("local_pool, used again", &local_object_reused);
    expect_report("local_pool that is gone", &local_pool_gone);
    expect_report("list", &list_node);
    expect_report("map", &map_node);
    expect_report("pooled", &pooled_object);
    expect_words("freed twice", &freed_twice, "attempting double-free");
    expect_words("interior pointer", &freed_inside, "attempting free on address which was not malloc()-ed");
    expect_words("foreign pointer", &freed_from_elsewhere,
                 "attempting free on address which was not malloc()-ed");
    expect_words("overrun", &beyond_the_end, "heap-buffer-overflow");
    expect_words("underrun", &before_the_start, "heap-buffer-overflow");
    if (linn::detail::sanitizer_bypass) {
        linn_test::run_child(&freed_to_another_pool).expect_success("freed to another pool");
    }
}
