// SPDX-License-Identifier: Apache-2.0
// Containers and allocators of the user's own: class templates, nodes, an allocator with a header, operator new of a
// class.
#include "truth.hpp"

#include <cstdlib>
#include <list>
#include <memory>
#include <new>
#include <utility>
#include <vector>

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

/// A class with an operator new of its own.
class ticket {
public:
    explicit ticket(long number) : number_(number) {}
    static void* operator new(std::size_t bytes) {
        if (void* block = std::malloc(bytes)) {
            return block;
        }
        throw std::bad_alloc();
    }
    static void operator delete(void* block) { std::free(block); }
    long number() const { return number_ + reserved_[0]; }

private:
    long number_;
    long reserved_[6] = {};
};

struct sample_value {
    double values[4];
};

} // namespace own

namespace {

using sample::truth;

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

long use_tickets(std::size_t n) {
    long sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::unique_ptr<own::ticket> one(new own::ticket(static_cast<long>(i)));
        sample::keep(*one);
        sum += one->number();
    }
    truth::expect("own::ticket", "", n);
    return sum;
}

} // namespace

int main() {
    use_ring(500);
    use_tracked(800);
    use_tree(800);
    sample::keep(use_tickets(500));
    return truth::write();
}
