// SPDX-License-Identifier: Apache-2.0
#include <linn/memory.hpp>
struct line {
    char data[128];
    int used = 0;
};
auto a = linn::make_shared<line>(linn::value_initialize);
auto b = linn::make_unique_for_overwrite<line>();
