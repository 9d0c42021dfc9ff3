// SPDX-License-Identifier: Apache-2.0
// Promise: where the system refuses memory, because of a limit on addresses (RLIMIT_AS) or on data (RLIMIT_DATA), every
// part of the library that asks for it throws std::bad_alloc; what was got before stays whole and counted, and once the limit is lifted
// everything goes on.
//
// Breaks when a part ignores a refusal, or loses what it had got already. In a child for each part and limit: the kernel
// refuses, several times in a row, and the objects are counted to the last one. See error_nth_request for
// each request that may fail, and for bulk calls.
#include "process.hpp"

#if defined(LINN_TEST_ASAN) || defined(LINN_TEST_TSAN)
int main() {
    return linn_test::skip("the tool's own shadow memory needs the address space");
}
#else

#include <linn/linn.hpp>

#include <sys/resource.h>

namespace {

using linn_test::mib;

struct item {
    item() noexcept {} // leaves all as it is
    unsigned char bytes[4000];
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

/// Runs `make`, which gives an object, or null, or throws.
template <class Make>
auto null_when_refused(Make&& make) noexcept -> decltype(make()) {
    try {
        return make();
    } catch (const std::bad_alloc&) {
        return {};
    }
}

/// Fills and empties a part of the library several times. Each object is filled with a number of its own.
template <class Take, class Give, class Live>
void exhaust(const limit& l, std::size_t bytes, Take&& take, Give&& give, Live&& live) {
    std::vector<void*> held;
    held.reserve(most + 200);
    const auto number = [](std::size_t i) { return static_cast<unsigned char>(i % 251); };
    const auto add = [&] {
        void* const p = null_when_refused(take);
        if (p != nullptr) {
            std::memset(p, number(held.size()), bytes);
            held.push_back(p);
        }
        return p != nullptr;
    };
    const rlim_t most_bytes = room_from_now(l);
    std::size_t first = 0;
    for (int round = 0; round < 3; ++round) {
        set(l, most_bytes);
        while (add()) {
            CHECK_AT_MOST(held.size(), most);
        }
        const std::size_t n = held.size();
        for (int again = 0; again < 5; ++again) {
            CHECK(!add());
        }
        set(l, RLIM_INFINITY);
        CHECK(n * bytes > room / (linn::detail::checked_build ? 8 : 4)); // guards are larger than the objects
        CHECK(live() == n);
        first = round == 0 ? n : first;
        CHECK_AT_MOST(first / 4 * 3, n); // what was lost would be missed
        for (int more = 0; more < 100; ++more) {
            CHECK(add());
        }
        CHECK(live() == n + 100);
        for (std::size_t i = 0; i < held.size(); ++i) {
            const auto* const p = static_cast<unsigned char*>(held[i]);
            CHECK(*p == number(i));
            CHECK(std::memcmp(p, p + 1, bytes - 1) == 0); // all are the same
            give(held[i]);
        }
        held.clear();
        CHECK(live() == 0);
    }
    linn_test::say("exhausted\n");
}

// --- the parts ---------------------------------------------------------------------------------------

void in_pool(const limit& l) {
    using pool = linn::pool<item>;
    exhaust(
        l, sizeof(item), [] { return pool::create(); }, [](void* p) { pool::destroy(static_cast<item*>(p)); },
        [] { return pool::statistics().live; });
}

/// Of which a pool takes many at once from its slabs, the last time fewer than it asks for.
struct small_item {
    small_item() noexcept {}
    unsigned char bytes[500];
};

void in_local_pool(const limit& l) {
    linn::local_pool<small_item> pool;
    exhaust(
        l, sizeof(small_item), [&] { return pool.create(); },
        [&](void* p) { pool.destroy(static_cast<small_item*>(p)); }, [&] { return pool.live(); });
}

template <std::size_t Bytes>
void in_resource(const limit& l) {
    linn::pool_resource resource;
    exhaust(
        l, Bytes, [&] { return resource.allocate(Bytes); }, [&](void* p) { resource.deallocate(p, Bytes); },
        [&] {
            std::size_t n = 0;
            for (const auto& s : resource.statistics()) {
                n += s.live;
            }
            return n;
        });
}

/// A thread uses each part for the first time when not even the C library has memory, which it needs to note what the thread
/// does at its end.
void first_use_in_a_thread(const limit& l) {
    linn::pool_resource resource;
    linn::recycler<small_item> recycler;
    linn::buffer_pool buffers{256 * linn_test::kib};
    const auto use_all = [&] {
        std::size_t served = 0;
        if (item* p = linn::pool<item>::try_allocate()) {
            linn::pool<item>::deallocate(p);
            ++served;
        }
        if (void* p = null_when_refused([&] { return resource.allocate(100); })) {
            resource.deallocate(p, 100);
            ++served;
        }
        served += recycler.try_acquire() != nullptr ? 1U : 0U;
        served += buffers.try_acquire() ? 1U : 0U;
        return served;
    };
    CHECK(use_all() == 4);
    item* const before = linn::pool<item>::allocate();
    std::thread{[&] {
        constexpr std::size_t most_blocks = 1 << 16;
        static void* blocks[most_blocks];
        std::size_t n = 0;
        set(l, room_from_now(l) - room);
        for (std::size_t bytes = mib; bytes >= 16; bytes /= 2) {
            while (n != most_blocks && (blocks[n] = std::malloc(bytes)) != nullptr) {
                ++n;
            }
        }
        CHECK(n != most_blocks);
        errno = 17;
        linn::pool<item>::deallocate(before);
        CHECK(errno == 17);
        CHECK_AT_MOST(use_all(), 4);
        while (n != 0) {
            std::free(blocks[--n]);
        }
        set(l, RLIM_INFINITY);
        CHECK(use_all() == 4);
        CHECK(!linn_test::cached() || linn::pool<item>::statistics().threads == 2);
    }}.join();
    CHECK(linn::pool<item>::statistics().live == 0);
    linn_test::say("exhausted\n");
}

struct part {
    const char* name;
    void (*run)(const limit&);
};
constexpr part parts[] = {
    {"pool", &in_pool},
    {"local_pool", &in_local_pool},
    {"pool_resource", &in_resource<4000>},
    {"pool_resource, large", &in_resource<300'000>},
    {"the first use in a thread", &first_use_in_a_thread},
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
