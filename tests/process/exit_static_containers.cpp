// SPDX-License-Identifier: Apache-2.0
// Promise: containers at namespace scope and function-static ones may use linn::allocator; they are
// destroyed after the main thread's thread_local objects, in whatever order relative to the first
// use of their pools, and each of their nodes is freed.
//
// Breaks when a pool dies before a container of its nodes. The object that is destroyed last counts
// what is alive in every pool, so a destructor that did not run, or lost a node, fails the test.
#include "process.hpp"

#include <linn/linn.hpp>

namespace {

/// First constructed, last destroyed.
struct auditor {
    auditor() = default;
    auditor(const auditor&) = delete;
    auditor& operator=(const auditor&) = delete;
    ~auditor() {
        for (const auto& s : linn::statistics()) {
            CHECK(s.live == 0);
        }
        linn_test::say("all freed\n");
    }
} audit;

// Constructed before any pool was used. Some by a converting constructor of the allocator, which
// must not bring forward or put off anything.
linn::allocator<char> characters;
linn::unordered_map<int, std::string> early_hash{16, std::hash<int>{}, std::equal_to<int>{}, characters};
linn::list<std::string> early_list{linn::allocator<int>{}};
linn::map<int, int> early_map{std::less<int>{}, characters};
linn::forward_list<int> early_forward;

/// Uses pools in the middle of static initialisation.
struct user {
    user() {
        linn::set<long> temporary{3, 2, 1};
        CHECK(temporary.size() == 3);
        early_map.emplace(-1, -1);
    }
    user(const user&) = delete;
    user& operator=(const user&) = delete;
    ~user() {
        early_map.emplace(-2, -2);
        linn::set<long> temporary{3, 2, 1};
    }
} in_between;

// Constructed, and filled, after pools were used.
linn::multimap<int, int> late_map{{1, 1}, {1, 2}};
linn::unordered_set<int> late_set{1, 2, 3};
linn::list<std::string> late_list{"a", "b"};

linn::map<std::string, int>& function_static() {
    static linn::map<std::string, int> map;
    return map;
}

void fill() {
    for (int i = 0; i < 5000; ++i) {
        early_hash.emplace(i, std::to_string(i));
        early_list.push_back(std::to_string(i));
        early_map.emplace(i, i);
        early_forward.push_front(i);
        late_map.emplace(i, i);
        late_set.insert(i);
        late_list.push_back(std::to_string(i));
        function_static().emplace(std::to_string(i), i);
        static linn::list<int> deep;
        deep.push_back(i);
    }
}

} // namespace

int main() {
    const auto filled = linn_test::run_child([] {
        fill();
        CHECK(!linn::leak_report().empty());
    });
    filled.expect(filled.exited_with(0) && filled.error == "all freed\n", "filled in main");

    const auto untouched = linn_test::run_child([] {});
    untouched.expect(untouched.exited_with(0) && untouched.error == "all freed\n", "left as they were");

    const auto thread_local_too = linn_test::run_child([] {
        // Goes before the static ones; takes their nodes along.
        thread_local linn::list<std::string> takes;
        fill();
        takes.splice(takes.end(), early_list);
        CHECK(takes.size() == 5000);
    });
    thread_local_too.expect(thread_local_too.exited_with(0) && thread_local_too.error == "all freed\n",
                            "a thread_local container with nodes of a static one");
}
