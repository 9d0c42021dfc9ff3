// SPDX-License-Identifier: Apache-2.0
// Promise: containers over linn::allocator, and std::pmr ones over default_pool_resource(), may be static, in any order
// relative to the first use of what they take their nodes from, thread_local ones of the main thread and of others, and local
// to atexit handlers; each of their nodes is freed. A static pool_resource serves containers that are constructed after it.
//
// Breaks when a pool or resource dies before a container of its nodes, when its caches need the thread, or when a lock or a
// table of its is gone. The object that is destroyed last counts what is alive, so a destructor that did not run, or lost a
// node, fails the test.
#include "process.hpp"

#include <linn/linn.hpp>

#include <list>
#include <map>
#include <memory_resource>

namespace {

std::pmr::memory_resource* everlasting() {
    return linn::default_pool_resource();
}

/// First constructed, last destroyed.
struct auditor {
    ~auditor() {
        for (const auto& s : linn::statistics()) {
            CHECK(s.live == 0);
        }
        for (const auto& s : linn::default_pool_resource()->statistics()) {
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
// Constructed before the resource is, which happens here.
std::pmr::list<std::pmr::string> early{everlasting()};

/// Uses pools in the middle of static initialisation.
struct user {
    user() {
        linn::set<long> temporary{3, 2, 1};
        CHECK(temporary.size() == 3);
        early_map.emplace(-1, -1);
        early.emplace_back(100, 'u');
    }
    ~user() {
        early_map.emplace(-2, -2);
        linn::set<long> temporary{3, 2, 1};
        early.emplace_back(100, 'v');
        std::pmr::map<int, int>{everlasting()}[1] = 2;
    }
} in_between;

// Constructed, and filled, after pools were used.
linn::multimap<int, int> late_map{{1, 1}, {1, 2}};
linn::unordered_set<int> late_set{1, 2, 3};
linn::list<std::string> late_list{"a", "b"};
std::pmr::map<int, std::pmr::string> late{everlasting()};

// The usual order: the resource first.
linn::pool_resource a_static;
std::pmr::map<int, int> of_a_static{&a_static};
linn::pool_resource over_another{&a_static};
std::pmr::vector<int> of_the_other{&over_another};

linn::map<std::string, int>& function_static() {
    static linn::map<std::string, int> map;
    return map;
}

void fill() {
    for (int i = 0; i < 3000; ++i) {
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
        early.emplace_back(static_cast<std::size_t>(i % 100), 'e');
        late.emplace(i, std::pmr::string(50, 'l'));
        of_a_static.emplace(i, i);
        of_the_other.push_back(i);
        static std::pmr::list<int> deep_too{everlasting()};
        deep_too.push_back(i);
    }
}

void expect_all_freed(const char* what, void (*body)()) {
    const auto child = linn_test::run_child(body);
    child.expect(child.exited_with(0) && child.error == "all freed\n", what);
}

} // namespace

int main() {
    expect_all_freed("untouched", [] {});
    expect_all_freed("filled in main", [] {
        fill();
        CHECK(!linn::leak_report().empty());
    });
    expect_all_freed("thread_local of the main thread", [] {
        // Go before the static ones; take their nodes along.
        thread_local linn::list<std::string> takes;
        thread_local std::pmr::list<std::pmr::string> takes_too{everlasting()};
        fill();
        takes.splice(takes.end(), early_list);
        takes_too.splice(takes_too.end(), early);
        CHECK(takes.size() == 3000 && takes_too.size() >= 3000);
    });
    expect_all_freed("thread_local of another thread, which fills what lives on", [] {
        std::thread{[] {
            thread_local std::pmr::list<std::pmr::string> own{everlasting()};
            own.emplace_back(200, 'o');
            fill();
            own.splice(own.end(), early, early.begin());
        }}.join();
    });
    if (!linn_test::on_wine()) { // which forgets the destructor of a static object that a handler makes
        expect_all_freed("atexit", [] {
            std::atexit([] {
                std::pmr::vector<std::pmr::string> v{everlasting()};
                v.resize(100, std::pmr::string(100, 'a'));
                fill();
            });
        });
    }
    expect_all_freed("a thread that uses it first in a destructor of thread-local storage", [] {
        std::thread{[] {
            struct last {
                bool used = false;
                ~last() {
                    std::pmr::map<int, int> m{everlasting()};
                    for (int i = 0; i < 500; ++i) {
                        m[i] = i;
                    }
                }
            };
            thread_local last l;
            l.used = true;
            everlasting()->deallocate(everlasting()->allocate(10), 10);
        }}.join();
    });
}
