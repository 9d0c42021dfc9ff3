// SPDX-License-Identifier: Apache-2.0
// Many objects in one call, and memory that is there before it is needed.
#include <linn/pool.hpp>

#include <array>
#include <cstdio>
#include <memory>
#include <span>

struct packet {
    int id;
    unsigned char header[60];
};

using packets = linn::pool<packet>;

// [bulk]
void receive(std::span<packet*> burst, int first_id) {
    packets::allocate_n(burst); // storage for all of them, or std::bad_alloc and nothing
    for (packet*& p : burst) {
        p = std::construct_at(p, packet{.id = first_id++, .header = {}});
    }
}

void drop(std::span<packet* const> burst) {
    for (packet* p : burst) {
        std::destroy_at(p);
    }
    packets::deallocate_n(burst);
}
// [/bulk]

int main() {
    // [reserve]
    packets::reserve(10'000); // takes the memory now, touches no page of it
    // [/reserve]

    std::array<packet*, 32> burst{};
    receive(burst, 100);
    std::printf("ids %d to %d, alive: %zu\n", burst.front()->id, burst.back()->id,
                packets::statistics().live);
    drop(burst);
    std::printf("alive: %zu\n", packets::statistics().live);
}
