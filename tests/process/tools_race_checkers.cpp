// SPDX-License-Identifier: Apache-2.0
// Promise: Valgrind's Helgrind and DRD report data races on objects of the library, and nothing in a correct program.
//
// Breaks when the tools are not recognised: they know neither locks that are not pthread's nor atomics, and report each
// magazine that threads exchange. The program runs itself under both tools, once a scenario; each correct one must be clean,
// and the race of a wrong one must be reported.
#include "parts.hpp"

#include <map>

namespace {

using namespace linn_test::parts;

constexpr std::size_t rounds = 200;

/// What threads hand to each other, under a lock that the tools know.
template <class T>
class box {
public:
    void put(T what) {
        const std::lock_guard guard{lock_};
        held_.push_back(std::move(what));
    }
    bool take(T& what) {
        const std::lock_guard guard{lock_};
        if (held_.empty()) {
            return false;
        }
        what = std::move(held_.back());
        held_.pop_back();
        return true;
    }

private:
    std::mutex lock_;
    std::vector<T> held_;
};

/// Three threads write to what others made and give it back. What is left when they end the main thread has, twice over.
template <class Part>
void exchanged() {
    for (int turn = 0; turn != 2; ++turn) {
        box<typename Part::owner> passed;
        typename Part::owner got{};
        linn_test::in_threads(3, [&] {
            for (std::size_t i = 0; i != rounds; ++i) {
                passed.put(Part::get(i));
                if (typename Part::owner mine{}; i % 3 != 0 && passed.take(mine)) {
                    object(mine).number = i;
                }
            }
            Part::trim();
        });
        while (passed.take(got)) {
            object(got).number = 1;
        }
    }
}

void bulk_and_containers() {
    linn_test::in_threads(3, [] {
        item* some[40];
        linn::pool<item>::reserve(100);
        linn::pool<item>::allocate_n(some);
        for (item* p : some) {
            p->number = 1;
        }
        linn::pool<item>::deallocate_n(some);
        CHECK(linn::pool<item>::statistics().live < 1000);
        linn::map<int, std::string> map;
        std::pmr::map<int, int> on_resource{&in_resource::all};
        std::pmr::map<int, int> by_default{linn::default_pool_resource()};
        for (int i = 0; i != 100; ++i) {
            map[i] = "one";
            on_resource[i] = by_default[i] = i;
        }
        CHECK(!in_resource::all.statistics().empty());
    });
    CHECK(linn::pool<item>::statistics().live == 0);
}

/// `pool` goes while a thread gives back what it handed out.
template <class Pool>
void outlived(std::unique_ptr<Pool> pool) {
    box<decltype(pool->acquire())> out;
    for (int i = 0; i != 20; ++i) {
        out.put(pool->acquire());
    }
    std::thread late{[&] {
        for (decltype(pool->acquire()) got{}; out.take(got);) {
            object(got).number = 1;
            got.reset();
        }
    }};
    pool.reset();
    late.join();
}

void pools_that_end() {
    outlived(std::make_unique<linn::recycler<item>>());
    outlived(std::make_unique<linn::buffer_pool>(100'000));
}

void recycler_with_a_limit() {
    linn::recycler<item> two{linn::recycler<item>::options{.capacity = 2, .limit = 2}};
    linn_test::in_threads(3, [&] {
        for (std::size_t i = 0; i != rounds / 10; ++i) {
            two.acquire()->number = i;
            std::this_thread::yield();
        }
        for (std::size_t i = 0; i != rounds / 10; ++i) {
            if (const auto a = two.acquire_for(std::chrono::milliseconds{1}); a) {
                a->number = i;
            }
        }
    });
}

void handed_local_pool() {
    auto pool = std::make_unique<linn::local_pool<item>>();
    std::mutex lock;
    linn_test::in_threads(3, [&] {
        for (std::size_t i = 0; i != rounds; ++i) {
            const std::lock_guard guard{lock};
            item* p = pool->create();
            p->number = i;
            pool->destroy(p);
        }
    });
    std::thread{[last = std::move(pool)] { last->destroy(last->create()); }}.join();
}

item* raced_object = nullptr;
void race_on(item* p) {
    raced_object = p;
    linn_test::in_threads(3, [] {
        for (std::size_t i = 0; i != rounds; ++i) {
            *const_cast<volatile std::size_t*>(&raced_object->number) = i;
        }
    });
}
void race() {
    item* p = linn::pool<item>::create();
    race_on(p);
    linn::pool<item>::destroy(p);
}
void race_in_a_recycler() {
    linn::recycler<item> all;
    const auto h = all.acquire();
    race_on(h.get());
}

struct scenario {
    const char* name;
    void (*run)();
    bool correct;
};
constexpr scenario scenarios[] = {
    {"pool", &exchanged<in_pool>, true},
    {"limit", &exchanged<in_limited_pool>, true},
    {"shared_ptr", &exchanged<in_shared_ptr>, true},
    {"resource", &exchanged<in_resource>, true},
    {"recycler", &exchanged<in_recycler>, true},
    {"buffers", &exchanged<in_buffers<100>>, true},
    {"bulk", &bulk_and_containers, true},
    {"ends", &pools_that_end, true},
    {"recycler limit", &recycler_with_a_limit, true},
    {"local_pool", &handed_local_pool, true},
    {"race", &race, false},
    {"recycler race", &race_in_a_recycler, false},
};

} // namespace

int main(int argc, char** argv) {
    if (argc == 2) {
        for (const scenario& s : scenarios) {
            if (std::strcmp(s.name, argv[1]) == 0) {
                s.run();
            }
        }
        return 0;
    }
    if (const char* const why = linn_test::why_no_valgrind(); why != nullptr) {
        return linn_test::skip(why);
    }
    for (const char* tool : {"--tool=helgrind", "--tool=drd"}) {
        for (const scenario& s : scenarios) {
            const auto child = linn_test::run_child([&] {
                ::execlp("valgrind", "valgrind", tool, "--error-exitcode=99", "-q", argv[0], s.name,
                         static_cast<char*>(nullptr));
                ::_exit(1);
            });
            if (child.says("debuginfo reader")) {
                return linn_test::skip("this valgrind cannot read this compiler's debug information");
            }
            const bool reported = child.says("Possible data race") || child.says("Conflicting");
            child.expect(s.correct ? child.exited_with(0) : child.exited_with(99) && reported,
                         (std::string{tool} + ' ' + s.name).c_str());
        }
    }
}
