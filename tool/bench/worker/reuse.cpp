// SPDX-License-Identifier: Apache-2.0
#include "reuse.hpp"

#include "pools.hpp"

#include <linn/allocator.hpp>
#include <linn/memory_resource.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <memory_resource>
#include <unordered_map>
#include <utility>

namespace linn::tool::worker {
namespace {

/// A map from each of n integers to itself.
template <class Map>
class integer_map {
public:
    integer_map(std::size_t n, typename Map::allocator_type allocator) : keys_{n}, map_{allocator} {
        std::generate(keys_.begin(), keys_.end(), published_integers{});
    }

    void build() {
        for (const int key : keys_) {
            map_.emplace(key, key);
        }
    }
    std::size_t walk() const {
        std::size_t total = 0;
        for (const auto& element : map_) {
            total += static_cast<std::size_t>(element.second);
        }
        return total;
    }
    void release() {
        for (const int key : keys_) {
            map_.erase(key);
        }
    }

    void shuffle(std::mt19937_64& random) { std::shuffle(keys_.begin(), keys_.end(), random); }
    bool empty() const noexcept { return map_.empty(); }

private:
    mapped_array<int> keys_;
    Map map_;
};

/// The scenario reuse for one way: `Way::allocator<T>()` is the allocator of everything. Each structure and size has a process of
/// its own.
template <class Way>
outcome run_reuse(const options& o) {
    struct amount {
        const char* name;
        std::size_t n;
    };
    using pairs = decltype(Way::template allocator<std::pair<const int, int>>());
    using nodes = decltype(Way::template allocator<list_node>());

    outcome result;
    result.waits = true;
    const auto measure = [&]<class Structure, class Allocator>(const char* kind) {
        for (const amount& size :
             {amount{"3k", 3'000}, amount{"10k", 10'000}, amount{"30k", 30'000}, amount{"100k", 100'000}}) {
            const std::size_t n = o.alive(size.n);
            const std::size_t rounds = std::clamp<std::size_t>(o.scaled(1'000'000) / n, 3, 12);
            add_steps_apart(result, std::string{kind} + '_' + size.name, reuse_steps, [&](auto& report) {
                using value = typename Allocator::value_type;
                measure_reuse(n, rounds, Structure{n, Way::template allocator<value>()}, report);
            });
        }
    };
    measure.template operator()<node_list<nodes>, nodes>("list");
    measure.template operator()<integer_map<std::map<int, int, std::less<int>, pairs>>, pairs>("map");
    measure.template
    operator()<integer_map<std::unordered_map<int, int, std::hash<int>, std::equal_to<int>, pairs>>, pairs>(
        "unordered_map");
    return result;
}

struct pooled {
    template <class T>
    static linn::allocator<T> allocator() {
        return {};
    }
};

struct from_resource {
    template <class T>
    static std::pmr::polymorphic_allocator<T> allocator() {
        std::pmr::memory_resource* all = default_pool_resource();
        asm volatile("" : "+r"(all)); // the compiler does not know which resource it is
        return all;
    }
};

constexpr variant all[] = {
    {"reuse", "general", &run_reuse<standard_policy>},
    {"reuse", "pmr_unsynchronized", &run_reuse<pmr_policy<std::pmr::unsynchronized_pool_resource>>},
    {"reuse", "linn", &run_reuse<pooled>},
    {"reuse", "linn_pool_resource", &run_reuse<from_resource>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
