// SPDX-License-Identifier: Apache-2.0
// Where the slabs of a pool_resource lie: the classes spread over the sets of the TLB, slots stay aligned, and what a resource
// leaves for the next one serves those that want it.
#include "unit.hpp"

#include <linn/memory_resource.hpp>

namespace memory_resource_places_tests {

namespace detail = linn::detail;
using linn::pool_resource;

constexpr std::size_t kib = 1024;
constexpr std::size_t page = detail::page_bytes;

std::uintptr_t address(const void* p) {
    return reinterpret_cast<std::uintptr_t>(p);
}

bool pools_blocks() {
    return !detail::sanitizer_bypass && !detail::checked_build && !detail::running_on_memcheck();
}

TEST_CASE("the first slabs of the classes lie at different pages of the TLB's sets") {
    if (!pools_blocks() || detail::system_pages::offset_step() != page) {
        return;
    }
    constexpr std::size_t sets = 128; // of 12 or 16 entries, on Intel's and AMD's processors
    pool_resource r;
    std::vector<std::size_t> in_set(sets);
    std::size_t most = 0;
    for (unsigned c = 0; detail::class_bytes(c) <= 4 * kib; ++c) {
        const void* p = r.allocate(detail::class_bytes(c));
        most = std::max(most, ++in_set[address(p) / page % sets]);
    }
    CHECK(most <= 2);
}

TEST_CASE("a chunk that a resource left serves every request of its size and its place") {
    static constinit detail::spare_chunks chunks{detail::this_module};
    auto* const memory = reinterpret_cast<std::byte*>(std::uintptr_t{16} << 20);
    const detail::spare_chunks::chunk one{memory + 5 * page, 64 * kib, 1024 * kib};
    CHECK(chunks.keep(one).memory == nullptr);
    CHECK(chunks.take(64 * kib, 1024 * kib, 0) == nullptr);
    CHECK(chunks.take(64 * kib, 512 * kib, 5 * page) == nullptr);
    CHECK(chunks.take(32 * kib, 1024 * kib, 5 * page) == nullptr);
    CHECK(chunks.take(64 * kib, 1024 * kib, 5 * page) == one.memory);
    CHECK(chunks.take(64 * kib, 1024 * kib, 5 * page) == nullptr);
}

TEST_CASE("chunks that nobody asks for do not keep others out") {
    static constinit detail::spare_chunks chunks{detail::this_module};
    auto* const memory = reinterpret_cast<std::byte*>(std::uintptr_t{16} << 20);
    const auto chunk_of = [&](std::size_t place) {
        return detail::spare_chunks::chunk{memory + place * page, 64 * kib, 1024 * kib};
    };
    std::size_t kept = 0;
    while (chunks.keep(chunk_of(kept)).memory == nullptr) {
        ++kept;
    }
    std::set<void*> gone;
    for (std::size_t i = 0; i < kept; ++i) {
        const std::size_t place = 100 + i;
        gone.insert(chunks.keep(chunk_of(place)).memory);
        CHECK(chunks.take(64 * kib, 1024 * kib, place * page) == chunk_of(place).memory);
        CHECK(chunks.keep(chunk_of(place)).memory == nullptr);
    }
    CHECK(gone.size() == kept); // each of the older ones went, none twice
    const detail::spare_chunks::chunk large{memory, 128 * kib, 1024 * kib};
    CHECK(chunks.keep(large).memory == large.memory);
    std::size_t left = 0;
    chunks.drop([&](void*, std::size_t, std::size_t) { ++left; });
    CHECK(left == kept);
}

} // namespace memory_resource_places_tests
