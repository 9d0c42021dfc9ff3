// SPDX-License-Identifier: Apache-2.0
// Promise: where the system refuses memory, because of a limit on addresses (RLIMIT_AS) or on data (RLIMIT_DATA), every
// part of the library throws std::bad_alloc, or gives null where it says so; what was got before stays whole and counted,
// and once the limit is lifted everything goes on.
//
// Breaks when a part ignores a refusal, or loses what it had got already. In a child for each part and limit: the kernel
// refuses, several times in a row, and the objects are counted to the last one. See error_address_limit for bulk
// calls, and error_nth_request for each request that may fail.
#include "process.hpp"

#if defined(LINN_TEST_ASAN) || defined(LINN_TEST_TSAN)
int main() {
    return linn_test::skip("the tool's own shadow memory needs the address space");
}
#else

#include <linn/linn.hpp>

#include <sys/resource.h>

#include <cstring>
#include <list>
#include <memory>
#include <memory_resource>
#include <new>
#include <utility>
#include <vector>

namespace {

using linn_test::mib;

struct item {
    item() noexcept {} // leaves all as it is
    unsigned char bytes[4000];
};
struct pooled_item : linn::pooled<pooled_item> {
    pooled_item() noexcept {}
    unsigned char bytes[5000];
};

constexpr std::size_t room = 10 * mib;
constexpr std::size_t most = 100 * mib / sizeof(item);

struct limit {
    const char* name;
    decltype(RLIMIT_AS) which;
    int field; ///< of /proc/self/statm: what counts for it
};
constexpr limit limits[] = {{"RLIMIT_AS", RLIMIT_AS, 0}, {"RLIMIT_DATA", RLIMIT_DATA, 5}};

/// What may be in use so that `room` is left now.
rlim_t room_from_now(const limit& l) {
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    CHECK(file != nullptr);
    std::size_t pages[6] = {};
    for (std::size_t& n : pages) {
        CHECK(std::fscanf(file, "%zu", &n) == 1);
    }
    std::fclose(file);
    return pages[l.field] * 4096 + room;
}

void set(const limit& l, rlim_t bytes) {
    rlimit now{};
    CHECK(::getrlimit(l.which, &now) == 0);
    now.rlim_cur = bytes < now.rlim_max ? bytes : now.rlim_max;
    CHECK(::setrlimit(l.which, &now) == 0);
}

/// Everything that pools of the process have handed out.
std::size_t all_live() {
    std::size_t n = 0;
    for (const auto& s : linn::statistics()) {
        n += s.live;
    }
    return n;
}

/// Fills and empties `part` several times: add() adds an object, or says that there is none to be had.
template <class Part>
void exhaust(const limit& l) {
    Part part;
    const rlim_t bytes = room_from_now(l);
    std::size_t first = 0;
    for (int round = 0; round < 3; ++round) {
        set(l, bytes);
        std::size_t n = 0;
        while (part.add()) {
            ++n;
            CHECK_AT_MOST(n, most);
        }
        for (int again = 0; again < 5; ++again) {
            CHECK(!part.add());
        }
        set(l, RLIM_INFINITY);
        CHECK(n * part.bytes >
              room / (linn::detail::checked_build ? 8 : 4)); // guards are larger than the objects
        CHECK(part.live() == n);
        first = round == 0 ? n : first;
        CHECK_AT_MOST(first / 4 * 3, n); // what was lost would be missed
        for (int more = 0; more < 100; ++more) {
            CHECK(part.add());
        }
        CHECK(part.live() == n + 100);
        part.check_whole();
        part.drop();
        CHECK(part.live() == 0);
    }
    linn_test::say("exhausted\n");
}

/// Runs `make`, which gives an object, or null, or throws.
template <class Make>
auto null_when_refused(Make&& make) noexcept -> decltype(make()) {
    try {
        return make();
    } catch (const std::bad_alloc&) {
        return {};
    }
}

/// Holds what make() gives; each object is filled with a number of its own.
template <class Pointer, std::size_t Bytes = sizeof(item)>
struct holder {
    static constexpr std::size_t bytes = Bytes;
    std::vector<Pointer> held = with_room();

    static std::vector<Pointer> with_room() {
        std::vector<Pointer> v;
        v.reserve(most + 200);
        return v;
    }
    static unsigned char* begin(const Pointer& p) {
        return static_cast<unsigned char*>(static_cast<void*>(&*p));
    }
    static unsigned char number(std::size_t i) { return static_cast<unsigned char>(i % 251); }

