// SPDX-License-Identifier: Apache-2.0
// A shop's day: orders and customers in every node container of the standard library.
#include "truth.hpp"

#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace shop {

struct order {
    int id = 0;
    double price = 0;
    long quantities[3] = {};
};

struct customer {
    std::string name;
    std::vector<int> orders;
};

struct particle {
    float position[3];
    float speed[3];
};

struct event {
    long time;
    long values[7];
};

} // namespace shop

namespace {

using sample::truth;

void book_orders(std::size_t n) {
    std::unordered_map<int, shop::order> book;
    sample::growth<std::unordered_map<int, shop::order>> rehashes(book);
    for (std::size_t i = 0; i < n; ++i) {
        book[static_cast<int>(i)].price = static_cast<double>(i);
        rehashes.see(book);
    }
    truth::expect("std::pair<const int, shop::order>", "std::unordered_map<int, shop::order>", n);
    truth::expect("hash buckets", "std::unordered_map<int, shop::order>", rehashes.count());
}

void sort_customers(std::size_t n) {
    std::map<std::string, shop::customer> customers;
    std::size_t long_keys = 0;
    std::size_t growths = 0;
    for (std::size_t i = 0; i < n; ++i) {
        std::string name = "customer number " + std::to_string(i % 100) + " of this shop";
        const auto [place, is_new] = customers.try_emplace(std::move(name));
        long_keys += is_new ? 1U : 0U;
        sample::growth<std::vector<int>> growth(place->second.orders);
        place->second.orders.push_back(static_cast<int>(i));
        growth.see(place->second.orders);
        growths += growth.count();
    }
    truth::expect("std::pair<const std::string, shop::customer>", "std::map<std::string, shop::customer>",
                  long_keys);
    truth::expect("int", "std::vector<int>", growths);
}

void count_prices(std::size_t n) {
    std::set<int> ids;
    std::multimap<int, double> prices;
    std::multiset<long> sold;
    std::unordered_set<int> seen;
    sample::growth<std::unordered_set<int>> rehashes(seen);
    for (std::size_t i = 0; i < n; ++i) {
        ids.insert(static_cast<int>(i));
        prices.emplace(static_cast<int>(i % 7), 1.5);
        sold.insert(static_cast<long>(i % 11));
        seen.insert(static_cast<int>(i));
        rehashes.see(seen);
    }
    truth::expect("int", "std::set<int>", n);
    truth::expect("std::pair<const int, double>", "std::multimap<int, double>", n);
    truth::expect("long", "std::multiset<long>", n);
    truth::expect("int", "std::unordered_set<int>", n);
    truth::expect("hash buckets", "std::unordered_set<int>", rehashes.count());
}

void move_particles(std::size_t n) {
    std::list<shop::particle> particles;
    std::forward_list<shop::order> last;
    for (std::size_t i = 0; i < n; ++i) {
        particles.push_back({});
        if (i % 3 == 0) {
            particles.pop_front();
        }
        last.push_front({});
    }
    truth::expect("shop::particle", "std::list<shop::particle>", n);
    truth::expect("shop::order", "std::forward_list<shop::order>", n);
}

void log_events(std::size_t n) {
    std::deque<shop::event> events;
    std::vector<shop::order> all;
    sample::growth<std::vector<shop::order>> growth(all);
    for (std::size_t i = 0; i < n; ++i) {
        events.push_back({});
        all.emplace_back();
        growth.see(all);
    }
#ifdef __GLIBCXX__
    truth::expect("shop::event", "std::deque<shop::event>", n * sizeof(shop::event) / 512);
#else
    truth::expect("shop::event", "std::deque<shop::event>", n * sizeof(shop::event) / 4096);
#endif
    truth::expect("shop::order", "std::vector<shop::order>", growth.count());
}

} // namespace

int main() {
    book_orders(1000);
    sort_customers(1000);
    count_prices(1000);
    move_particles(1000);
    log_events(1000);
    return truth::write();
}
