// SPDX-License-Identifier: Apache-2.0
// Promise: when the n-th request for memory fails, for every n, each function of the library throws std::bad_alloc
// (or gives null, where it says so) with nothing changed, and nothing lost; it succeeds when there is
// memory again. Giving back, trim() and statistics() of one pool work without any.
//
// Breaks when one request is forgotten, or memory that was got before it. Requests are those of the library and of
// the standard library together: see failing_requests.hpp, which checks that each operation failed at least once and
// completed at last.
#include "failing_requests.hpp"
#include "process_pool.hpp"

#include <linn/linn.hpp>

#include <memory_resource>

namespace {

using linn_test::attempt;
using linn_test::fail_each_request;
using linn_test::fail_each_request_of;
using linn_test::requests;

/// As many as need several slabs and magazines.
constexpr std::size_t many = 1000;
/// Enough where each is a request of its own.
constexpr std::size_t few = 12;

template <class Tag, std::size_t Bytes = 100>
struct item {
    item() = default;
    explicit item(int n) : number{n} {}
    int number = 1;
    char bytes[Bytes];
};
template <class T>
void mark(T* p, std::size_t i) {
    std::memcpy(static_cast<void*>(p), &i, sizeof i);
}
template <class T>
bool has_mark(const T* p, std::size_t i) {
    return std::memcmp(static_cast<const void*>(p), &i, sizeof i) == 0;
}

/// Runs `more(out)`, which adds one to `out`, until there are `many`; what was got before a failure stays whole.
template <class T, class More, class Drop>
bool get_many(attempt& a, More&& more, Drop&& drop) {
    std::vector<T*> got;
    got.reserve(many);
    const bool done = a.run([&] {
        while (got.size() != many) {
            T* p = more();
            if (p == nullptr) {
                return false;
            }
            got.push_back(p);
            mark(p, got.size());
        }
        return true;
    });
    const std::size_t before = got.size();
    for (std::size_t i = 0; i != got.size(); ++i) {
        CHECK(has_mark(got[i], i + 1));
    }
    if (T* p = more()) { // there is memory again
        got.push_back(p);
    }
    CHECK(got.size() == before + 1);
    // Giving back needs nothing.
    attempt nothing{0, true};
    CHECK(nothing.run([&] {
        for (T* p : got) {
            drop(p);
        }
    }));
    return done;
}

/// What all pools do. @param of_slabs whether reserve and for_each_live ask for anything here
template <class Pool>
void every_pool(const char* kind, requests of_slabs) {
    using object = typename Pool::value_type;
    const auto name = [kind](const char* function) { return std::string{kind} + "::" + function; };
    const auto one_by_one = [&](const char* function, const auto& take) {
        fail_each_request(name(function).c_str(), [&](attempt& a) {
            Pool p;
            return get_many<object>(a, [&] { return take(p); }, [&](object* o) { p.destroy(o); });
        });
    };
    one_by_one("allocate", [](Pool& p) { return p.allocate(); });
    one_by_one("try_allocate", [](Pool& p) { return p.try_allocate(); });
    one_by_one("create", [](Pool& p) { return p.create(7); });
    for (const std::size_t n : {std::size_t{1}, std::size_t{16}, std::size_t{17}, many}) {
        fail_each_request(name("allocate_n").c_str(), [n](attempt& a) {
            Pool p;
            std::vector<object*> out(n);
            const bool done = a.run([&] {
                const std::size_t live = p.statistics().live;
                try {
                    p.allocate_n(out);
                } catch (const std::bad_alloc&) {
                    CHECK(p.statistics().live == live); // all or none
                    throw;
                }
            });
            if (done) {
                p.deallocate_n(out);
            }
            return done;
        });
    }
    fail_each_request(name("reserve").c_str(), of_slabs, [](attempt& a) {
        Pool p;
        return a.run([&] {
            const std::size_t slabs = p.statistics().slabs;
            try {
                p.reserve(2 * many);
            } catch (const std::bad_alloc&) {
                CHECK(p.statistics().slabs == slabs);
                throw;
            }
        });
    });
    fail_each_request(name("for_each_live").c_str(), of_slabs, [](attempt& a) {
        Pool p;
        std::vector<object*> live(many);
        p.allocate_n(live);
        std::size_t seen = 0;
        const bool done = a.run([&] { return p.for_each_live([&](object&) { ++seen; }) >= many; });
        CHECK(done ? seen >= many : seen == 0); // those that are held back count, too
        p.deallocate_n(live);
        return done;
    });
    fail_each_request(name("trim, statistics").c_str(), requests::none, [](attempt& a) {
        Pool p;
        p.deallocate(p.allocate());
        return a.run([&] {
            p.trim();
            static_cast<void>(p.statistics());
        });
    });
}

void pools() {
    constexpr linn::pool_options small_slabs{.slab_bytes = 1 << 14}; // of which `many` need some
    struct shared;
    struct local;
    every_pool<linn_test::process_pool<item<shared>, small_slabs>>(
        "pool", linn_test::in_slabs() ? requests::some : requests::perhaps);
    every_pool<linn::local_pool<item<local>, small_slabs>>("local_pool", requests::some);
    // A thread that begins and ends with nothing to be had.
    struct born;
    fail_each_request("a thread's first object", [](attempt& a) {
        item<born>* p = nullptr;
        const bool done = a.run([&] {
            p = linn::pool<item<born>>::try_allocate();
            return p != nullptr;
        });
        if (done) {
            linn::pool<item<born>>::deallocate(p);
        }
        linn_test::request_counter::until_failure = 0; // to the end of the thread
        linn_test::request_counter::all_later_ones = true;
        return done;
    });
    fail_each_request("local_pool::release", requests::none, [](attempt& a) {
        linn::local_pool<item<local>> p;
        std::vector<item<local>*> out(many);
        p.allocate_n(out);
        return a.run([&] {
            p.release();
            return p.statistics().live == 0;
        });
    });
    fail_each_request("fixed_pool", requests::none, [](attempt& a) {
        static linn::fixed_pool<item<local>, 50> p;
        return a.run([] {
            std::array<item<local>*, 50> out{};
            p.allocate_n(out);
            CHECK(p.try_allocate() == nullptr);
            bool thrown = false;
            try {
                static_cast<void>(p.allocate());
            } catch (const std::bad_alloc&) {
                thrown = true;
            }
            p.deallocate_n(out);
            return thrown && p.empty();
        });
    });
}

/// `make` gives an owner, of which one after the other is made until it fails.
template <class Make>
void owners(const char* what, Make&& make) {
    fail_each_request(what, [&](attempt& a) {
        std::vector<decltype(make())> all;
        all.reserve(few);
        return a.run([&] {
            while (all.size() != few) {
                all.push_back(make());
            }
            all.clear();
        });
    });
}

void smart_pointers() {
    struct shared;
    struct unique;
    struct array;
    using s = item<shared, 1000>;
    using u = item<unique, 1000>;
    owners("make_shared", [] { return linn::make_shared<s>(5); });
    owners("make_shared, value", [] { return linn::make_shared<s>(linn::value_initialize); });
    owners("make_shared_for_overwrite", [] { return linn::make_shared_for_overwrite<s>(); });
    owners("make_shared of a bounded array", [] { return linn::make_shared<s[3]>(linn::value_initialize); });
    owners("make_shared_for_overwrite of a bounded array",
           [] { return linn::make_shared_for_overwrite<s[3]>(); });
    owners("make_shared of an array", [] { return linn::make_shared<s[]>(3, linn::value_initialize); });
    owners("make_shared_for_overwrite of an array", [] { return linn::make_shared_for_overwrite<s[]>(3); });
    owners("allocate_shared", [] { return std::allocate_shared<s>(linn::allocator<s>{}, 5); });
    owners("make_unique", [] { return linn::make_unique<u>(5); });
    owners("make_unique, value", [] { return linn::make_unique<u>(linn::value_initialize); });
    owners("make_unique_for_overwrite", [] { return linn::make_unique_for_overwrite<u>(); });
    owners("make_unique of an array", [] { return linn::make_unique<u[]>(3, linn::value_initialize); });
    owners("make_unique_for_overwrite of an array", [] { return linn::make_unique_for_overwrite<u[]>(3); });
}

struct animal : linn::pooled<animal> {
    virtual ~animal() = default;
    char bytes[1000];
};
struct whale : animal {
    char more[5000];
};
struct alignas(128) aligned : linn::pooled<aligned> {
    char bytes[512];
};

void pooled_classes() {
    owners("new of a pooled class", [] { return std::unique_ptr<animal>{new animal}; });
    owners("new of a derived class", [] { return std::unique_ptr<animal>{new whale}; });
    owners("new of an aligned class", [] { return std::unique_ptr<aligned>{new aligned}; });
    owners("new of an array", [] { return std::unique_ptr<animal[]>{new animal[3]}; });
    fail_each_request("new that does not throw", [](attempt& a) {
        std::vector<std::unique_ptr<animal>> all;
        all.reserve(few);
        return a.run([&] {
            while (all.size() != few) {
                all.emplace_back(new (std::nothrow) animal);
                if (all.back() == nullptr) {
                    return false;
                }
            }
            return true;
        });
    });
}

/// Sizes of slabs of all kinds, of blocks, and with much alignment; what was got before a failure stays whole.
void resource(const char* what, std::pmr::memory_resource* upstream) {
    struct request {
        std::size_t bytes, align;
    };
    static constexpr request sizes[] = {{0, 1},         {1, 1},        {24, 8},      {200, 64},
                                        {1500, 8},      {9000, 16},    {40'000, 64}, {600, 4096},
                                        {900'000, 128}, {3'000'000, 8}};
    fail_each_request(what, [upstream](attempt& a) {
        struct block {
            void* p;
            request asked;
        };
        linn::pool_resource r{upstream};
        std::vector<block> got;
        got.reserve(1000);
        const bool done = a.run([&] {
            for (std::size_t i = 0; i != 20; ++i) {
                for (const request& s : sizes) {
                    if (s.bytes < 100'000 || i < 2) {
                        got.push_back({r.allocate(s.bytes, s.align), s});
                        if (s.bytes >= sizeof i) {
                            std::memcpy(got.back().p, &i, sizeof i);
                        }
                    }
                }
            }
        });
        attempt nothing{0, true};
        CHECK(nothing.run([&] {
            for (const block& b : got) {
                r.deallocate(b.p, b.asked.bytes, b.asked.align);
            }
            r.trim();
        }));
        for (const linn::pool_statistics& s : r.statistics()) {
            CHECK(s.live == 0);
        }
        return done;
    });
    fail_each_request("pool_resource::statistics", [upstream](attempt& a) {
        linn::pool_resource r{upstream};
        void* slot = r.allocate(10);
        void* block = r.allocate(9'000'000);
        const bool done = a.run([&] { return !r.statistics().empty(); });
        r.deallocate(slot, 10);
        r.deallocate(block, 9'000'000);
        return done;
    });
}

void resources() {
    resource("pool_resource", nullptr);
    resource("pool_resource with an upstream", std::pmr::new_delete_resource());
    fail_each_request_of("a pool_resource begins and ends", [] {
        linn::pool_resource brief;
        static_cast<void>(brief.allocate(100));
        static_cast<void>(brief.allocate(5'000'000));
        brief.release();
        static_cast<void>(brief.allocate(100));
    });
}

struct record {
    int number = 3;
    char bytes[900];
};

using recycler = linn::recycler<record>;

/// `make(r)` gives an owner of an object, or null; many are made until one is not to be had.
template <class Make>
void acquire_many(const char* what, std::size_t capacity, Make&& make) {
    fail_each_request(what, [&](attempt& a) {
        recycler r{capacity};
        std::vector<decltype(make(r))> all;
        all.reserve(300);
        const bool done = a.run([&] {
            while (all.size() != 300) {
                auto owner = make(r);
                if (owner == nullptr) {
                    return false;
                }
                all.push_back(std::move(owner));
            }
            return true;
        });
        CHECK(r.live() == all.size());
        attempt nothing{0, true};
        CHECK(nothing.run([&] { all.clear(); }));
        CHECK(r.live() == 0 && r.idle() <= capacity);
        return done;
    });
}

void recyclers() {
    fail_each_request_of("a recycler begins", [] {
        recycler r{{.capacity = 50, .prefill = 20, .reset = [](record& x) { x.number = 3; }}};
        return r.idle() == 20;
    });
    acquire_many("recycler::acquire", 50, [](recycler& r) { return r.acquire(); });
    acquire_many("recycler::try_acquire", 0, [](recycler& r) { return r.try_acquire(); });
    acquire_many("recycler::acquire_shared", 50, [](recycler& r) { return r.acquire_shared(); });
    fail_each_request("recycler::prefill", [](attempt& a) {
        recycler r{200};
        const bool done = a.run([&] { return r.prefill(200) == 200; });
        CHECK(r.live() == 0 && (!done || r.idle() == 200));
        return done;
    });
    fail_each_request("recycler::trim of what other threads cache", requests::none, [](attempt& a) {
        constexpr std::size_t threads = 8;
        constexpr std::size_t each = 20; // less than a cache holds
        recycler r{1024};
        std::atomic<std::size_t> holding{0};
        linn_test::in_threads(threads, [&] {
            std::vector<recycler::handle> held;
            for (std::size_t i = 0; i != each; ++i) {
                held.push_back(r.acquire());
            }
            ++holding; // all at once: each has its own cache, and no object is idle
            linn_test::wait_until([&] { return holding == threads; });
        });
        CHECK(r.idle() == threads * each);
        return a.run([&] { return r.trim() == threads * each; });
    });
    fail_each_request_of("recycler whose create throws", [] {
        recycler r{{.create = []() -> record {
            auto p = std::make_unique<record>(); // may fail, too
            return *p;
        }}};
        return r.acquire()->number == 3;
    });
}

void buffers() {
    constexpr std::size_t bytes = 100'000;
    fail_each_request("buffer_pool::acquire", [](attempt& a) {
        linn::buffer_pool p{bytes};
        std::vector<linn::buffer> all;
        all.reserve(few);
        const bool done = a.run([&] {
            while (all.size() != few) {
                all.push_back(p.acquire());
            }
        });
        CHECK(p.statistics().live == all.size());
        return done;
    });
    fail_each_request_of("a buffer_pool begins, try_acquire", [] {
        linn::buffer_pool p{bytes};
        return static_cast<bool>(p.try_acquire());
    });
    owners("buffer_pool::acquire_shared", [] {
        linn::buffer_pool brief{bytes};
        return brief.acquire_shared();
    });
    fail_each_request("buffer::share", [](attempt& a) {
        linn::buffer_pool p{bytes};
        linn::buffer b = p.acquire();
        const bool done = a.run([&] { return std::move(b).share() != nullptr; });
        CHECK(p.statistics().live == 0); // a failure gives it back, as for any shared_ptr
        return done;
    });
    fail_each_request("buffer_pool::make_shared_for_overwrite", [](attempt& a) {
        linn::buffer_pool p{bytes};
        const bool done = a.run([&] { return p.make_shared_for_overwrite<record>()->number == 3; });
        CHECK(p.statistics().live == 0);
        return done;
    });
    fail_each_request("buffer_pool::reserve", [](attempt& a) {
        linn::buffer_pool p{bytes, {.prefault = true}};
        return a.run([&] { p.reserve(few); });
    });
    fail_each_request("buffer_pool::trim, reset", requests::none, [](attempt& a) {
        linn::buffer_pool p{bytes};
        linn::buffer b = p.acquire();
        return a.run([&] {
            b.reset();
            p.trim();
            return p.statistics().live == 0;
        });
    });
}

void reports() {
    struct reported;
    auto* alive = linn::pool<item<reported>>::create();
    const auto all = linn::statistics();
    fail_each_request_of("statistics", [] { return !linn::statistics().empty(); });
    fail_each_request_of("to_json", [&] { return !linn::to_json(all).empty(); });
    fail_each_request_of("to_table", [&] { return !linn::to_table(all).empty(); });
    fail_each_request_of("to_openmetrics", [&] { return !linn::to_openmetrics(all).empty(); });
    fail_each_request_of("leak_report", [] { return !linn::leak_report().empty(); });
    fail_each_request_of("node_types", [] { return !linn::node_types<linn::map<int, int>>().empty(); });
    linn::pool<item<reported>>::destroy(alive);
}

} // namespace

int main() {
    if (linn_test::on_memcheck()) {
        return linn_test::skip("memory is not refused under Memcheck");
    }
    pools();
    smart_pointers();
    pooled_classes();
    resources();
    recyclers();
    buffers();
    reports();
}
