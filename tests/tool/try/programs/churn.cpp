// SPDX-License-Identifier: Apache-2.0
// Two types of nodes, allocated and deallocated in random order: `churn ROUNDS [STATUS [HOW]]`. `new` of both stands in
// functions of their own, and a wrapper hands out blocks of one size for two more types. Another HOW than "crash" and "print" is a
// file to which a line is appended that says how fragmented the heap is when main begins.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>
#include <vector>

namespace {

struct order {
    std::uint64_t number;
    std::uint64_t more[7];
};
struct trade {
    std::uint64_t number;
    std::uint64_t more[3];
};
struct price {
    std::uint64_t number;
    std::uint64_t more[11];
};
struct quote {
    std::uint64_t number;
    std::uint64_t more[11];
};

std::uint64_t state = 88172645463325252u;
std::uint64_t random_number() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

[[gnu::noinline]] void* xmalloc(std::size_t bytes) {
    void* const block = std::malloc(bytes);
    if (block == nullptr) {
        std::abort();
    }
    return block;
}

template <class T>
[[gnu::noinline]] T* made() {
    T* const one = new T;
    one->number = random_number();
    return one;
}
template <class T>
[[gnu::noinline]] T* made_by_wrapper() {
    T* const one = static_cast<T*>(xmalloc(sizeof(T)));
    one->number = random_number();
    return one;
}

std::uint64_t sum = 0;

/// Puts a new object in a random one's place.
template <class T, class Make, class Drop>
void replace(std::vector<T*>& all, Make make, Drop drop) {
    T*& place = all[random_number() % all.size()];
    if (place != nullptr) {
        sum += place->number;
        drop(place);
    }
    place = make();
}

const char* variable(const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "none";
}

/// The number of the first blocks that do not lie behind the one before, and what makes them so.
void append_holes(const char* file) {
    constexpr std::size_t block_bytes = 2000; // larger than what a plan can serve
    char* blocks[64];
    int holes = 0;
    for (int i = 0; i != 64; ++i) {
        blocks[i] = static_cast<char*>(std::malloc(block_bytes));
        holes += i != 0 && blocks[i] - blocks[i - 1] != static_cast<long>(block_bytes) + 16 ? 1 : 0;
    }
    for (char* block : blocks) {
        std::free(block);
    }
    if (std::FILE* const to = std::fopen(file, "a")) {
        std::fprintf(to, "%d %s %.10s %s\n", holes, variable("LINN_POOLS"), variable("LINN_LITTER"),
                     variable("LD_PRELOAD"));
        std::fclose(to);
    }
}

/// Does what a program would that a preload breaks: "crash" or "print", where there is a plan.
void fail_under_plan(std::string_view how) {
    if (std::getenv("LINN_PLAN") == nullptr) {
        return;
    }
    if (how == "crash") {
        std::abort();
    }
    std::puts("LINN_PLAN");
}

} // namespace

int main(int argc, char** argv) {
    const std::string_view how = argc > 3 ? argv[3] : "";
    if (how == "crash" || how == "print") {
        fail_under_plan(how);
    } else if (!how.empty()) {
        append_holes(argv[3]);
    }
    const long rounds = argc > 1 ? std::atol(argv[1]) : 100'000;
    std::vector<order*> orders(20'000);
    std::vector<trade*> trades(20'000);
    std::vector<price*> prices(100);
    std::vector<quote*> quotes(100);
    for (long i = 0; i != rounds; ++i) {
        replace(orders, made<order>, [](order* p) { delete p; });
        replace(trades, made<trade>, [](trade* p) { delete p; });
        if (i % 4 == 0) {
            replace(prices, made_by_wrapper<price>, [](price* p) { std::free(p); });
            replace(quotes, made_by_wrapper<quote>, [](quote* p) { std::free(p); });
        }
    }
    std::printf("%llu\n", static_cast<unsigned long long>(sum));
    return argc > 2 ? std::atoi(argv[2]) : 0;
}
