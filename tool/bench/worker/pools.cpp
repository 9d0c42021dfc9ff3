// SPDX-License-Identifier: Apache-2.0
// The scenarios object and containers, and those whose elements are freed in random order: reuse and containers-shuffled.
#include "pools.hpp"

#include "measure.hpp"

#include <linn/memory_resource.hpp>

#include <boost/pool/singleton_pool.hpp>

#include <algorithm>
#include <forward_list>
#include <new>
#include <numeric>
#include <random>
#include <unordered_map>
#include <vector>

namespace linn::tool::worker {

namespace {

/// An object whose `new` and `delete` call the allocator of a policy.
template <class Policy, std::size_t Bytes>
struct allocated_object : payload<Bytes> {
    using payload<Bytes>::payload;

    static void* operator new(std::size_t) {
        return Policy::template allocator<allocated_object>().allocate(1);
    }
    static void operator delete(void* p) {
        Policy::template allocator<allocated_object>().deallocate(static_cast<allocated_object*>(p), 1);
    }
};

/// One of the standard library's pool resources, with default options, over `new_delete_resource`.
template <class Resource>
struct pmr {
    template <class T>
    static std::pmr::polymorphic_allocator<T> allocator() {
        return &resource_;
    }

    template <std::size_t Bytes>
    using object = allocated_object<pmr, Bytes>;

private:
    // A reference held once, so that the row does not pay for the guard of a function's static.
    static inline Resource& resource_ = *new Resource{std::pmr::new_delete_resource()};
};

using unsynchronized = pmr<std::pmr::unsynchronized_pool_resource>;
using synchronized = pmr<std::pmr::synchronized_pool_resource>;

/// A pool of single objects, as a `Source` of `source_allocator`.
template <class Source>
struct objects_from {
    template <class T>
    static source_allocator<T, Source> allocator() {
        return {};
    }

    template <std::size_t Bytes>
    using object = allocated_object<objects_from, Bytes>;
};

struct boost_tag {};

/// Boost's segregated-storage pool, one a size, without its mutex: the fastest form Boost offers. Its own
/// `fast_pool_allocator` would take the bucket array from the pool too and search the free list for neighbours, which
/// makes the hash table unusable; the benchmark compares pools, so it gives Boost the better allocator.
struct boost_source {
    template <class T>
    using pool_of = boost::singleton_pool<boost_tag, sizeof(T), boost::default_user_allocator_new_delete,
                                          boost::details::pool::null_mutex>;

    template <class T>
    static void* take() {
        void* p = pool_of<T>::malloc();
        if (p == nullptr) {
            throw std::bad_alloc{};
        }
        return p;
    }
    template <class T>
    static void give(void* p) {
        pool_of<T>::free(p);
    }
};

// The pool that lectures and articles teach, written from its published description and measured because readers
// know it. Do not use it. An object freed on another thread joins that thread's free list while its chunk
// belongs to the first thread; when the first thread ends, the chunk is freed and the list dangles. A container
// at namespace scope outlives the thread-local pool its nodes came from. No chunk is given back before the end.

template <class T>
class lecture_pool {
public:
    void* allocate() {
        if (free_ == nullptr) {
            grow();
        }
        node* n = free_;
        free_ = n->next;
        return n;
    }

    void deallocate(void* p) noexcept {
        node* n = static_cast<node*>(p);
        n->next = free_;
        free_ = n;
    }

    static lecture_pool& of_this_thread() {
        static thread_local lecture_pool pool;
        return pool;
    }

private:
    static constexpr std::size_t chunk_nodes = 64;
    union node {
        node* next;
        alignas(T) std::byte object[sizeof(T)];
    };
    struct chunk {
        node nodes[chunk_nodes];
        chunk() noexcept {} // not defaulted: that would write zeros
    };

    void grow() {
        for (node& n : chunks_.emplace_front().nodes | std::views::reverse) {
            deallocate(&n);
        }
    }

