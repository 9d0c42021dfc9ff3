// SPDX-License-Identifier: Apache-2.0
#include "scenario.hpp"

#include <array>

namespace linn::tool {
namespace {

constexpr std::array container_phases{phase_info{"insert", "insert"}, phase_info{"erase", "erase"},
                                      phase_info{"insert_again", "insert again"}};

constexpr std::array glibc_cycles{307.0, 162.0, 176.0};
constexpr std::array tcmalloc_cycles{250.0, 116.0, 117.0};
constexpr std::array pmr_cycles{272.0, 210.0, 169.0};
constexpr std::array lecture_cycles{199.0, 112.0, 110.0};
constexpr std::array apple_cycles{449.0, 492.0, 305.0};
constexpr std::array msvc_cycles{366.0, 185.0, 300.0};

constexpr std::array container_rows{
    published_row{"glibc", "GCC 10.3, Ubuntu 20.04", glibc_cycles},
    published_row{"tcmalloc", "GCC 10.3, Ubuntu 20.04", tcmalloc_cycles},
    published_row{"pmr-unsynchronized", "GCC 10.3, Ubuntu 20.04", pmr_cycles},
    published_row{"lecture-pool", "GCC 10.3, Ubuntu 20.04", lecture_cycles},
    published_row{"", "Apple Clang 12, macOS 10.15", apple_cycles},
    published_row{"", "MSVC 19.29, Windows 10", msvc_cycles},
};

constexpr std::array object_phases{phase_info{"first", "first pass"}, phase_info{"many", "many"},
                                   phase_info{"hot_pair", "hot pair"}};

constexpr std::array object_glibc{0.0, 107.0, 0.0};
constexpr std::array object_tcmalloc{0.0, 27.0, 0.0};
constexpr std::array object_lecture{0.0, 8.0, 0.0};

constexpr std::array object_rows{
    published_row{"glibc", "class without its own operator new", object_glibc},
    published_row{"tcmalloc", "class without its own operator new", object_tcmalloc},
    published_row{"lecture-pool", "class with operator new over the pool", object_lecture},
};

constexpr std::array all{
    scenario{"object", "a class with operator new/delete over a pool against the same class without", "pair",
             object_phases, object_rows, ""},
    scenario{"containers", "insert, erase and insert again random integers in an unordered_set<int>",
             "operation", container_phases, container_rows,
             "pmr synchronized was published in words: slower than the default on Linux"},
};

} // namespace

std::span<const scenario> scenarios() noexcept {
    return all;
}

const scenario* find_scenario(std::string_view name) noexcept {
    for (const scenario& s : all)
        if (s.name == name)
            return &s;
    return nullptr;
}

const published_row* find_published(const scenario& s, std::string_view contender) noexcept {
    for (const published_row& row : s.published)
        if (!contender.empty() && row.contender == contender)
            return &row;
    return nullptr;
}

} // namespace linn::tool
