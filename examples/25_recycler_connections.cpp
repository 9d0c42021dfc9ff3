// SPDX-License-Identifier: Apache-2.0
// Objects that are made by a function, never more than a limit, and outlive their recycler while they are in use.
#include <linn/recycler.hpp>

#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

// [connection]
class connection {
public:
    explicit connection(std::string to) : to_{std::move(to)} { std::printf("connect to %s\n", to_.c_str()); }
    connection(const connection&) = delete; // what create returns is built in place
    connection& operator=(const connection&) = delete;
    ~connection() { std::printf("disconnect\n"); }

    void fail() { broken_ = true; }
    void check() const {
        if (broken_) {
            throw std::runtime_error{"broken"};
        }
    }

private:
    std::string to_;
    bool broken_ = false;
};

using connections = linn::recycler<connection>;

connections open(std::string server) {
    return connections{{
        .limit = 2, // open at once, idle or in use, whichever threads use them
        .create = [server] { return connection{server}; },
        .reset = [](connection& c) { c.check(); }, // one that throws is not kept
    }};
}
// [/connection]

int main() {
    connections::handle last;
    {
        connections all = open("db1");
        all.acquire().reset();
        auto c = all.acquire(); // the same one
        c->fail();
        c.reset();
        std::printf("idle: %zu\n", all.idle());

        // [limit]
        last = all.acquire();
        auto second = all.acquire_shared();
        if (all.try_acquire() == nullptr) { // acquire() would wait until one comes back
            std::printf("both are in use\n");
        }
        if (auto third = all.acquire_for(std::chrono::milliseconds{20}); third == nullptr) {
            std::printf("and after 20 ms they still are\n");
        }
        second.reset();
        std::printf("now one is free: %d\n", all.try_acquire() != nullptr);
        // [/limit]
    }
    std::printf("the recycler is gone, a connection is not\n");
}
