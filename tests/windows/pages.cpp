// SPDX-License-Identifier: Apache-2.0
// Promise: slabs from Windows are aligned, zeroed, given back whole, and discarded pages read as zero
// and can be written to at once; with many threads asking at the same time.
//
// Breaks when the aligned part of a reservation is taken by another thread between two calls, when only the
// part is released, or when pages stay decommitted.
#include "process.hpp"

#include <linn/detail/os/system.hpp>

namespace {

using pages = linn::detail::system_pages;
namespace windows = linn::detail::windows;

constexpr std::size_t align = 2 * linn_test::mib;

bool all_are(const std::byte* p, std::size_t n, int value) {
    for (std::size_t i = 0; i < n; ++i) {
        if (p[i] != static_cast<std::byte>(value)) {
            return false;
        }
    }
    return true;
}

void one() {
    for (const std::size_t bytes : {std::size_t{65536}, align, 3 * align}) {
        auto* p = static_cast<std::byte*>(pages::map(bytes, align));
        CHECK(p != nullptr && reinterpret_cast<std::uintptr_t>(p) % align == 0);
        CHECK(all_are(p, bytes, 0));
        CHECK(pages::readable(p) && pages::readable(p + bytes - 4096));
        std::memset(p, 1, bytes);
        CHECK(pages::discard(p + 4096, bytes - 8192));
        CHECK(all_are(p, 4096, 1) && all_are(p + 4096, bytes - 8192, 0) &&
              all_are(p + bytes - 4096, 4096, 1));
        std::memset(p, 2, bytes);
        pages::unmap(p, bytes, align);
        CHECK(!pages::readable(p));
        windows::region r;
        CHECK(windows::query(p, r) && r.state != windows::mem_commit && r.state != windows::mem_reserve);
    }
}

void many() {
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([] {
            for (int round = 0; round < 50; ++round) {
                void* held[4];
                for (void*& p : held) {
                    p = pages::map(65536, align);
                    CHECK(p != nullptr && reinterpret_cast<std::uintptr_t>(p) % align == 0);
                    std::memset(p, round, 65536);
                }
                for (void* p : held) {
                    CHECK(all_are(static_cast<std::byte*>(p), 65536, round));
                    pages::unmap(p, 65536, align);
                }
            }
        });
    }
    for (std::thread& t : threads) {
        t.join();
    }
}

} // namespace

int main() {
    one();
    many();
    CHECK(pages::map(SIZE_MAX - 4096, align) == nullptr);
    CHECK(pages::map(SIZE_MAX / 4, align) == nullptr);
    CHECK(!pages::readable(nullptr));
}
