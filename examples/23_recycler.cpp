// SPDX-License-Identifier: Apache-2.0
// Objects that stay constructed between uses: their buffers keep their capacity.
#include <linn/recycler.hpp>

#include <cstdio>
#include <string>
#include <thread>
#include <utility>
#include <vector>

// [packets]
struct packet {
    std::vector<unsigned char> payload;
    std::string from;

    void clear() {
        payload.clear();
        from.clear();
    }
};

linn::recycler<packet> packets{{
    .capacity = 4096,                      // idle ones, in all threads together
    .reset = [](packet& p) { p.clear(); }, // on the thread that releases
}};
// [/packets]

int main() {
    {
        auto p = packets.acquire(); // a unique_ptr, as large as a pointer
        p->payload.resize(1500);
        p->from = "192.0.2.1";
    } // cleared, and kept
    auto again = packets.acquire();
    std::printf("%zu bytes, room for %zu\n", again->payload.size(), again->payload.capacity());
    std::printf("made %zu, out %zu, idle %zu\n", packets.statistics().created, packets.live(),
                packets.idle());

    std::thread{[p = std::move(again)]() mutable { p.reset(); }}.join(); // any thread may release
    std::printf("out %zu, idle %zu\n", packets.live(), packets.idle());
    std::printf("destroyed %zu\n", packets.trim());
}