    template <class Make>
    bool add_from(Make&& make) {
        Pointer p = null_when_refused(make);
        if (p == nullptr) {
            return false;
        }
        std::memset(begin(p), number(held.size()), Bytes);
        held.push_back(std::move(p));
        return true;
    }
    void check_whole() const {
        for (std::size_t i = 0; i < held.size(); ++i) {
            CHECK(*begin(held[i]) == number(i));
            CHECK(std::memcmp(begin(held[i]), begin(held[i]) + 1, Bytes - 1) == 0); // all are the same
        }
    }
    template <class Free>
    void drop_by(Free&& free) {
        for (Pointer& p : held) {
            free(p);
        }
        held.clear();
    }
};

// --- the parts ---------------------------------------------------------------------------------------

template <bool Throwing>
struct in_pool : holder<item*> {
    using pool = linn::pool<item>;
    bool add() {
        return add_from([] { return Throwing ? pool::create() : pool::try_allocate(); });
    }
    void drop() {
        drop_by([](item* p) { pool::destroy(p); });
    }
    std::size_t live() { return pool::statistics().live; }
};

/// Of which a pool takes many at once from its slabs, the last time fewer than it asks for.
struct small_item {
    small_item() noexcept {}
    unsigned char bytes[500];
};

template <bool Throwing>
struct in_local_pool : holder<small_item*, sizeof(small_item)> {
    linn::local_pool<small_item> pool;
    bool add() {
        return add_from([&] { return Throwing ? pool.create() : pool.try_allocate(); });
    }
    void drop() {
        drop_by([&](small_item* p) { pool.destroy(p); });
    }
    std::size_t live() { return pool.live(); }
};

struct by_pooled_new : holder<pooled_item*, sizeof(pooled_item)> {
    bool add() {
        return add_from([] { return new pooled_item; });
    }
    void drop() {
        drop_by([](pooled_item* p) { delete p; });
    }
    std::size_t live() { return all_live(); }
};
struct by_pooled_new_nothrow : by_pooled_new {
    bool add() {
        return add_from([] { return new (std::nothrow) pooled_item; });
    }
};

struct by_make_shared : holder<std::shared_ptr<item>> {
    bool add() {
        return add_from([] { return linn::make_shared_for_overwrite<item>(); });
    }
    void drop() { held.clear(); }
    std::size_t live() { return all_live(); }
};
struct by_make_unique : holder<linn::unique_ptr<item>> {
    bool add() {
        return add_from([] { return linn::make_unique_for_overwrite<item>(); });
    }
    void drop() { held.clear(); }
    std::size_t live() { return all_live(); }
};

/// A container of large objects; a failed insertion has changed nothing.
template <class Container>
struct in_container {
    static constexpr std::size_t bytes = sizeof(item);
    Container all;
    bool add() {
        const std::size_t n = all.size();
        try {
            const auto key = static_cast<int>(n);
            if constexpr (requires { all.emplace_back(); }) {
                all.emplace_back().bytes[0] = static_cast<unsigned char>(n);
            } else {
                all.try_emplace(key).first->second.bytes[0] = static_cast<unsigned char>(n);
            }
            return true;
        } catch (const std::bad_alloc&) {
            CHECK(all.size() == n);
            return false;
        }
    }
    void check_whole() {
        std::size_t n = 0;
        if constexpr (requires { all.emplace_back(); }) {
            for (const item& i : all) {
                CHECK(i.bytes[0] == static_cast<unsigned char>(n++));
            }
        } else {
            for (const auto& [key, i] : all) {
                CHECK(i.bytes[0] == static_cast<unsigned char>(key));
                ++n;
            }
        }
        CHECK(n == all.size());
    }
    void drop() { all.clear(); }
    std::size_t live() { return all_live(); }
};

template <std::size_t Bytes>
struct in_resource : holder<unsigned char*, Bytes> {
    linn::pool_resource resource;
    bool add() {
        return this->add_from([&] { return static_cast<unsigned char*>(resource.allocate(Bytes)); });
    }
    void drop() {
        this->drop_by([&](unsigned char* p) { resource.deallocate(p, Bytes); });
    }
    std::size_t live() {
        std::size_t n = 0;
        for (const auto& s : resource.statistics()) {
            n += s.live;
        }
        return n;
    }
};

struct in_pmr_list : in_container<std::pmr::list<item>> {
    in_pmr_list() : in_container{std::pmr::list<item>{linn::default_pool_resource()}} {}
    std::size_t live() {
        std::size_t n = 0;
        for (const auto& s : linn::default_pool_resource()->statistics()) {
            n += s.live;
        }
        return n;
    }
};

template <bool Throwing>
struct in_recycler : holder<linn::recycler<item>::handle> {
    linn::recycler<item> recycler{0}; // keeps none: each comes from the pool
    ~in_recycler() { held.clear(); }
    in_recycler() = default;
    in_recycler(const in_recycler&) = delete;
    in_recycler& operator=(const in_recycler&) = delete;
    bool add() {
        return add_from([&] { return Throwing ? recycler.acquire() : recycler.try_acquire(); });
    }
    void drop() { held.clear(); }
    std::size_t live() { return recycler.live(); }
};
struct shared_from_recycler : holder<std::shared_ptr<item>> {
    linn::recycler<item> recycler;
    bool add() {
        return add_from([&] { return recycler.acquire_shared(); });
    }
    void drop() { held.clear(); }
    std::size_t live() { return recycler.live(); }
};

constexpr std::size_t buffer_bytes = 256 * linn_test::kib;

template <bool Throwing>
struct in_buffer_pool {
    static constexpr std::size_t bytes = buffer_bytes;
    linn::buffer_pool pool{buffer_bytes};
    std::vector<linn::buffer> held;
    in_buffer_pool() { held.reserve(most); }
    bool add() {
        linn::buffer b = null_when_refused([&] { return Throwing ? pool.acquire() : pool.try_acquire(); });
        if (!b) {
            return false;
        }
        b.span().back() = static_cast<std::byte>(held.size());
        held.push_back(std::move(b));
        return true;
    }
    void check_whole() {
        for (std::size_t i = 0; i < held.size(); ++i) {
            CHECK(held[i].span().back() == static_cast<std::byte>(i));
        }
    }
    void drop() { held.clear(); }
    std::size_t live() { return pool.statistics().live; }
};
struct shared_buffers : holder<std::shared_ptr<std::byte[]>, 1> {
    static constexpr std::size_t bytes = buffer_bytes;
    linn::buffer_pool pool{buffer_bytes};
    bool add() {
        std::shared_ptr<std::byte[]> p = null_when_refused([&] { return pool.acquire_shared(); });
        if (p != nullptr) {
            p[buffer_bytes - 1] = static_cast<std::byte>(held.size());
            held.push_back(std::move(p));
            return true;
        }
        return false;
    }
    void check_whole() {
        for (std::size_t i = 0; i < held.size(); ++i) {
            CHECK(held[i][buffer_bytes - 1] == static_cast<std::byte>(i));
        }
        CHECK(all_live() == 2 * held.size()); // the buffers and their control blocks
    }
    void drop() { held.clear(); }
    std::size_t live() { return pool.statistics().live; }
};

struct part {
    const char* name;
    void (*run)(const limit&);
};
constexpr part parts[] = {
    {"pool", &exhaust<in_pool<true>>},
    {"pool, null", &exhaust<in_pool<false>>},
    {"local_pool", &exhaust<in_local_pool<true>>},
    {"local_pool, null", &exhaust<in_local_pool<false>>},
    {"pooled", &exhaust<by_pooled_new>},
    {"pooled, null", &exhaust<by_pooled_new_nothrow>},
    {"make_shared", &exhaust<by_make_shared>},
    {"make_unique", &exhaust<by_make_unique>},
    {"list", &exhaust<in_container<linn::list<item>>>},
    {"map", &exhaust<in_container<linn::map<int, item>>>},
    {"unordered_map", &exhaust<in_container<linn::unordered_map<int, item>>>},
    {"pool_resource", &exhaust<in_resource<4000>>},
    {"pool_resource, large", &exhaust<in_resource<300'000>>},
    {"pmr::list", &exhaust<in_pmr_list>},
    {"recycler", &exhaust<in_recycler<true>>},
    {"recycler, null", &exhaust<in_recycler<false>>},
    {"recycler, shared", &exhaust<shared_from_recycler>},
    {"buffer_pool", &exhaust<in_buffer_pool<true>>},
    {"buffer_pool, null", &exhaust<in_buffer_pool<false>>},
    {"buffer_pool, shared", &exhaust<shared_buffers>},
};

} // namespace

int main() {
    if (linn_test::on_memcheck()) {
        return linn_test::skip("Memcheck needs the address space itself");
    }
    for (const limit& l : limits) {
        for (const part& p : parts) {
            const auto child = linn_test::run_child([&] { p.run(l); });
            const std::string what = std::string{l.name} + ", " + p.name;
            child.expect(child.exited_with(0) && child.says("exhausted"), what.c_str());
        }
    }
}
#endif
