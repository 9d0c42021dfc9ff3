// SPDX-License-Identifier: Apache-2.0
#include <linn/pool.hpp>
#include <linn/version.hpp>

#include <cstdio>

int main() {
    int* number = linn::pool<int>::create(42);
    const bool right = *number == 42;
    linn::pool<int>::destroy(number);
    std::printf("%s %d.%d.%d\n", right ? "OK" : "wrong", LINN_VERSION_MAJOR, LINN_VERSION_MINOR,
                LINN_VERSION_PATCH);
    return right ? 0 : 1;
}
