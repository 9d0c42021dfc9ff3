// SPDX-License-Identifier: Apache-2.0
// Many allocations from many stacks: many PAIRS. Each pair replaces a block of a set that is live, or is temporary; which stacks
// are used drifts over the run.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace many {

/// Each digit of `path` in base 4 is a function of its own, so that equal paths are equal stacks.
template <int Level, int Digit>
[[gnu::noinline]] void* walk(std::uint64_t path) {
    void* made = nullptr;
    if constexpr (Level == 0) {
        made = std::malloc(24 + 56 * Digit);
    } else {
        constexpr void* (*next[])(std::uint64_t) = {walk<Level - 1, 0>, walk<Level - 1, 1>,
                                                    walk<Level - 1, 2>, walk<Level - 1, 3>};
        made = next[path % 4](path / 4);
    }
    asm volatile("" : "+r"(made)); // no tail call, which would leave no frame
    return made;
}

constexpr int depth = 8;
constexpr std::uint64_t stacks = 20'000;

} // namespace many

int main(int argc, char** argv) {
    const std::uint64_t pairs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
    std::vector<void*> live(20'000);
    std::uint64_t random = 1;
    for (std::uint64_t i = 0; i != pairs; ++i) {
        random = random * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
        // A window of the stacks, which moves over the run; its first are used most.
        const std::uint64_t within = (random >> 40) % 2'000 * ((random >> 30) % 1'000) / 1'000;
        const std::uint64_t path =
            (i * many::stacks / pairs + within) % many::stacks * 0x9e37'79b9'7f4a'7c15U >> 40;
        void* const made = many::walk<many::depth, 0>(path);
        void*& place = live[(random >> 33) % live.size()];
        std::free(random >> 62 == 0 ? made : place);
        if (random >> 62 != 0) {
            place = made;
        }
    }
    for (void* block : live) {
        std::free(block);
    }
    std::puts("done");
}
