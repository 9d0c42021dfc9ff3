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

struct large {
    char data[4096]; // member 4096
    int value = 0;
};
#define MAKE(T) std::make_unique<T>()
auto by_macro = MAKE(large); // finds 4096, no fix

struct header {
    char name[64]; // member 64
    int size;      // member 4
    int kind;      // member 4
};
void use(const header&);
void send(const char* name, int size) {
    auto h = std::make_unique<header>(); // finds 72, fix
    std::memcpy(h->name, name, sizeof(h->name));
    h->size = size;
    h->kind = 1;
    use(*h);
}

struct point {
    double at[12]; // member 96
};
auto copy(const point& from) {
    auto p = std::make_unique<point>(); // finds 96, fix
    *p = from;
    return p;
}

// What the method looks at is not known.
class cache {
public:
    bool has(int key) const;

private:
    long entries_[256]; // member 2048
    int used_ = 0;
};
bool use_const_method() {
    auto c = std::make_unique<cache>(); // finds 2052, no fix
    return c->has(3);
}

bool decompress(const char* from, char* to, std::size_t n);
std::unique_ptr<char[]> load(const char* from, std::size_t n) {
    auto buffer = std::make_unique<char[]>(n); // finds 1 each, note
    if (!decompress(from, buffer.get(), n)) {
        return nullptr;
    }
    return buffer;
}

auto squares(std::size_t n) {
    auto all = std::make_unique<std::size_t[]>(n); // finds 8 each, fix
    for (std::size_t i = 0; i < n; ++i) {
        all[i] = i * i;
    }
    return all;
}

struct state {
    char text[1000]; // member 1000
    int count;       // member 4
    int id = 1;
};
auto make_and_add() {
    auto s = std::make_shared<state>(); // finds 1004, no fix
    s->count += 2;
    return s;
}

void touch() {
    auto p = std::make_unique<char[]>(4096); // finds 4096, fix
    if (p == nullptr) {
        return;
    }
}

auto make_read_on_one_way(bool known) {
    auto s = std::make_shared<state>(); // finds 1004, no fix
    if (known) {
        s->count = 3;
    }
    if (s->count != 0) {
        s->id = 2;
    }
    return s;
}

auto make_written_on_all_ways(bool known) {
    auto s = std::make_shared<state>(); // finds 1004, fix
    if (known) {
        s->count = 3;
    } else {
        s->count = 4;
    }
    if (s->count != 0) {
        s->id = 2;
    }
    return s;
}

template <class T>
auto generate(T) {
    return std::make_unique<large>(); // finds 4096, note
}
auto a = generate(1);
auto b = generate(2.0);

struct small {
    int value = 0;
};
struct medium {
    char data[128];
    int value = 0;
};
template <class T>
std::unique_ptr<T> generate_once() {
    return std::make_unique<T>(); // finds 4096, note
}
auto a_once = generate_once<small>();
auto b_once = generate_once<medium>();
auto c = generate_once<large>();
auto d = generate_once<large>();

// A fix would be wrong for the one that counts on zeros.
struct histogram {
    long data[256];
    int id = 0;
};
struct buffer {
    char data[4096]; // member 4096
    int id = 0;
};
template <class T>
auto generate_reads_in_one() {
    auto made = std::make_unique<T>(); // finds 4096, no fix
    if constexpr (sizeof(made->data[0]) == sizeof(long)) {
        made->data[7] += 1;
    }
    return made;
}
auto a_reads_in_one = generate_reads_in_one<histogram>();
auto b_reads_in_one = generate_reads_in_one<buffer>();

// `using std::make_unique;` does not bring the other name with it.
namespace declared {
using std::make_unique;
auto make() {
    return make_unique<table>(); // finds 804, fix
}
} // namespace declared
auto make_by_using_directive() {
    using namespace std;
    return make_unique<table>(); // finds 804, fix
}
