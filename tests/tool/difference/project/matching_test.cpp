// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <list>
#include <vector>

struct Order {
    long id = 0;
    long price = 0;
};

[[gnu::noinline]] std::size_t match(const std::vector<Order>& book, long price) {
#ifdef WITH_COPY
    const std::list<Order> orders(book.begin(), book.end()); // what the budget finds
#else
    const std::vector<Order>& orders = book;
#endif
    std::size_t matches = 0;
    for (const Order& order : orders) {
        matches += order.price <= price ? 1 : 0;
    }
    return matches;
}

int main() {
    std::vector<Order> book;
    for (long i = 0; i != 100; ++i) {
        book.push_back({i, i % 10});
    }
    const std::size_t matches = match(book, 4);
    std::printf("%zu matches\n", matches);
    return matches == 50 ? 0 : 1;
}
