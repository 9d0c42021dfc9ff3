// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <memory>

// bytes: header 72
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

// bytes: point 96
struct point {
    double at[12]; // member 96
};
auto copy(const point& from) {
    auto p = std::make_unique<point>(); // finds 96, fix
    *p = from;
    return p;
}

// What the method looks at is not known.
// bytes: cache 2052
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

// bytes: state 1004
struct state {
    char text[1000]; // member 1000
    int count;       // member 4
    int id = 1;
};
auto make() {
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
