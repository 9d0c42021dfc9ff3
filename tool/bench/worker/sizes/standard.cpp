// SPDX-License-Identifier: Apache-2.0
#include "sizes.hpp"

namespace linn::tool::worker {
namespace {

/// As published: an array of char, of a size that the compiler does not know.
struct new_array {
    static constexpr std::size_t least = 1;
    static constexpr std::size_t most = std::size_t{1} << (size_count - 1);

    template <std::size_t Bytes>
    struct source {
        std::size_t bytes = Bytes;

        source() noexcept { asm volatile("" : "+r"(bytes)); }
        void* take() const { return new char[bytes]; }
        static void give(void* p) noexcept { delete[] static_cast<char*>(p); }
    };
};

constexpr variant all[] = {
    {"sizes", "new_delete", &run_sizes<new_array>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
