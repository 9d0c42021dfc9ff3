// SPDX-License-Identifier: Apache-2.0
// Promise: the recycler works with -fno-exceptions -fno-rtti, weak_ptr and shared_from_this included.
//
// Breaks with a `try` or `throw` that is not guarded: a compile error.
#include "process.hpp"

#include <linn/recycler.hpp>

#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

struct message : std::enable_shared_from_this<message> {
    std::vector<int> words;
    std::string text;
};

void works() {
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
}

struct made {
    explicit made(int n) : number{n} {}
    int number;
};

void creates() {
    linn::recycler<made> all{{.create = [] { return made{7}; }}};
    CHECK(all.acquire()->number == 7);
}

} // namespace

int main() {
    works();
    creates();
}
