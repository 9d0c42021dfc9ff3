// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>

// bytes: page 4096
struct page {
    char data[4096]; // member 4096
    int pins = 0;
};
auto make(const std::allocator<page>& memory) {
    return std::allocate_shared<page>(memory); // finds 4096, fix
}

// bytes: table 804
struct table {
    double values[100]; // member 800
    int used = 0;
};
std::unique_ptr<table> shared = std::make_unique<table>(); // finds 804, fix

const auto make_in_lambda = [] {
    return std::make_unique<table>(); // finds 804, fix
};

std::shared_ptr<int[]> make_make_shared_array() {
    return std::make_shared<int[]>(100); // finds 400, note
}

// bytes: cell 68
struct cell {
    char text[64]; // member 64
    int row = 0;
    int column; // member 4
};
auto make_make_shared_array_of_classes(std::size_t n) {
    return std::make_shared<cell[]>(n); // finds 68 each, fix
}

std::shared_ptr<char[4096]> make_make_shared_bounded_array() {
    return std::make_shared<char[4096]>(); // finds 4096, note
}

// The case that cost a database 8 MiB of memset a read.
// bytes: line 8388612
struct line {
    char data[8 << 20]; // member 8388608
    std::mutex lock;
    std::atomic<int> users = 0;
};
std::shared_ptr<line> make_make_shared_line() {
    return std::make_shared<line>(); // finds 8388612, fix
}

void use(const char*);
void send(const char* text) {
    auto buffer = std::make_unique<char[]>(4096); // finds 4096, fix
    std::memcpy(buffer.get(), text, 4096);
    use(buffer.get());
}

// A caller may rely on the zeros: no fix unless asked for.
std::unique_ptr<char[]> make_make_unique_array_escapes(std::size_t n) {
    return std::make_unique<char[]>(n); // finds 1 each, note
}

long load(int file, std::size_t n) {
    auto buffer = std::make_unique<char[]>(n); // finds 1 each, fix
    return ::read(file, buffer.get(), n);
}

auto make_make_unique_two_dimensions(std::size_t n) {
    return std::make_unique<double[][8]>(n); // finds 64 each, note
}

struct owner {
    owner() : first(std::make_unique<table>()) {} // finds 804, fix
    std::unique_ptr<table> first;
    std::unique_ptr<table> second = std::make_unique<table>(); // finds 804, fix
};
owner one;

auto copy(int* const* from, std::size_t n) {
    auto all = std::make_unique<int*[]>(n); // finds 8 each, fix
    std::memcpy(all.get(), from, n * sizeof(int*));
    return all;
}

// bytes: large 4096
struct large {
    char data[4096]; // member 4096
    int value = 0;
};
#define MAKE(T) std::make_unique<T>()
auto by_macro = MAKE(large); // finds 4096, no fix
