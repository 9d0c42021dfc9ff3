// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

// bytes: line 0
struct line {
    char data[4096]{};
    int used = 0;
};
auto a = std::make_shared<line>();

struct line_arguments {
    int used = 0;
    char data[4096];
};
auto a_arguments = std::make_shared<line_arguments>(3);

auto filter(const std::size_t* hashes, std::size_t n, std::size_t bytes) {
    auto bits = std::make_unique<unsigned char[]>(bytes);
    for (std::size_t i = 0; i < n; ++i) {
        bits[hashes[i] / 8] |= static_cast<unsigned char>(1U << hashes[i] % 8);
    }
    return bits;
}

unsigned long checksum(const char* from, std::size_t n);
unsigned long of_zeros(std::size_t n) {
    auto zeros = std::make_unique<char[]>(n);
    return checksum(zeros.get(), n);
}

// Its construct() leaves alone what is given nothing.
struct page {
    char data[4096];
    int pins = 0;
};
template <class T>
struct leaving_allocator {
    using value_type = T;
    leaving_allocator() = default;
    template <class U>
    leaving_allocator(const leaving_allocator<U>&) {}
    T* allocate(std::size_t n) { return static_cast<T*>(std::malloc(n * sizeof(T))); }
    void deallocate(T* p, std::size_t) { std::free(p); }
    template <class U>
    void construct(U* p) {
        ::new (static_cast<void*>(p)) U;
    }
    template <class U, class... Args>
    void construct(U* p, Args&&... args) {
        ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
    }
    bool operator==(const leaving_allocator&) const = default;
};
auto a_constructing_allocator = std::allocate_shared<page>(leaving_allocator<page>{});

// bytes: line_constructor 0
struct line_constructor {
    line_constructor() {}
    char data[1024];
    int used = 0;
};
auto a_constructor = std::make_shared<line_constructor>();
auto b_constructor = std::make_unique<line_constructor>();

struct table {
    int values[64];
};
table zeros() {
    auto made = std::make_unique<table>();
    table copy = *made;
    return copy;
}

std::unique_ptr<int[]> count(const unsigned char* text, std::size_t n) {
    auto counts = std::make_unique<int[]>(256);
    for (std::size_t i = 0; i < n; ++i) {
        ++counts[text[i]];
    }
    return counts;
}

// bytes: joint 8
struct joint {
    double at[3] = {1, 2, 3};
    char kind;
    double limits[6] = {};
};
auto make(std::size_t n) {
    return std::make_unique<joint[]>(n);
}

struct line_for_overwrite {
    char data[4096];
    int used = 0;
};
auto a_for_overwrite = std::make_shared_for_overwrite<line_for_overwrite>();
auto b_for_overwrite = std::make_unique_for_overwrite<line_for_overwrite>();
auto c = std::make_unique_for_overwrite<char[]>(4096);
line_for_overwrite* d = new line_for_overwrite;
char* e = new char[4096];

std::unique_ptr<char[]> zeros_nolint(std::size_t n) {
    return std::make_unique<char[]>(n); // NOLINT(linn-zero-fill): zeros are meant
}

struct inner {
    inner() { reset(); }
    void reset() { std::memset(data, 1, sizeof(data)); }
    char data[4096];
};
struct outer {
    inner first;
};
auto a_opaque_body = std::make_unique<outer>();

// What a constructor writes that is not seen here counts as all.
struct buffer {
    buffer();
    char data[4096];
};
struct outer_out_of_line {
    buffer first;
    int count = 0;
};
auto make_out_of_line() {
    return std::make_unique<outer_out_of_line>();
}

// bytes: point 24
struct point {
    double x, y, z;
};
auto a_small = std::make_shared<point>();

struct line_small_constructor {
    line_small_constructor() {}
    char data[1000];
    int used = 0;
};
struct complete {
    complete() {}
    char data[10000] = "x";
};
line_small_constructor one;
complete two;

// Not on the heap: what compilers warn about and optimise.
struct line_stack {
    char data[4096];
};
int use_stack() {
    line_stack one{};
    line_stack two = line_stack();
    return one.data[0] + two.data[0];
}

std::unique_ptr<char[]> join(const char* a, const char* b) {
    auto text = std::make_unique<char[]>(100);
    std::strcat(text.get(), a);
    std::strcat(text.get(), b);
    return text;
}

// Null and false mean that there is nothing: arrays of them are tables.
struct entry;
auto buckets(std::size_t n) {
    return std::make_unique<entry*[]>(n);
}
auto seen(std::size_t n) {
    return std::make_unique<bool[]>(n);
}

template <class T>
T* generate() {
    return new T();
}
int* a_template_small = generate<int>();
long* b_template_small = generate<long>();

template <class T>
T* generate_template_unused() {
    return new T[1000]();
}

struct histogram {
    long buckets[512];
};
auto count_through_reference(const int* keys, int n) {
    auto made = std::make_unique<histogram>();
    histogram& h = *made;
    for (int i = 0; i < n; ++i) {
        h.buckets[keys[i]]++;
    }
    return made;
}

// Not the one of a library that is known.
template <class T>
T* make_shared() {
    return new T;
}
page* a_other_make_shared = make_shared<page>();

// Nothing overwrites them here.
std::vector<char> a_vector(4096);
std::string b_vector(4096, 0);
