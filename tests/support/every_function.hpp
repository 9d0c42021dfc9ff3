// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_SUPPORT_EVERY_FUNCTION_HPP
#define LINN_TESTS_SUPPORT_EVERY_FUNCTION_HPP

/// @file
/// A call of every function of the library. Objects are polymorphic: a cast to their type where there is none is an error to
/// clang's control flow integrity, see tests/cfi.

#include "process.hpp"

#include <linn/linn.hpp>

#include <list>
#include <memory_resource>

namespace linn_test::every_function {

struct item {
    item() = default;
    item(const item&) = default;
    item& operator=(const item&) = default;
    virtual ~item() = default;
    virtual long first() const { return words[0]; }
    long words[5] = {};
};
using pool = linn::pool<item>;
struct pooled_item : item, linn::pooled<pooled_item> {};
struct alignas(64) aligned_item : item, linn::pooled<aligned_item> {};

inline constinit linn::fixed_pool<item, 4> fixed;

/// A function of the library, called once.
struct entry {
    const char* name;
    void (*call)();
};

inline constexpr entry entries[] = {
    {"pool::create", [] { pool::destroy(pool::create()); }},
    {"pool::on_this_thread", [] { pool::on_this_thread().destroy(pool::on_this_thread().create()); }},
    {"pool::allocate", [] { pool::deallocate(pool::allocate()); }},
    {"pool::try_allocate", [] { pool::deallocate(pool::try_allocate()); }},
    {"pool::allocate_n",
     [] {
         std::vector<item*> all(100);
         pool::allocate_n(all);
         pool::deallocate_n(all);
     }},
    {"pool::allocate_n of none", [] { pool::allocate_n({}); }},
    {"pool::deallocate_n of none", [] { pool::deallocate_n({}); }},
    {"pool::destroy of null", [] { pool::destroy(nullptr); }},
    {"pool::reserve", [] { pool::reserve(1000); }},
    {"pool::trim", [] { pool::trim(); }},
    {"pool::statistics",
     [] { CHECK(pool::statistics().live == 0 && pool::statistics().object_bytes == sizeof(item)); }},
    {"pool::for_each_live",
     [] {
         static_cast<void>(pool::create());
         CHECK(pool::for_each_live([](item& object) {
                   CHECK(object.first() == 0);
                   pool::destroy(&object);
               }) == 1);
     }},
    {"pool::check", [] { CHECK(pool::check() == 0); }},
    {"pool::owns", [] { CHECK(!pool::owns(&fixed) && !pool::owns(nullptr)); }},
    {"statistics", [] { static_cast<void>(linn::statistics()); }},
    {"to_json", [] { CHECK(!linn::to_json(linn::statistics()).empty()); }},
    {"to_table", [] { CHECK(!linn::to_table(linn::statistics()).empty()); }},
    {"to_openmetrics", [] { CHECK(linn::to_openmetrics(linn::statistics()).ends_with("# EOF\n")); }},
    {"leak_report", [] { CHECK(linn::leak_report().empty()); }},
    {"report_leaks_at_exit", [] { linn::report_leaks_at_exit(); }},
    {"check_pools", [] { CHECK(linn::check_pools() == 0); }},
    {"set_misuse_handler", [] { CHECK(linn::set_misuse_handler(nullptr) != nullptr); }},
    {"print_misuse", [] { linn::print_misuse(stderr, {linn::misuse_kind::overrun, "item", nullptr, 1}); }},
    {"local_pool",
     [] {
         linn::local_pool<item> local;
         local.destroy(local.create());
     }},
    {"local_pool::release",
     [] {
         linn::local_pool<item> local;
         local.release();
         CHECK(local.trim() == 0 && local.check() == 0);
     }},
    {"local_pool::allocate_n",
     [] {
         linn::local_pool<item> local;
         item* all[100];
         local.reserve(1000);
         local.allocate_n(all);
         local.deallocate_n(all);
         CHECK(local.statistics().live == 0);
     }},
    {"fixed_pool", [] { fixed.destroy(fixed.try_create()); }},
    {"handle_pool",
     [] {
         linn::handle_pool<item> objects;
         const auto one = objects.create();
         static_cast<void>(objects.try_create());
         for (const item& object : objects) {
             CHECK(object.first() == 0);
         }
         CHECK(objects.destroy(one) && objects.get(one) == nullptr && objects.size() == 1);
         objects.clear();
     }},
    {"local_allocator",
     [] {
         linn::local_pool<linn::node_slot<std::list<item>>> nodes;
         std::list<item, linn::local_allocator<item, decltype(nodes)>> list{nodes};
         list.emplace_back();
         CHECK(nodes.live() == 1);
     }},
    {"base_ptr",
     [] {
         linn::fixed_pool<item, 1> one;
         const linn::base_ptr<const item> p = linn::make_unique_in(one);
         CHECK(p->first() == 0 && linn::try_make_unique_in(one) == nullptr);
     }},
    {"allocator",
     [] {
         linn::allocator<item> a;
         a.deallocate(a.allocate(1), 1);
         a.deallocate(a.allocate(3), 3);
     }},
    {"list", [] { CHECK(linn::list<item>(1).front().first() == 0); }},
    {"map", [] { CHECK((linn::map<int, item>{}[1].first() == 0)); }},
    {"unordered_map", [] { CHECK((linn::unordered_map<int, item>{}[1].first() == 0)); }},
    {"pooled", [] { delete new pooled_item; }},
    {"pooled, nothrow", [] { delete new (std::nothrow) pooled_item; }},
    {"pooled, aligned", [] { delete new aligned_item; }},
    {"pooled, array", [] { delete[] new pooled_item[3]; }},
    {"make_shared", [] { linn::make_shared<item>().reset(); }},
    {"make_shared_for_overwrite", [] { linn::make_shared_for_overwrite<item>().reset(); }},
    {"make_shared of an array", [] { linn::make_shared<int[]>(10).reset(); }},
    {"make_unique", [] { linn::make_unique<item>().reset(); }},
    {"make_unique_for_overwrite", [] { linn::make_unique_for_overwrite<item>().reset(); }},
    {"recycler::acquire", [] { linn::recycler<item>{}.acquire().reset(); }},
    {"recycler::try_acquire", [] { linn::recycler<item>{}.try_acquire().reset(); }},
    {"recycler::acquire_shared", [] { linn::recycler<item>{}.acquire_shared().reset(); }},
    {"recycler::recycle of null", [] { linn::recycler<item>::recycle(nullptr); }},
    {"recycler::prefill", [] { CHECK(linn::recycler<item>{}.prefill(3) == 3); }},
    {"recycler::trim", [] { CHECK(linn::recycler<item>{}.trim() == 0); }},
    {"recycler::statistics", [] { CHECK(linn::recycler<item>{}.statistics().live == 0); }},
    {"buffer_pool::acquire", [] { linn::buffer_pool{100'000}.acquire().reset(); }},
    {"buffer_pool::acquire_shared", [] { linn::buffer_pool{100'000}.acquire_shared().reset(); }},
    {"buffer_pool::reserve", [] { linn::buffer_pool{100'000}.reserve(2); }},
    {"buffer_pool::trim", [] { CHECK(linn::buffer_pool{100'000}.trim() == 0); }},
    {"buffer_pool::statistics", [] { CHECK(linn::buffer_pool{100'000}.statistics().slabs == 0); }},
    {"pool_resource",
     [] {
         linn::pool_resource resource;
         resource.deallocate(resource.allocate(10), 10);
     }},
    {"pool_resource, large",
     [] {
         linn::pool_resource resource;
         resource.deallocate(resource.allocate(1'000'000), 1'000'000);
     }},
    {"pool_resource::release",
     [] {
         linn::pool_resource resource;
         resource.release();
         resource.trim(); // gives back what resources that are gone left
         CHECK(resource.statistics().empty());
     }},
    {"default_pool_resource", [] { std::pmr::vector<int>(10, linn::default_pool_resource()).clear(); }},
    {"value_initialization_fill", [] { CHECK(linn::value_initialization_fill<item>() == 0); }},
    {"node_types", [] { CHECK(!linn::node_types<linn::list<int>>().empty()); }},
};

} // namespace linn_test::every_function

#endif