    node* free_ = nullptr;
    std::forward_list<chunk> chunks_;
};

struct lecture_source {
    template <class T>
    static void* take() {
        return lecture_pool<T>::of_this_thread().allocate();
    }
    template <class T>
    static void give(void* p) noexcept {
        lecture_pool<T>::of_this_thread().deallocate(p);
    }
};

/// A map from each of n integers to itself.
template <class Map>
class integer_map {
public:
    integer_map(std::size_t n, typename Map::allocator_type allocator) : keys_{n}, map_{allocator} {
        fill_with_published_integers(keys_);
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

struct amount {
    const char* name;
    std::size_t n;
};

/// The scenario reuse for one way: `Way::allocator<T>()` is the allocator of everything. Each structure and size has a process of
/// its own.
template <class Way>
outcome run_reuse(const options& o) {
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
                return measure_reuse(n, rounds, Structure{n, Way::template allocator<value>()}, report);
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

struct from_resource {
    template <class T>
    static std::pmr::polymorphic_allocator<T> allocator() {
        std::pmr::memory_resource* all = default_pool_resource();
        asm volatile("" : "+r"(all)); // the compiler does not know which resource it is
        return all;
    }
};

constexpr const char* container_steps[] = {"insert", "erase", "again"};

/// Inserts all, erases them in random order, inserts them again. The figures are the median of `repetitions`, each on a new
/// container. Integers and order are the same for every contender.
template <class Make>
bool measure_container(std::size_t n, std::size_t repetitions, const Make& make,
                       step_report<std::size(container_steps)>& report) {
    mapped_array<int> keys{n};
    fill_with_published_integers(keys);
    mapped_array<std::uint32_t> victims{n};
    std::iota(victims.begin(), victims.end(), std::uint32_t{0});
    std::shuffle(victims.begin(), victims.end(), std::mt19937_64{11});
    std::vector<phase> steps[std::size(container_steps)];
    bool is_whole = true;
    for (std::size_t r = 0; r != repetitions; ++r) {
        auto c = make();
        const churned one = churn(c, keys, victims);
        for (std::size_t step = 0; step != one.steps.size(); ++step) {
            steps[step].push_back(one.steps[step]);
        }
        report.elements = one.elements;
        is_whole = is_whole && one.is_whole;
    }
    for (std::size_t step = 0; step != std::size(container_steps); ++step) {
        const phase p = median_pass(steps[step]);
        report.cycles[step] = p.cycles_per_operation;
        report.faults[step] = p.faults_per_operation;
    }
    report.peak_bytes = peak_rss_bytes();
    return is_whole;
}

/// The scenario containers-shuffled for one policy of pools.hpp. Each kind and size has a process of its own.
template <class Policy>
outcome run_shuffled(const options& o) {
    outcome result;
    result.waits = true;
    const auto measure = [&](const char* kind, const amount& size, auto make) {
        const std::size_t n = o.alive(size.n);
        const std::size_t repetitions = std::max<std::size_t>(o.scaled(400'000) / n, 1);
        add_steps_apart(result, std::string{kind} + '_' + size.name, container_steps,
                        [&](auto& report) { return measure_container(n, repetitions, make, report); });
    };
    for (const amount& size : {amount{"10k", 10'000}, amount{"100k", 100'000}, amount{"1m", 1'000'000}}) {
        measure("set", size, [] { return unordered_set_of<Policy>(); });
        measure("map", size, [] { return map_of<Policy>(); });
        measure("list", size, [] { return list_of<Policy>(); });
    }
    return result;
}

constexpr variant all[] = {
    {"object", "general", &run_object<standard_policy>},
    {"object", "pmr_unsynchronized", &run_object<unsynchronized>},
    {"object", "pmr_synchronized", &run_object<synchronized>},
    {"object", "boost_singleton_pool", &run_object<objects_from<boost_source>>},
    {"object", "lecture_pool", &run_object<objects_from<lecture_source>>},
    {"object", "linn", &run_object<linn_policy>},
    {"containers", "general", &run_containers<standard_policy>},
    {"containers", "pmr_unsynchronized", &run_containers<unsynchronized>},
    {"containers", "pmr_synchronized", &run_containers<synchronized>},
    {"containers", "boost_singleton_pool", &run_containers<objects_from<boost_source>>},
    {"containers", "lecture_pool", &run_containers<objects_from<lecture_source>>},
    {"containers", "linn", &run_containers<linn_policy>},
    {"reuse", "general", &run_reuse<standard_policy>},
    {"reuse", "pmr_unsynchronized", &run_reuse<unsynchronized>},
    {"reuse", "linn", &run_reuse<linn_policy>},
    {"reuse", "linn_pool_resource", &run_reuse<from_resource>},
    {"containers-shuffled", "general", &run_shuffled<standard_policy>},
    {"containers-shuffled", "pmr_unsynchronized", &run_shuffled<unsynchronized>},
    {"containers-shuffled", "linn", &run_shuffled<linn_policy>},
};

const variants here{all};

} // namespace

} // namespace linn::tool::worker
