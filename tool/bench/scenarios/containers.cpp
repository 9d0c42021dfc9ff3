// SPDX-License-Identifier: Apache-2.0
#include "all.hpp"

#include <array>

namespace linn::tool {
namespace {

constexpr std::array phases{phase_info{"insert", "insert"}, phase_info{"erase", "erase"},
                            phase_info{"insert_again", "insert again"}};

constexpr std::array glibc{307.0, 162.0, 176.0};
constexpr std::array tcmalloc{250.0, 116.0, 117.0};
constexpr std::array pmr{272.0, 210.0, 169.0};
constexpr std::array lecture{199.0, 112.0, 110.0};
constexpr std::array apple{449.0, 492.0, 305.0};
constexpr std::array msvc{366.0, 185.0, 300.0};

constexpr std::array published{
    published_row{"glibc", "GCC 10.3, Ubuntu 20.04", glibc},
    published_row{"tcmalloc", "GCC 10.3, Ubuntu 20.04", tcmalloc},
    published_row{"pmr-unsynchronized", "GCC 10.3, Ubuntu 20.04", pmr},
    published_row{"lecture-pool", "GCC 10.3, Ubuntu 20.04", lecture},
    published_row{"", "Apple Clang 12, macOS 10.15", apple},
    published_row{"", "MSVC 19.29, Windows 10", msvc},
};

} // namespace

scenario containers_scenario() noexcept {
    return {.name = "containers",
            .summary = "insert, erase and insert again random integers in an unordered_set<int>",
            .operation = "operation",
            .phases = phases,
            .published = published,
            .published_unit = "cycles",
            .published_remark = "pmr synchronized was published in words: slower than the default on Linux",
            .topic = "containers of small nodes",
            .usual_seconds = 0.6};
}

} // namespace linn::tool
