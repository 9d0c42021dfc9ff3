// SPDX-License-Identifier: Apache-2.0
// Promise: LeakSanitizer reports an object of a pool that nothing points to any more, and reports
// nothing at the exit of a program whose static containers and caches still hold memory.
//
// Breaks when the pool keeps pointers to everything (no leak is ever found), or keeps pointers where
// LeakSanitizer does not look (everything is a leak). Both directions are tested, so neither a silent
// nor a noisy tool passes.
#include "process.hpp"

#include <linn/linn.hpp>

namespace {

struct item {
    long words[8];
};

/// So that the pointer does not survive in a register or on the stack.
[[gnu::noinline]] void lose_some() {
    for (int i = 0; i < 50; ++i) {
        auto* p = linn::pool<item>::create();
        p->words[0] = i;
        // The compiler must not see that nobody has it now.
        asm volatile("" : : "r"(p) : "memory");
    }
}

void leaks() {
    std::thread{&lose_some}.join();
    lose_some();
    linn_test::overwrite_the_stack();
}

struct owner {
    explicit owner(std::string text) : name{std::move(text)} {}
    std::string name;
    std::vector<int> numbers = std::vector<int>(100, 1);
};

linn::map<int, std::string>* never_destroyed = nullptr;
std::vector<owner*>& held = *new std::vector<owner*>; // so that it outlives the check at exit
linn::unordered_map<int, std::unique_ptr<std::string>> statics;

/// Memory of the general allocator, reachable only through objects of pools.
void holds() {
    never_destroyed = new linn::map<int, std::string>;
    for (int i = 0; i < 1000; ++i) {
        never_destroyed->emplace(i, std::string(100, 'x'));
        held.push_back(linn::pool<owner>::create(std::string(200, 'y')));
        statics.emplace(i, std::make_unique<std::string>(300, 'z'));
    }
    std::thread{[] {
        for (int i = 0; i < 1000; ++i) {
            linn::pool<item>::destroy(linn::pool<item>::create());
        }
    }}.join();
    static linn::local_pool<owner> local;
    static owner* of_local = local.create(std::string(100, 'w'));
    held.push_back(of_local);
    linn::set_misuse_handler([](const linn::misuse&) noexcept {}); // it tells that of_local is alive
    linn::pool_resource& resource = *linn::default_pool_resource();
    for (const std::size_t bytes : {sizeof(owner), std::size_t{200'000}}) {
        held.push_back(::new (resource.allocate(bytes)) owner{std::string(100, 'v')});
    }
    static linn::pool_resource destroyed; // with what it handed out
    static_cast<void>(destroyed.allocate(100));
    static_cast<void>(destroyed.allocate(200'000));
}

} // namespace

int main() {
    if (!linn_test::asan) {
        return linn_test::skip("not built with LeakSanitizer");
    }
    const auto clean = linn_test::run_child(&holds);
    clean.expect(clean.exited_with(0) && clean.error.empty(), "nothing leaks");
    const auto leaking = linn_test::run_child(&leaks);
    leaking.expect(!leaking.exited_with(0) && leaking.says("detected memory leaks") &&
                       leaking.says("lose_some"),
                   "objects leak");
}
