// SPDX-License-Identifier: Apache-2.0
// Finds the bytes that T() fills with zeros though no constructor of T asks for it.
#include <linn/memory.hpp>
#include <linn/zero_fill.hpp>

#include <cstddef>
#include <cstdio>

struct packet {
    unsigned length = 0;
    unsigned char bytes[1500]; // packet() fills them
};

struct packet_with_constructor {
    packet_with_constructor() {} // and fills nothing
    unsigned length = 0;
    unsigned char bytes[1500];
};

struct histogram {
    unsigned counts[256];
};

// [intended]
template <>
inline constexpr bool linn::zero_fill_intended<histogram> = true; // its zeros are its empty state
// [/intended]

int main() {
    // [count]
    std::printf("packet: %zu bytes\n", linn::value_initialization_fill<packet>());
    std::printf("packet_with_constructor: %zu bytes\n",
                linn::value_initialization_fill<packet_with_constructor>());
    static_assert(linn::value_initialization_fills<packet>);
    // [/count]

    // [ways]
    // linn::make_shared<packet>();   the compiler warns: 1500 bytes are filled for nothing
    auto p = linn::make_shared_for_overwrite<packet>();
    auto q = linn::make_shared<packet>(linn::value_initialize);
    auto h = linn::make_shared<histogram>();
    // [/ways]
    std::printf("length %u, byte %d, count %u\n", p->length, q->bytes[0], h->counts[255]);
}
