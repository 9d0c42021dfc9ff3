// SPDX-License-Identifier: Apache-2.0
// Promise: a million live objects of 24 bytes take at most 1.03 times their payload; a type with ten
// objects costs less than 64 KiB; a fresh pool, and reserve() of a huge number, touch no page of the
// objects.
//
// Breaks with headers or links in objects, with rounding of sizes, and with slabs that are filled or
// linked when they are made. RSS is measured as well as the pool's own numbers, so these cannot lie, and
// the objects are written, so they are there.
#include "process.hpp"

#include <linn/linn.hpp>

namespace {

struct small {
    char bytes[24];
};
template <int>
struct rare {
    char bytes[40];
};
struct reserved {
    char bytes[64];
};

template <int Id>
void use_ten() {
    static rare<Id>* objects[10]; // half of them stay alive, and reachable
    for (auto*& object : objects) {
        object = linn::pool<rare<Id>>::create();
        std::memset(object->bytes, 1, sizeof object->bytes);
    }
    if (Id % 2 == 0) {
        for (auto* object : objects) {
            linn::pool<rare<Id>>::destroy(object);
        }
    }
    CHECK_AT_MOST(linn::pool<rare<Id>>::statistics().resident_bytes, 64 * linn_test::kib);
}

template <int... Ids>
void use_many_types(std::integer_sequence<int, Ids...>) {
    (use_ten<Ids>(), ...);
}

void million() {
    const std::size_t count = linn_test::scaled(1'000'000);
    const std::size_t payload = count * sizeof(small);
    std::vector<small*> objects(count);
    std::memset(static_cast<void*>(objects.data()), 1, count * sizeof(small*));
    const std::size_t before = linn_test::rss_bytes();
    for (small*& object : objects) {
        object = linn::pool<small>::create();
        std::memset(object->bytes, 1, sizeof object->bytes);
    }
    const auto s = linn::pool<small>::statistics();
    CHECK(s.live == count);
    // The constant is for magazines and depot; at full size it is nothing.
    const double slots = static_cast<double>(count * s.slot_bytes); // the payload, and guards where checked
    const double bound = 1.03 * slots + (count < 1'000'000 ? 256.0 * 1024 : 0);
    if (linn_test::in_slabs()) {
        CHECK(s.resident_bytes >= payload);
        CHECK_AT_MOST(s.resident_bytes, bound);
    }
    if (linn_test::rss_is_ours()) {
        const std::size_t grown = linn_test::grown(linn_test::rss_bytes(), before);
        CHECK(grown + 64 * linn_test::kib >= payload);
        CHECK_AT_MOST(grown, bound);
    }
    linn::pool<small>::deallocate_n(objects);
}

void huge_reserve() {
    if (linn_test::asan || linn_test::on_memcheck()) {
        return; // slabs are not used there
    }
    // 4 GiB of objects, or an eighth of the addresses; slots are larger than objects where these have guards.
    constexpr auto bytes =
        static_cast<std::size_t>(sizeof(void*) == 8 ? std::uint64_t{4} << 30 : SIZE_MAX / 8);
    const std::size_t count = bytes / linn::pool<reserved>::statistics().slot_bytes;
    const std::size_t before = linn_test::rss_bytes();
    linn::pool<reserved>::reserve(count);
    const auto s = linn::pool<reserved>::statistics();
    CHECK(s.reserved_bytes >= count * sizeof(reserved));
    CHECK(s.live == 0);
    // A page a slab holds its header; slabs are 2 MiB, or 256 KiB where addresses are 32 bits wide.
    const std::size_t headers = s.slabs * 4096;
    CHECK_AT_MOST(headers, count * s.slot_bytes / (sizeof(void*) == 8 ? 256 : 32));
    CHECK_AT_MOST(s.resident_bytes, headers);
    if (linn_test::rss_is_ours()) {
        // The kernel may make a huge page of a slab behind our back.
        CHECK_AT_MOST(linn_test::grown(linn_test::rss_bytes(), before), headers + 8 * linn_test::mib);
    }
    // And it is usable.
    auto* object = linn::pool<reserved>::create();
    CHECK(linn::pool<reserved>::statistics().reserved_bytes == s.reserved_bytes);
    linn::pool<reserved>::destroy(object);
}

void fresh_pool() {
    struct fresh {
        char bytes[1000];
    };
    const std::size_t before = linn_test::rss_bytes();
    auto* object = linn::pool<fresh>::create();
    if (linn_test::rss_is_ours()) {
        // Code, stack and header pages included.
        constexpr std::size_t most = sizeof(void*) == 8 ? 64 : 96; // where the loader maps less code ahead
        CHECK_AT_MOST(linn_test::grown(linn_test::rss_bytes(), before), most * linn_test::kib);
    }
    linn::pool<fresh>::destroy(object);
}

void many_types() {
    constexpr int types = 20;
    const std::size_t before = linn_test::rss_bytes();
    use_many_types(std::make_integer_sequence<int, types>{});
    if (linn_test::rss_is_ours()) {
        CHECK_AT_MOST(linn_test::grown(linn_test::rss_bytes(), before), types * 64 * linn_test::kib);
    }
}

} // namespace

int main() {
    million();
    fresh_pool();
    many_types();
    huge_reserve();
}
