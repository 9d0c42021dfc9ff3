// SPDX-License-Identifier: Apache-2.0
// Promise: std::pmr containers over default_pool_resource() may be destroyed whenever: as static objects
// in any order relative to its first use, as thread_local ones of the main thread and of others, in
// atexit handlers. A static pool_resource serves containers that are constructed after it.
//
// Breaks when the resource is destroyed, when its thread caches need the thread, or when a lock or a
// table of its is gone. The object that is destroyed last looks whether every node was freed.
#include "process.hpp"

#include <linn/memory_resource.hpp>

#include <list>
#include <map>
#include <memory_resource>

namespace {

std::size_t live_in(const linn::pool_resource& r) {
    std::size_t n = 0;
    for (const auto& s : r.statistics()) {
        n += s.live;
    }
    return n;
}

/// First constructed, last destroyed.
struct auditor {
    auditor() = default;
    auditor(const auditor&) = delete;
    auditor& operator=(const auditor&) = delete;
    ~auditor() {
        CHECK(live_in(*linn::default_pool_resource()) == 0);
        linn_test::say("all freed\n");
    }
} audit;

std::pmr::memory_resource* everlasting() {
    return linn::default_pool_resource();
}

// Constructed before the resource is, which happens here.
std::pmr::list<std::pmr::string> early{everlasting()};

struct user {
    user() { early.emplace_back(100, 'u'); }
    user(const user&) = delete;
    user& operator=(const user&) = delete;
    ~user() {
        early.emplace_back(100, 'v');
        std::pmr::map<int, int> temporary{everlasting()};
        temporary[1] = 2;
    }
} in_between;

std::pmr::map<int, std::pmr::string> late{everlasting()};

// The usual order: the resource first.
linn::pool_resource a_static;
std::pmr::map<int, int> of_a_static{&a_static};
linn::pool_resource over_another{&a_static};
std::pmr::vector<int> of_the_other{&over_another};

void fill() {
    for (int i = 0; i < 3000; ++i) {
        early.emplace_back(static_cast<std::size_t>(i % 100), 'e');
        late.emplace(i, std::pmr::string(50, 'l'));
        of_a_static.emplace(i, i);
        of_the_other.push_back(i);
        static std::pmr::list<int> deep{everlasting()};
        deep.push_back(i);
    }
}

void expect_all_freed(const char* what, void (*body)()) {
    const auto child = linn_test::run_child(body);
    child.expect(child.exited_with(0) && child.error == "all freed\n", what);
}

} // namespace

int main() {
    expect_all_freed("untouched", [] {});
    expect_all_freed("filled in main", [] { fill(); });
    expect_all_freed("thread_local of the main thread", [] {
        thread_local std::pmr::list<std::pmr::string> takes{everlasting()};
        fill();
        takes.splice(takes.end(), early);
        CHECK(takes.size() >= 3000);
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
