// SPDX-License-Identifier: Apache-2.0
// Limits: how many objects a pool may hand out, and how much memory it may take.
#include <linn/local_pool.hpp>
#include <linn/memory_resource.hpp>
#include <linn/pool.hpp>

#include <cstdio>
#include <memory_resource>
#include <new>
#include <string>
#include <thread>
#include <vector>

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

    // [resource]
    linn::pool_resource resource{{.max_bytes = 1 << 20}};
    std::pmr::vector<std::pmr::string> lines{&resource};
    try {
        for (;;) {
            lines.emplace_back(100, 'x');
        }
    } catch (const std::bad_alloc&) { // all of it together would be more than a MiB
        std::printf("%s lines\n", lines.size() > 1000 ? "more than 1000" : "too few");
    }
    // [/resource]
    connections::for_each_live([](connection& c) { connections::destroy(&c); });
}
