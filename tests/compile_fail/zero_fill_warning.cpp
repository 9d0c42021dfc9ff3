// SPDX-License-Identifier: Apache-2.0
// A fill of 256 bytes or more that nobody asked for is a warning at the caller's line, which names the
// fix. Everything else must be silent.
// LINES: 30
#include <linn/memory.hpp>

#include <array>
#include <string>

#pragma GCC diagnostic error "-Wdeprecated-declarations"

struct packet {
    unsigned length = 0;
    char bytes[256];
};
struct plain {
    int numbers[64];
};
struct small {
    int numbers[63];
};
struct constructed {
    constructed() {}
    char bytes[4096];
};
struct filled {
    char bytes[4096]{};
    std::string name;
};
struct meant {
    char bytes[4096];
};
struct from_numbers {
    from_numbers(int, int) {}
    from_numbers() = default;
    char bytes[4096];
};
class hidden : public std::string {
    [[maybe_unused]] char bytes_[300];
};
template <>
inline constexpr bool linn::zero_fill_intended<meant> = true;

void calls() {
    using linn::value_initialize;
    std::size_t n = 4;
    const plain value{};
#if defined(LINN_CASE_object) // warning.cpp:.*deprecated.*make_shared_for_overwrite<T>\(\)
    (void)linn::make_shared<packet>();
#elif defined(LINN_CASE_constant)     // warning.cpp:.*deprecated.*value_initialize
    (void)linn::make_shared<const plain>();
#elif defined(LINN_CASE_bound)        // warning.cpp:.*make_shared.*deprecated
    (void)linn::make_shared<small[2]>();
#elif defined(LINN_CASE_array)        // warning.cpp:.*deprecated.*make_shared_for_overwrite<T\[\]>\(n\)
    (void)linn::make_shared<plain[]>(n);
#elif defined(LINN_CASE_unique)       // warning.cpp:.*deprecated.*make_unique_for_overwrite<T>\(\)
    (void)linn::make_unique<packet>();
#elif defined(LINN_CASE_unique_array) // warning.cpp:.*deprecated.*make_unique_for_overwrite<T\[\]>\(n\)
    (void)linn::make_unique<plain[]>(n);
#elif defined(LINN_CASE_constructors) // warning.cpp:.*make_shared.*deprecated
    (void)linn::make_shared<from_numbers>();
#elif defined(LINN_CASE_hidden)       // warning.cpp:.*make_shared.*deprecated
    (void)linn::make_shared<hidden>();
#endif
    (void)linn::make_shared_for_overwrite<packet>();
    (void)linn::make_shared_for_overwrite<packet[3]>();
    (void)linn::make_shared_for_overwrite<packet[]>(n);
    (void)linn::make_unique_for_overwrite<packet>();
    (void)linn::make_unique_for_overwrite<packet[]>(n);

    (void)linn::make_shared<packet>(value_initialize);
    (void)linn::make_shared<packet[3]>(value_initialize);
    (void)linn::make_shared<packet[]>(n, value_initialize);
    (void)linn::make_unique<packet>(value_initialize);
    (void)linn::make_unique<packet[]>(n, value_initialize);

    (void)linn::make_shared<plain>(value);
    (void)linn::make_shared<plain[3]>(value);
    (void)linn::make_shared<plain[]>(n, value);
    (void)linn::make_unique<plain>(value);

    (void)linn::make_shared<small>();
    (void)linn::make_shared<small[]>(n);
    (void)linn::make_shared<char[]>(n);
    (void)linn::make_unique<small>();
    (void)linn::make_shared<constructed>();
    (void)linn::make_shared<constructed[2]>();
    (void)linn::make_unique<constructed>();
    (void)linn::make_shared<filled>();
    (void)linn::make_unique<filled>();
    (void)linn::make_shared<from_numbers>(1, 2);
    (void)linn::make_shared<std::array<std::string, 20>>();

    (void)linn::make_shared<meant>();
    (void)linn::make_shared<const meant>();
    (void)linn::make_shared<meant[2]>();
    (void)linn::make_shared<meant[]>(n);
    (void)linn::make_unique<meant>();
    (void)linn::make_unique<meant[]>(n);
}
