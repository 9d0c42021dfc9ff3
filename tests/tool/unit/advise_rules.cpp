// SPDX-License-Identifier: Apache-2.0
// The table of rules, one by one: each decides what it is for, and stops deciding when its condition is gone.
#include "advise/rules.hpp"
#include "unit.hpp"

namespace linn::tool::advise_rules_tests {

/// A type of a million small blocks that come and go, which no rule but the one for its container cares about.
advised_type churning(const std::string& name, const std::string& container) {
    advised_type t;
    t.name = t.named.type = name;
    t.container = t.named.container = container;
    t.named.rule = type_rule::allocator;
    site_statistics& s = t.statistics;
    s.allocations = s.releases = 1'000'000;
    s.bytes = 48'000'000;
    s.smallest = s.largest = 48;
    s.sizes = {{48, 1'000'000}};
    s.peak_live = 1000;
    s.peak_live_bytes = 48'000;
    s.threads = 1;
    s.lifetimes[10] = 1'000'000;
    return t;
}

type_facts facts_of(const advised_type& t) {
    type_facts facts{.type = t};
    facts.kind = kind_of(t.named);
    facts.cost = 0.10;
    facts.run_ns = 1e9;
    return facts;
}

void set_size(advised_type& t, std::uint64_t bytes) {
    site_statistics& s = t.statistics;
    s.bytes = s.allocations * bytes;
    s.smallest = s.largest = bytes;
    s.sizes = {{bytes, s.allocations}};
}

void set_many_sizes(advised_type& t) {
    t.statistics.smallest = 16;
    t.statistics.largest = 900;
    t.statistics.sizes = {{16, 200'000}, {64, 200'000}, {100, 200'000}, {900, 40'000}};
}

std::string rule_of(const type_facts& facts) {
    return deciding_rule(facts).name;
}

/// "RULE: PART"
std::string decided(const type_facts& facts) {
    return rule_of(facts) + ": " + deciding_rule(facts).use(facts).text;
}

TEST_CASE("every rule has a name of its own, a reason, and a part where it has a remedy") {
    std::set<std::string> names;
    for (const advice_rule& rule : advice_rules()) {
        CAPTURE(rule.name);
        CHECK(names.insert(rule.name).second);
        CHECK(bool{rule.why != nullptr});
        CHECK(bool{rule.use != nullptr} == bool{rule.what != remedy::nothing});
    }
    CHECK(std::string{advice_rules().back().name} == "rest");
}

TEST_CASE("a type of many small blocks that come and go is served by what its container says") {
    struct row {
        const char* name;
        const char* container;
        const char* rule;
        remedy what;
        const char* part;
    };
    std::vector<row> rows{
        {"net::Packet", "std::shared_ptr<net::Packet>", "make-shared", remedy::make_shared,
         "linn::make_shared<net::Packet>()"},
        {"control block of net::Packet", "std::shared_ptr<net::Packet>", "control-block", remedy::make_shared,
         "linn::make_shared<net::Packet>()"},
        {"Shape", "std::unique_ptr<Shape>", "make-unique", remedy::pooled_class,
         "linn::make_unique<Shape>()"},
        {"geo::Shape", "", "class", remedy::pooled_class, "struct Shape : linn::pooled<Shape>"},
        {"hash buckets", "std::unordered_map<int, int>", "hash-buckets", remedy::nothing, ""},
        {"lambda", "std::function<void ()>", "function", remedy::nothing, ""},
        {"int", "std::pmr::unsynchronized_pool_resource", "memory-resource", remedy::nothing, ""},
        {"state", "std::thread", "thread", remedy::nothing, ""},
    };
    for (const row& r : rows) {
        CAPTURE(r.rule);
        const advised_type t = churning(r.name, r.container);
        const type_facts facts = facts_of(t);
        CHECK(rule_of(facts) == r.rule);
        CHECK(deciding_rule(facts).what == r.what);
        if (r.what != remedy::nothing) {
            CHECK(deciding_rule(facts).use(facts).text == r.part);
        }
    }
    for (const std::string name :
         {"list", "forward_list", "map", "multimap", "set", "multiset", "unordered_map", "unordered_multimap",
          "unordered_set", "unordered_multiset"}) {
        CAPTURE(name);
        const advised_type t = churning("std::pair<const int, Order>", "std::" + name + "<int, Order>");
        CHECK(decided(facts_of(t)) == "node: linn::" + name + "<int, Order>");
        CHECK(deciding_rule(facts_of(t)).what == remedy::pooled_container);
    }
}

TEST_CASE("rare: what costs less than half a percent of the run is left alone") {
    const advised_type t = churning("int", "std::list<int>");
    type_facts facts = facts_of(t);
    facts.cost = 0.0049;
    CHECK(rule_of(facts) == "rare");
    advised_type few = churning("Order", "std::list<Order>");
    few.statistics.allocations = 7;
    few.statistics.bytes = 7 * 48;
    CHECK(rule_of(facts_of(few)) == "rare"); // at any cost
    CHECK(at_most_text(0) == at_most_text(0.0001));
    facts.cost = 0.0051;
    CHECK(rule_of(facts) == "node");
    facts.cost = 0;
    facts.is_cost_known = false;
    CHECK(rule_of(facts) == "node");
    type_facts unknown = facts_of(few);
    unknown.is_cost_known = false;
    CHECK(rule_of(unknown) == "rare");
    CHECK(deciding_rule(unknown).why(unknown).find('%') == std::string::npos); // no cost is made up
}

TEST_CASE("kept: what is allocated once and stays is left alone, unless it costs much") {
    advised_type t = churning("int", "std::list<int>");
    t.statistics.peak_live = 1'000'000;
    t.statistics.live_at_end = 600'000;
    type_facts facts = facts_of(t);
    facts.cost = 0.029;
    CHECK(rule_of(facts) == "kept");
    facts.cost = 0.031;
    CHECK(rule_of(facts) == "node");
    facts.cost = 0.029;
    t.statistics.live_at_end = 0;
    CHECK(rule_of(facts) == "node"); // released soon after
    t.statistics.lifetimes = {};
    t.statistics.lifetimes[29] = 1'000'000;
    CHECK(rule_of(facts) == "kept"); // half a second of a second
    t.statistics.peak_live = 500'000;
    CHECK(rule_of(facts) == "node"); // each place was used twice
}

TEST_CASE("class: one object of one size, not an array and not blocks of many sizes") {
    advised_type plain = churning("geo::Shape", "");
    plain.named.is_array = true;
    CHECK(rule_of(facts_of(plain)) != "class");
    plain.named.is_array = false;
    CHECK(rule_of(facts_of(plain)) == "class");
    set_many_sizes(plain);
    CHECK(rule_of(facts_of(plain)) != "class");
}

TEST_CASE("class: only what may have a base or take linn::pooled") {
    for (const char* name : {"int", "long", "double", "unsigned long", "main::<lambda()>"}) {
        CAPTURE(name);
        const advised_type t = churning(name, "");
        CHECK(rule_of(facts_of(t)) == "uniform-block");
        CHECK(deciding_rule(facts_of(t)).use(facts_of(t)).text.find("lambda") == std::string::npos);
    }
    advised_type t = churning("Colour", "");
    t.named.declared = {"/home/me/colour.hpp", 3};
    CHECK(rule_of(facts_of(t)) == "class");
    t.named.declared.is_closed = true;
    CHECK(decided(facts_of(t)) == "uniform-block: linn::pool<Colour>");
}

TEST_CASE("the sizes in a reason are all that there were") {
    advised_type t = churning("geo::Shape", "");
    const auto why = [&] { return deciding_rule(facts_of(t)).why(facts_of(t)); };
    CHECK(why().find("blocks of 48 bytes,") != std::string::npos);
    t.statistics.largest = 200;
    CHECK(why().find("48 to 200 bytes") != std::string::npos);
    set_size(t, 0);
    CHECK_FALSE(is_pool(deciding_rule(facts_of(t)).what));
}

TEST_CASE("owns-more: an object that allocates more each time is recycled") {
    const advised_type t = churning("Packet", "std::shared_ptr<Packet>");
    type_facts facts = facts_of(t);
    facts.owned = "std::vector<unsigned char>";
    CHECK(rule_of(facts) == "owns-more");
    CHECK(deciding_rule(facts).what == remedy::recycler);
    CHECK(deciding_rule(facts).use(facts).text == "linn::recycler<Packet>");
    advised_type kept = t;
    kept.statistics.peak_live = 400'000; // hardly ever made again
    type_facts kept_facts = facts_of(kept);
    kept_facts.owned = facts.owned;
    CHECK(rule_of(kept_facts) == "make-shared");
}

TEST_CASE("bursts of large blocks over several threads: the reason says that Linn does not win there") {
    advised_type t = churning("Packet", "std::shared_ptr<Packet>");
    set_size(t, 1600);
    t.statistics.threads = 2;
    t.statistics.longest_burst = 256;
    const auto warns = [&] {
        return deciding_rule(facts_of(t))
                   .why(facts_of(t))
                   .find("no faster than the best general allocators") != std::string::npos;
    };
    CHECK(warns());
    t.statistics.longest_burst = 255;
    CHECK_FALSE(warns());
    t.statistics.longest_burst = 256;
    t.statistics.threads = 1;
    CHECK_FALSE(warns());
    t.statistics.threads = 2;
    set_size(t, 48);
    CHECK_FALSE(warns());
}

TEST_CASE("large-buffers and few-and-large: reuse decides") {
    advised_type t = churning("unsigned char", "std::vector<unsigned char>");
    t.named.is_array = true;
    t.statistics.allocations = t.statistics.releases = 400;
    set_size(t, 65'536);
    t.statistics.peak_live = 100;
    CHECK(rule_of(facts_of(t)) == "large-buffers");
    CHECK(deciding_rule(facts_of(t)).what == remedy::buffer_pool);
    CHECK(deciding_rule(facts_of(t)).use(facts_of(t)).text == "linn::buffer_pool of 65536 bytes");
    t.statistics.peak_live = 101;
    CHECK(rule_of(facts_of(t)) == "few-and-large");
    t.statistics.peak_live = 100;
    set_size(t, 65'535);
    CHECK(rule_of(facts_of(t)) == "temporary-array");
}

TEST_CASE("growth, temporary-array and array: strings and vectors") {
    advised_type t = churning("char", "std::string");
    t.named.is_array = true;
    set_many_sizes(t);
    type_facts facts = facts_of(t);
    CHECK(rule_of(facts) == "temporary-array");
    CHECK(deciding_rule(facts).what == remedy::reserve);
    facts.grows = true;
    CHECK(decided(facts) == "growth: reserve()");
    t.container = t.named.container = "std::deque<char>"; // which has none
    facts.kind = kind_of(t.named);
    CHECK(rule_of(facts) == "temporary-array");
    facts.grows = false;
    t.statistics.peak_live = 500'000;
    CHECK(rule_of(facts) == "array");
}

TEST_CASE("growth: blocks that realloc enlarges") {
    advised_type t = churning("malloc", "");
    set_many_sizes(t);
    t.statistics.reallocations = 400'000;
    CHECK(decided(facts_of(t)) == "growth: a larger first size");
    t.statistics.reallocations = 200'000;
    CHECK(rule_of(facts_of(t)) != "growth");
}

TEST_CASE("a pointer is no class to give a base, and nothing that a pool serves") {
    CHECK(rule_of(facts_of(churning("HeapThunk", ""))) == "class");
    CHECK(rule_of(facts_of(churning("HeapThunk*", ""))) == "temporary-array");
    advised_type t = churning("const void*", "");
    t.named.rule = type_rule::pointer;
    CHECK(rule_of(facts_of(t)) != "class");
    CHECK(rule_of(facts_of(t)) != "uniform-block");
    CHECK(rule_of(facts_of(t)) != "mixed-one-thread"); // they have one size
}

TEST_CASE("allocator-parameter: a class template that was given a std::allocator") {
    advised_type t = churning("Tree::Node", "Tree<int>");
    CHECK(rule_of(facts_of(t)) == "class"); // it takes none
    t.named.takes_allocator = "Tree<int, std::allocator<int>>";
    CHECK(decided(facts_of(t)) == "allocator-parameter: linn::allocator as argument of Tree");
    // A library's: its map is not the user's to change, its argument is.
    advised_type node = churning("std::pair<const int, lib::value>", "std::map<int, lib::value>");
    node.named.is_library = true;
    node.named.takes_allocator = "lib::value<std::allocator>";
    CHECK(rule_of(facts_of(node)) == "allocator-parameter");
    set_many_sizes(t);
    CHECK(rule_of(facts_of(t)) != "allocator-parameter");
    t = churning("char", "std::string"); // text takes the allocator of the string
    t.named.takes_allocator = "Tree<int, std::allocator<int>>";
    CHECK(rule_of(facts_of(t)) != "allocator-parameter");
}

TEST_CASE("foreign: what C or a library allocates is not the user's to change") {
    advised_type t = churning("node", "");
    CHECK(rule_of(facts_of(t)) == "class");
    t.named.is_c = true;
    CHECK(rule_of(facts_of(t)) == "foreign-planned");
    CHECK(deciding_rule(facts_of(t)).what == remedy::linn_pools);
    type_facts cheap = facts_of(t);
    cheap.cost = 0.02;
    CHECK(rule_of(cheap) == "foreign");
    t.named.is_c = false;
    t.named.is_library = true;
    // A class of the user's own takes its pool along, wherever it is made; one of the library's does not.
    t.named.declared = {"/home/me/node.hpp", 3, false};
    CHECK(rule_of(facts_of(t)) == "class");
    t.named.declared.file = "/usr/include/lib/node.hpp";
    CHECK(rule_of(facts_of(t)) == "foreign-planned");
    advised_type mixed = t;
    set_many_sizes(mixed);
    CHECK(rule_of(facts_of(mixed)) == "foreign-planned"); // a pool for each size
    mixed.statistics.largest = 4096;
    CHECK(rule_of(facts_of(mixed)) == "foreign-costly");
    CHECK(deciding_rule(facts_of(mixed)).what == remedy::other_allocator);
    t.named.is_library = false;
    CHECK(rule_of(facts_of(t)) == "uniform-block"); // the user's `new`, but nobody's base
}

TEST_CASE("an object of the standard library's is no class to change, and not recycled for its text") {
    const advised_type t = churning("std::string", "");
    type_facts facts = facts_of(t);
    facts.owned = "std::string";
    CHECK(decided(facts) == "uniform-block: linn::pool<std::string>");
}

TEST_CASE("foreign-planned: a block that outgrows every slot is for no plan") {
    advised_type t = churning("malloc", "");
    CHECK(fits_a_plan(t));
    t.statistics.reallocations = 1'000'000;
    t.statistics.resized = {{64, 1'000'000}};
    CHECK(fits_a_plan(t)); // a slot has room for that
    t.statistics.resized = {{24, 1'000'000}};
    CHECK(fits_a_plan(t)); // it shrinks where it is
    t.statistics.resized = {{64, 500'000}, {4096, 500'000}};
    t.statistics.largest = 4096;
    CHECK_FALSE(fits_a_plan(t));
}

TEST_CASE("several instantiations: one size for each is one size") {
    advised_type t = churning("geo::Lazy<...>", "");
    set_many_sizes(t);
    CHECK(rule_of(facts_of(t)) != "class");
    t.instantiations = 53;
    t.summed_uniformity = 1;
    CHECK(decided(facts_of(t)) == "class: struct Lazy : linn::pooled<Lazy<...>>");
}

TEST_CASE("uniform-block, mixed-one-thread, costly, rest: blocks without a type") {
    advised_type t = churning("48 bytes at parse+0x39", "");
    t.named.rule = type_rule::none;
    type_facts facts = facts_of(t);
    facts.is_operator_new = facts.is_type_known = false;
    CHECK(decided(facts) == "uniform-block: linn::pool of the type");
    set_many_sizes(t);
    CHECK(rule_of(facts) == "mixed-one-thread");
    CHECK(deciding_rule(facts).what == remedy::pool_resource);
    t.statistics.threads = 2;
    t.statistics.largest = 4096;
    CHECK(rule_of(facts) == "costly");
    CHECK(deciding_rule(facts).what == remedy::other_allocator);
    facts.cost = 0.02;
    CHECK(rule_of(facts) == "rest");
    facts.cost = 0.10;
    facts.is_users = false; // of a library: whatever its sizes
    t.statistics.threads = 1;
    CHECK(rule_of(facts) == "costly");
    t = churning("48 bytes of lib.so", "");
    t.named.rule = type_rule::none;
    CHECK(decided(facts) ==
          "costly-planned: linn pools: measure pools with linn try, keep them with linn pools");
}

} // namespace linn::tool::advise_rules_tests
