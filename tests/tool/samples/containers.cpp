// SPDX-License-Identifier: Apache-2.0
// Containers: a shop's orders in every node container of the standard library; containers within containers, where what is copied
// into one allocates for itself; those of std::pmr, over the heap and over arenas; and the user's own, with allocators of the user's
// own. Documents of a library: case_json_library of advise_cases.py.
#include "truth.hpp"

#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
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

namespace own {

/// An allocator that counts.
template <class T>
struct tracked {
    using value_type = T;
    tracked() = default;
    template <class U>
    tracked(const tracked<U>&) {}
    T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T))); }
    void deallocate(T* block, std::size_t) { ::operator delete(block); }
    friend bool operator==(const tracked&, const tracked&) { return true; }
};

/// An allocator-aware container.
template <class T, class Allocator = std::allocator<T>>
class ring {
public:
    explicit ring(std::size_t slots) : slots_(slots), first_(allocator_.allocate(slots)) {}
    ring(const ring&) = delete;
    ring& operator=(const ring&) = delete;
    ~ring() { allocator_.deallocate(first_, slots_); }
    void put(T value) { first_[next_++ % slots_] = std::move(value); }

private:
    std::size_t slots_;
    [[no_unique_address]] Allocator allocator_;
    T* first_;
    std::size_t next_ = 0;
};

/// A tree with nodes by raw new.
template <class Key, class Value>
class tree {
public:
    tree() = default;
    tree(const tree&) = delete;
    tree& operator=(const tree&) = delete;
    ~tree() { clear(root_); }
    void insert(Key key, Value value) {
        node** place = &root_;
        while (*place != nullptr) {
            place = key < (*place)->key ? &(*place)->left : &(*place)->right;
        }
        *place = new node{key, value, nullptr, nullptr};
    }

private:
    struct node {
        Key key;
        Value value;
        node* left;
        node* right;
    };
    static void clear(node* from) {
        if (from == nullptr) {
            return;
        }
        clear(from->left);
        clear(from->right);
        delete from;
    }
    node* root_ = nullptr;
};

struct sample_value {
    double values[4];
};

} // namespace own

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

constexpr const char* word = "a text that is longer than the string itself";

/// Copies of containers of containers.
void copy_nested(std::size_t n) {
    const std::vector<std::string> words(4, word);
    const std::map<int, std::set<long>> numbers{{1, {1, 2, 3}}, {2, {4, 5}}};
    const std::vector<std::vector<short>> rows(3, std::vector<short>(5));
    truth::expect("char", "std::string", 4);
    for (std::size_t i = 0; i < n; ++i) {
        auto words_copy = words;
        auto numbers_copy = numbers;
        auto rows_copy = rows;
        sample::keep(words_copy);
        sample::keep(numbers_copy);
        sample::keep(rows_copy);
    }
    truth::expect("std::string", "std::vector<std::string>", n);
    truth::expect("char", "std::string", 4 * n);
    truth::expect("std::pair<const int, std::set<long>>", "std::map<int, std::set<long>>", 2 * n);
    truth::expect("long", "std::set<long>", 5 * n);
    truth::expect("std::vector<short>", "std::vector<std::vector<short>>", n);
    truth::expect("short", "std::vector<short>", 3 * n);
}

/// Strings of wide letters, and strings as keys.
void count_words(std::size_t n) {
    std::unordered_map<std::string, int> counts;
    for (std::size_t i = 0; i < n; ++i) {
        const std::wstring wide(20 + i % 30, L'w');
        sample::keep(wide);
        ++counts[word + std::to_string(i)];
    }
    truth::expect("wchar_t", "std::wstring", n);
    truth::expect("std::pair<const std::string, int>", "std::unordered_map<std::string, int>", n);
}

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

void use_ring(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        own::ring<own::sample_value> values(32);
        values.put({});
        sample::keep(values);
    }
    truth::expect("own::sample_value", "own::ring<own::sample_value>", n);
}

void use_tracked(std::size_t n) {
    std::list<own::sample_value, own::tracked<own::sample_value>> values;
    std::vector<int, own::tracked<int>> numbers;
    sample::growth<std::vector<int, own::tracked<int>>> growth(numbers);
    for (std::size_t i = 0; i < n; ++i) {
        values.push_back({});
        numbers.push_back(static_cast<int>(i));
        growth.see(numbers);
    }
    truth::expect("own::sample_value", "std::list<own::sample_value, own::tracked<own::sample_value>>", n);
    truth::expect("int", "std::vector<int, own::tracked<int>>", growth.count());
}

void use_tree(std::size_t n) {
    own::tree<unsigned, own::sample_value> values;
    unsigned key = 1;
    for (std::size_t i = 0; i < n; ++i) {
        key = key * 1664525U + 1013904223U;
        values.insert(key, {});
    }
    truth::expect("*node", "*", n);
}

} // namespace

int main() {
    book_orders(1000);
    sort_customers(1000);
    count_prices(1000);
    move_particles(1000);
    log_events(1000);
    copy_nested(200);
    count_words(300);
    sample::keep(over_heap(1500));
    sample::keep(over_arena(1500));
    use_ring(500);
    use_tracked(800);
    use_tree(800);
    return truth::write();
}
