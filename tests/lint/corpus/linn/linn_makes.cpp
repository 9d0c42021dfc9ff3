// SPDX-License-Identifier: Apache-2.0
#include <linn/memory.hpp>
struct line {
    char data[128]; // member 128
    int used = 0;
};
auto shared() {
    return linn::make_shared<line>(); // finds 128, fix
}
auto unique() {
    return linn::make_unique<line>(); // finds 128, fix
}
auto array(std::size_t n) {
    return linn::make_unique<char[]>(n); // finds 1 each, note
}
auto a = linn::make_shared<line>(linn::value_initialize);
auto b = linn::make_unique_for_overwrite<line>();
