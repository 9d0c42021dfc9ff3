// SPDX-License-Identifier: Apache-2.0
// shared_ptr whose object and control block share one slot of a pool.
#include <linn/memory.hpp>
#include <linn/statistics.hpp>

#include <cstdio>
#include <memory>
#include <thread>
#include <utility>

struct packet {
    unsigned length;
    unsigned char bytes[1500]; // no constructor: packet() would fill all of it with zeros
};

struct session {
    explicit session(int number) : id{number} {}
    int id;
};

int main() {
    // [make]
    auto s = linn::make_shared<session>(7);                         // as std::make_shared
    auto p = linn::make_shared_for_overwrite<packet>();             // nothing is filled
    auto zeros = linn::make_shared<packet>(linn::value_initialize); // zeros, as asked for
    auto block = linn::make_shared<int[16]>(1);                     // an array of 16 ones, in a pool too
    auto text = linn::make_shared_for_overwrite<char[]>(100);       // length at run time: no pool
    // [/make]
    p->length = 60;
    text[0] = 'x';
    std::printf("session %d, zeros %d, ones %d\n", s->id, zeros->bytes[1499], block[15]);

    // The last pointer may go on any thread.
    const std::weak_ptr<packet> watch = p;
    std::thread{[received = std::move(p)]() mutable { received.reset(); }}.join();
    std::printf("packet is gone: %s\n", watch.expired() ? "yes" : "no");

    // [live]
    for (const linn::pool_statistics& pool : linn::statistics()) {
        std::printf("%zu x %.*s\n", pool.live, static_cast<int>(pool.type.size()), pool.type.data());
    }
    // [/live]
}
