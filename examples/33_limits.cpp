// SPDX-License-Identifier: Apache-2.0
// Limits: how many objects a pool may hand out, and how much memory it may take.
#include <linn/local_pool.hpp>
#include <linn/pool.hpp>

#include <cstdio>
#include <thread>

struct connection {
    int socket;
};

struct frame {
    char pixels[4000];
};

// [objects]
using connections = linn::pool<connection, {.max_objects = 2}>;

void serve(int socket) {
    if (connection* c = connections::try_allocate()) { // allocate() would throw std::bad_alloc
        c->socket = socket;
        std::printf("connection %d is served\n", socket);
    } else {
        std::printf("connection %d is turned away\n", socket);
    }
}
// [/objects]

int main() {
    connection* first = connections::create(connection{1});
    serve(2);
    serve(3);
    std::thread{[first] { connections::destroy(first); }}.join(); // whatever thread it is
    serve(4);

    // [bytes]
    linn::local_pool<frame, {.max_bytes = 1 << 20}> frames; // slabs of one MiB together, and no more
    int count = 0;
    while (frames.try_allocate() != nullptr) {
        ++count;
    }
    // [/bytes]
    std::printf("%s frames in %zu KiB\n", count > 200 ? "more than 200" : "too few",
                frames.statistics().reserved_bytes / 1024);
    frames.release();
    connections::for_each_live([](connection& c) { connections::destroy(&c); });
}
