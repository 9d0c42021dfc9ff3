// SPDX-License-Identifier: Apache-2.0
// Many allocations from many stacks: many PAIRS [STACKS]. Each pair replaces a block of a set that is live, or is temporary; which
// stacks are used drifts over the run.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace many {

/// Without it the compiler leaves the allocation out.
inline void keep(void* what) {
    asm volatile("" : : "r"(what) : "memory");
}

struct Small {
    char bytes[24];
};
struct Node {
    char bytes[56];
};
struct Record {
    char bytes[200];
};
struct Page {
    char bytes[1000];
};

struct live_block {
    void (*release)(void*) = nullptr;
    void* block = nullptr;
};

template <class T>
[[gnu::noinline]] live_block make() {
    T* const made = new T;
    keep(made);
    return {[](void* block) { delete static_cast<T*>(block); }, made};
}

/// Each digit of `path` in base 4 is one call, so that equal paths are equal stacks.
template <int Level>
[[gnu::noinline]] live_block walk(std::uint64_t path) {
    live_block made;
    if constexpr (Level == 0) {
        switch (path % 4) {
        case 0:
            made = make<Small>();
            break;
        case 1:
            made = make<Node>();
            break;
        case 2:
            made = make<Record>();
            break;
        default:
            made = make<Page>();
        }
    } else {
        switch (path % 4) {
        case 0:
            made = walk<Level - 1>(path / 4);
            break;
        case 1:
            made = walk<Level - 1>(path / 4);
            keep(nullptr);
            break;
        case 2:
            keep(nullptr);
            made = walk<Level - 1>(path / 4);
            break;
        default:
            made = walk<Level - 1>(path / 4);
        }
    }
    asm volatile("" : : : "memory"); // no tail call, which would leave no frame
    return made;
}

constexpr int depth = 8;

} // namespace many

int main(int argc, char** argv) {
    const std::uint64_t pairs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
    const std::uint64_t stacks = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20'000;
    std::vector<many::live_block> live(20'000);
    std::uint64_t random = 1;
    for (std::uint64_t i = 0; i != pairs; ++i) {
        random = random * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
        // A window of the stacks, which moves over the run; its first are used most.
        const std::uint64_t within = (random >> 40) % 2'000 * ((random >> 30) % 1'000) / 1'000;
        const std::uint64_t path = (i * stacks / pairs + within) % stacks * 0x9e37'79b9'7f4a'7c15U >> 40;
        const many::live_block made = many::walk<many::depth>(path);
        many::live_block& place = live[(random >> 33) % live.size()];
        if (random >> 62 == 0) {
            made.release(made.block);
        } else {
            if (place.release != nullptr) {
                place.release(place.block);
            }
            place = made;
        }
    }
    for (const many::live_block& l : live) {
        if (l.release != nullptr) {
            l.release(l.block);
        }
    }
    std::puts("done");
}
