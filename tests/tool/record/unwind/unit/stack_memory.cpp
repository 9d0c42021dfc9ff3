// SPDX-License-Identifier: Apache-2.0
// What cannot be read is known before it is read.
#include "record/preload/unwind/stack_memory.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>

#include <cstdint>

using namespace linn::tool::unwind;

namespace {

constexpr std::uintptr_t page = 4096;

struct pages {
    std::uintptr_t at;
    std::size_t count;
    explicit pages(std::size_t n)
        : at(reinterpret_cast<std::uintptr_t>(
              mmap(nullptr, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))),
          count(n) {}
    pages(const pages&) = delete;
    pages& operator=(const pages&) = delete;
    ~pages() { munmap(reinterpret_cast<void*>(at), count * page); }
    void forbid(std::size_t index) const {
        mprotect(reinterpret_cast<void*>(at + index * page), page, PROT_NONE);
    }
};

} // namespace

TEST_CASE("a probe tells") {
    const pages space(2);
    space.forbid(1);
    CHECK(probe_word(space.at));
    CHECK(probe_word(space.at + page - 8));
    CHECK_FALSE(probe_word(space.at + page));
    CHECK_FALSE(probe_word(0));
    CHECK_FALSE(probe_word(~std::uintptr_t{7}));
}

TEST_CASE("a range grows over what can be read, and never over a guard page") {
    const pages space(12);
    space.forbid(6);
    std::atomic<std::uint64_t> word{0};
    readable_pages known{word};
    CHECK(known.word(space.at + 2 * page));
    CHECK(known.word(space.at + 5 * page + 8));
    CHECK_FALSE(known.word(space.at + 6 * page));
    CHECK(known.word(space.at + 8 * page)); // a range of its own
    CHECK_FALSE(known.word(space.at + 6 * page + 16));
    CHECK(known.word(space.at + 11 * page));
    CHECK(known.word(space.at)); // back again
    CHECK_FALSE(known.word(space.at + 6 * page));
    CHECK_FALSE(known.word(16));
    const std::uint64_t learned = word;
    CHECK(learned != 0);
    readable_pages again{word};
    CHECK(again.word(space.at + 8));
    CHECK(word == learned); // it was known, and not asked for again
    CHECK_FALSE(again.word(space.at + 6 * page));
}
