// SPDX-License-Identifier: Apache-2.0
// Objects named by handles: 32 bits that know whether their object still exists.
#include <linn/handle_pool.hpp>

#include <cstdio>
#include <unordered_map>

// [world]
struct enemy;
using enemies = linn::handle_pool<enemy>;

struct enemy {
    const char* name;
    int health;
    enemies::handle target = {}; // null: not a pointer, so it cannot dangle
};
// [/world]

// [step]
void step(enemies& all) {
    for (enemy& e : all) {                  // in order of their indices
        if (enemy* t = all.get(e.target)) { // null once the target is gone
            t->health -= 10;
        }
    }
    all.for_each([&](enemies::handle h, enemy& e) {
        if (e.health <= 0) {
            std::printf("%s is gone\n", e.name);
            all.destroy(h); // while iterating: any object may go
        }
    });
}
// [/step]

int main() {
    enemies all;
    const enemies::handle orc = all.create("orc", 10);
    const enemies::handle elf = all.create("elf", 30, orc);
    std::unordered_map<enemies::handle, int> score{{orc, 5}, {elf, 9}}; // hashed as a number

    step(all);
    std::printf("orc: %s, handles of %zu bytes\n", all.contains(orc) ? "here" : "gone", sizeof orc);

    const enemies::handle troll = all.create("troll", 80, elf); // where the orc was
    std::printf("the orc's handle: %s, the troll's: %s\n", all.get(orc) == nullptr ? "stale" : "valid",
                all.get(troll)->name);
    std::printf("destroying the orc again: %s\n", all.destroy(orc) ? "done" : "refused");

    step(all);
    std::printf("%zu left, elf at %d, score %d\n", all.size(), all.get(elf)->health, score[elf]);
} // the rest is destroyed here
