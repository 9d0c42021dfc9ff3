// SPDX-License-Identifier: Apache-2.0
// shared_ptr with object and control block in one slot of a pool, released on another thread.
#include <linn/allocator.hpp>
#include <linn/statistics.hpp>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

struct packet {
    explicit packet(int number) : id{number} {} // leaves the payload as it is: nobody fills it
    int id;
    unsigned char payload[1500];
};

// [make]
std::shared_ptr<packet> make_packet(int id) {
    return std::allocate_shared<packet>(linn::allocator<packet>{}, id);
}
// [/make]

std::size_t alive() {
    std::size_t sum = 0;
    for (const linn::pool_statistics& s : linn::statistics()) {
        sum += s.live;
    }
    return sum;
}

int main() {
    std::vector<std::shared_ptr<packet>> queue;
    for (int id = 0; id < 1000; ++id) {
        queue.push_back(make_packet(id));
    }
    const std::shared_ptr<packet> kept = queue.front();
    std::printf("alive: %zu\n", alive());

    std::thread consumer{[received = std::move(queue)]() mutable {
        int sum = 0;
        for (std::shared_ptr<packet>& p : received) {
            sum += p->id;
            p.reset(); // frees here what the main thread allocated
        }
        std::printf("sum of ids: %d\n", sum);
    }};
    consumer.join(); // the thread is gone; what is left works as before
    std::printf("alive: %zu, kept: packet %d\n", alive(), kept->id);
}
