// SPDX-License-Identifier: Apache-2.0
// Objects that are made by a function, and outlive their recycler while they are in use.
#include <linn/recycler.hpp>

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
        .capacity = 2,
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
        last = all.acquire();
    }
    std::printf("the recycler is gone, the connection is not\n");
}
