// SPDX-License-Identifier: Apache-2.0
// A pool as an object: one owner, no atomics, everything dropped at once.
#include <linn/local_pool.hpp>
#include <linn/misuse.hpp>

#include <cstdio>

struct token {
    int value;
    token* next;
};

token* kept = nullptr; // outlives its pool: an error, which the pool notices

// [parse]
int sum_of_tokens(linn::local_pool<token>& tokens, int count) {
    token* list = nullptr;
    for (int i = 0; i < count; ++i) {
        list = tokens.create(i, list);
    }
    int sum = 0;
    for (const token* t = list; t != nullptr; t = t->next) {
        sum += t->value;
    }
    std::printf("%zu tokens, sum %d\n", tokens.live(), sum);
    tokens.release(); // drops them all, calls no destructor, keeps the memory for the next request
    return sum;
}
// [/parse]

void survivors_stay_valid() {
    linn::local_pool<token> tokens;
    kept = tokens.create(42, nullptr);
} // reported here; the memory stays, because somebody may still use it

int main() {
    linn::local_pool<token> tokens; // allocates nothing yet
    for (int request = 1; request <= 2; ++request) {
        sum_of_tokens(tokens, 1000 * request);
    }
    token* t = tokens.create(1, nullptr);
    tokens.destroy(t);
    std::printf("alive: %zu\n", tokens.live()); // none: the destructor frees all memory

    linn::set_misuse_handler([](const linn::misuse& m) noexcept {
        std::printf("%zu %.*s: %s\n", m.count, static_cast<int>(m.type.size()), m.type.data(),
                    linn::to_string(m.kind));
    });
    survivors_stay_valid();
    std::printf("still readable: %d\n", kept->value);
}
