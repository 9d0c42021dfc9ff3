// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

struct value {
    struct inner_type {
        char text[128];
        int length;
    } inner; // member 132
    int kind = 0;
};
auto make() {
    return std::make_shared<value>(); // finds 132, fix
}

struct value_anonymous_union {
    int kind = 0;
    union { // member 4096
        double number;
        char text[4096];
    };
};
auto make_anonymous_union() {
    return std::make_shared<value_anonymous_union>(); // finds 4100, fix
}

struct row {
    char text[64];
    int number = 0;
};
struct book {
    row rows[100]; // member 6400
};
auto make_array_of_classes_member() {
    return std::make_unique<book>(); // finds 6400, note
}

struct base {
    char head[100]; // member 100
};
struct second {
    second() {}
    char body[104];
};
struct derived : base, second {
    int count = 0;
};
auto make_bases() {
    return std::make_unique<derived>(); // finds 204, note
}

// A byte counts as written when one of its bits is.
struct flags {
    unsigned low : 3 = 1;
    unsigned middle : 9; // member 2
    unsigned high : 20;  // member 3
    char text[100];      // member 100
};
auto make_bit_fields() {
    return std::make_unique<flags>(); // finds 103, fix
}

struct inner {
    inner() {
        count = 0;
        head[0] = 0;
        head[1] = 0;
    }
    int count;
    char head[2];
    char data[498];
};
struct outer {
    inner first; // member 498
    short id = 1;
    short reserved; // member 2
};
auto make_constructor_body() {
    return std::make_unique<outer>(); // finds 500, fix
}

struct tag {};
struct tagged : tag {
    char text[100]; // member 100
};
auto make_empty_base() {
    return std::make_unique<tagged>(); // finds 100, note
}

struct many {
    int version = 1;
    char b[200]; // member 200
    char c[300]; // member 300
    char a[100];
    char e[500]; // member 500
    char d[250]; // member 250
    char f[50];
};
auto make_many_members() {
    return std::make_unique<many>(); // finds 1400, fix
}

struct inner_member_initialiser_class {
    inner_member_initialiser_class() {}
    explicit inner_member_initialiser_class(int n) : size(n) {}
    char data[1024];
    int size = 0;
};
struct outer_member_initialiser_class {
    inner_member_initialiser_class first{3}; // member 1024
    int version = 1;
};
auto make_member_initialiser_class() {
    return std::make_unique<outer_member_initialiser_class>(); // finds 1024, fix
}

// An empty optional writes one byte, in itself; as a member it is filled first.
struct slot {
    std::optional<std::array<char, 100>> value; // member 100
    int kind;                                   // member 4
};
auto make_optional() {
    return std::make_unique<slot>(); // finds 107, note
}

struct padded {
    char first; // member 1
    int number = 1;
    char text[70]; // member 70
    short last;    // member 2
};
auto make_padding() {
    return std::make_shared<padded>(); // finds 76, fix
}

// std::pair initialises both.
struct entry {
    std::pair<int, std::array<char, 100>> value;
    char note[100]; // member 100
};
auto make_pair() {
    return std::make_unique<entry>(); // finds 100, note
}

struct block {
    std::array<char, 4096> bytes; // member 4096
    int used = 0;
};
auto make_std_array() {
    return std::make_unique<block>(); // finds 4096, fix
}

auto make_std_array_alone() {
    return std::make_unique<std::array<char, 4096>>(); // finds 4096, note
}

// What a library's constructor leaves alone is not looked into: at least so many.
// bytes: entry_string >= 200
struct entry_string {
    std::string name;
    char note[200]; // member 200
};
auto make_string() {
    return std::make_unique<entry_string>(); // finds 200, note
}

union value_union {
    int number;
    char text[4096];
};
auto make_union() {
    return std::make_unique<value_union>(); // finds 4096, note
}

struct value_union_with_initialiser {
    union { // member 4092
        int number = 0;
        char text[4096];
    };
};
auto make_union_with_initialiser() {
    return std::make_shared<value_union_with_initialiser>(); // finds 4092, note
}

// The pointer to the virtual table is written anyway.
struct shape {
    virtual ~shape() = default;
    char data[4096]; // member 4096
};
auto make_virtual() {
    return std::make_unique<shape>(); // finds 4096, note
}
