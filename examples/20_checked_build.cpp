// SPDX-License-Identifier: Apache-2.0
// What a checked build tells a handler: who freed an object first, and which byte was written afterwards.
#define LINN_CHECKED 1 // in a real program: for all of it, on the command line
#include <linn/misuse.hpp>
#include <linn/pool.hpp>

#include <cstdio>

struct order {
    int id;
    double price;
};

using orders = linn::pool<order>;

// [handler]
void on_misuse(const linn::misuse& m) noexcept {
    std::printf("%.*s of %zu bytes: %s\n", static_cast<int>(m.type.size()), m.type.data(), m.object_bytes,
                linn::to_string(m.kind));
    if (m.kind == linn::misuse_kind::write_after_free || m.kind == linn::misuse_kind::overrun) {
        std::printf("  first changed byte: %d\n", static_cast<int>(m.offset));
    }
    if (!m.freed_by.empty()) {
        std::printf("  it is known who freed it\n"); // return addresses: print_misuse names the functions
    }
}
// [/handler]

int main() {
    linn::set_misuse_handler(&on_misuse);

    order* twice = orders::create(1, 99.5);
    orders::destroy(twice);
    orders::destroy(twice);

    order* late = orders::create(2, 98.5);
    double* volatile price = &late->price;
    orders::destroy(late);
    *price = 0;
    std::printf("found by check: %zu\n", orders::check());

    order* long_one = orders::create(3, 97.5);
    char* volatile end = reinterpret_cast<char*>(long_one + 1);
    *end = '!';
    orders::destroy(long_one);
}
