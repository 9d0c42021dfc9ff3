// SPDX-License-Identifier: Apache-2.0
// Promise: Valgrind's Helgrind and DRD report data races on objects of the library, and nothing in a correct program.
//
// Breaks when the tools are not recognised: they know neither locks that are not pthread's nor atomics, and report each
// magazine that threads exchange. The program runs itself under both tools, once a scenario; each correct one must be clean,
// and the race of a wrong one must be reported.
#include "process.hpp"

#include <linn/linn.hpp>

#include <map>

namespace {

struct item {
    int numbers[6] = {};
};
constexpr int rounds = 200;

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

/// `make` in three threads, `use` of what another one made.
template <class T, class Make, class Use>
void exchanged(Make make, Use use) {
    box<T> passed;
    linn_test::in_threads(3, [&] {
        for (int i = 0; i != rounds; ++i) {
            passed.put(make());
            if (T got{}; i % 3 != 0 && passed.take(got)) {
                use(got);
            }
        }
    });
    for (T got{}; passed.take(got);) {
        use(got);
    }
}

void pool_objects() {
    exchanged<item*>(&linn::pool<item>::create<>, [](item* p) {
        p->numbers[1] = 1;
        linn::pool<item>::destroy(p);
    });
    linn_test::in_threads(3, [] {
        item* some[40];
        linn::pool<item>::reserve(100);
        linn::pool<item>::allocate_n(some);
        for (item* p : some) {
            p->numbers[2] = 1;
        }
        linn::pool<item>::deallocate_n(some);
        linn::pool<item>::trim();
        CHECK(linn::pool<item>::statistics().live < 1000);
    });
    CHECK(linn::pool<item>::statistics().live == 0);
}

void threads_that_exit() {
    box<item*> left;
    for (int i = 0; i != 5; ++i) {
        linn_test::in_threads(3, [&] {
            linn::map<int, std::string> map;
            map[1] = "one";
            left.put(linn::pool<item>::create());
        });
    }
    for (item* p = nullptr; left.take(p);) {
        p->numbers[0] = 2;
        linn::pool<item>::destroy(p);
    }
}

void limited_pool() {
    using few = linn::pool<item, linn::pool_options{.max_objects = 2}>;
    linn_test::in_threads(3, [] {
        for (int i = 0; i != rounds; ++i) {
            if (item* p = few::try_allocate(); p != nullptr) {
                p->numbers[0] = i;
                few::deallocate(p);
            }
        }
    });
}

void shared_pointers() {
    exchanged<std::shared_ptr<item>>([] { return std::allocate_shared<item>(linn::allocator<item>{}); },
                                     [](std::shared_ptr<item>& p) {
                                         p->numbers[1] = 1;
                                         p.reset();
                                     });
    exchanged<std::shared_ptr<item>>([] { return linn::make_shared<item>(); },
                                     [](std::shared_ptr<item>& p) { p.reset(); });
}

void resources() {
    linn::pool_resource resource;
    exchanged<void*>([&] { return std::memset(resource.allocate(48), 1, 48); },
                     [&](void* p) {
                         std::memset(p, 2, 48);
                         resource.deallocate(p, 48);
                     });
    linn_test::in_threads(3, [&] {
        std::pmr::map<int, int> map{&resource};
        std::pmr::map<int, int> by_default{linn::default_pool_resource()};
        for (int i = 0; i != rounds; ++i) {
            map[i] = i;
            by_default[i] = i;
        }
        resource.trim();
        CHECK(!resource.statistics().empty());
    });
}

void recyclers() {
    using texts = linn::recycler<std::string>;
    auto all = std::make_unique<texts>();
    exchanged<texts::handle>([&] { return all->acquire(); },
                             [](texts::handle& h) {
                                 h->assign(100, 'x');
                                 h.reset();
                             });
    exchanged<std::shared_ptr<std::string>>([&] { return all->acquire_shared(); },
                                            [](std::shared_ptr<std::string>& p) { p.reset(); });
    box<texts::handle> outlive;
    for (int i = 0; i != 100; ++i) {
        outlive.put(all->acquire());
    }
    std::thread late{[&] {
        for (texts::handle h; outlive.take(h);) {
            h->assign(10, 'y');
            h.reset();
        }
    }};
    all.reset();
    late.join();

    texts two{texts::options{.capacity = 2, .limit = 2}};
    linn_test::in_threads(3, [&] {
        for (int i = 0; i != rounds / 10; ++i) {
            const auto a = two.acquire();
            a->assign(20, 'z');
            std::this_thread::yield();
        }
        for (int i = 0; i != rounds / 10; ++i) {
            if (const auto a = two.acquire_for(std::chrono::milliseconds{1}); a) {
                a->assign(20, 'z');
            }
        }
    });
}

void buffers() {
    auto pool = std::make_unique<linn::buffer_pool>(100'000);
    const auto write_and_reset = [](linn::buffer& b) {
        std::memset(b.data(), 1, 1000);
        b.reset();
    };
    exchanged<linn::buffer>([&] { return pool->acquire(); }, write_and_reset);
    linn_test::in_threads(3, [&] {
        pool->reserve(2);
        pool->trim();
        CHECK(pool->statistics().live < 1000);
    });
    box<linn::buffer> outlive;
    for (int i = 0; i != 20; ++i) {
        outlive.put(pool->acquire());
    }
    std::thread late{[&] {
        for (linn::buffer b; outlive.take(b);) {
            write_and_reset(b);
        }
    }};
    pool.reset();
    late.join();
}

void handed_local_pool() {
    auto pool = std::make_unique<linn::local_pool<item>>();
    std::mutex lock;
    linn_test::in_threads(3, [&] {
        for (int i = 0; i != rounds; ++i) {
            const std::lock_guard guard{lock};
            item* p = pool->create();
            p->numbers[0] = i;
            pool->destroy(p);
        }
    });
    std::thread{[last = std::move(pool)] { last->destroy(last->create()); }}.join();
}

item* raced_object = nullptr;
void race_on(item* p) {
    raced_object = p;
    linn_test::in_threads(3, [] {
        for (int i = 0; i != rounds; ++i) {
            *const_cast<volatile int*>(raced_object->numbers) = i;
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
    {"pool", &pool_objects, true},  {"exit", &threads_that_exit, true},
    {"limit", &limited_pool, true}, {"shared_ptr", &shared_pointers, true},
    {"resource", &resources, true}, {"recycler", &recyclers, true},
    {"buffers", &buffers, true},    {"local_pool", &handed_local_pool, true},
    {"race", &race, false},         {"recycler race", &race_in_a_recycler, false},
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
