// SPDX-License-Identifier: Apache-2.0
// Containers of std::pmr, over the heap and over arenas.
#include "truth.hpp"

#include <list>
#include <map>
#include <memory_resource>
#include <string>
#include <vector>

namespace {

using sample::truth;

struct reading {
    long time = 0;
    double value = 0;
};

std::size_t over_heap(std::size_t n) {
    std::pmr::list<reading> readings(std::pmr::new_delete_resource());
    std::pmr::map<int, reading> by_id(std::pmr::new_delete_resource());
    std::pmr::vector<reading> all(std::pmr::new_delete_resource());
    sample::growth<std::pmr::vector<reading>> growth(all);
    for (std::size_t i = 0; i < n; ++i) {
        readings.push_back({});
        by_id[static_cast<int>(i)].time = 1;
        all.push_back({});
        growth.see(all);
    }
    truth::expect("reading", "std::pmr::list<reading>", n);
    truth::expect("std::pair<const int, reading>", "std::pmr::map<int, reading>", n);
    truth::expect("reading", "std::pmr::vector<reading>", growth.count());
    return readings.size() + by_id.size();
}

/// Counts what an arena asks for.
class counting_resource : public std::pmr::memory_resource {
public:
    std::size_t count = 0;

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        ++count;
        return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    }
    void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
        std::pmr::new_delete_resource()->deallocate(block, bytes, alignment);
    }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

std::size_t over_arena(std::size_t n) {
    counting_resource counter;
    std::size_t total = 0;
    {
        std::pmr::monotonic_buffer_resource arena(1024, &counter);
        std::pmr::list<reading> readings(&arena);
        for (std::size_t i = 0; i < n; ++i) {
            readings.push_back({});
        }
        total += readings.size();
    }
    truth::expect("std::byte", "std::pmr::monotonic_buffer_resource", counter.count);
    counter.count = 0;
    {
        std::pmr::unsynchronized_pool_resource pool(&counter);
        std::pmr::list<reading> readings(&pool);
        for (std::size_t i = 0; i < n; ++i) {
            readings.push_back({});
        }
        total += readings.size();
    }
    truth::expect("std::byte", "std::pmr::unsynchronized_pool_resource", counter.count);
    return total;
}

} // namespace

int main() {
    sample::keep(over_heap(1500));
    sample::keep(over_arena(1500));
    return truth::write();
}
