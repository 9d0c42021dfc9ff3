// SPDX-License-Identifier: Apache-2.0
#include "all.hpp"

#include <array>

namespace linn::tool {
namespace {

constexpr std::array phases{phase_info{"first", "first pass"}, phase_info{"many", "many"},
                            phase_info{"hot_pair", "hot pair"}};

constexpr std::array glibc{0.0, 107.0, 0.0};
constexpr std::array tcmalloc{0.0, 27.0, 0.0};
constexpr std::array lecture{0.0, 8.0, 0.0};

constexpr std::array published{
    published_row{"glibc", "class without its own operator new", glibc},
    published_row{"tcmalloc", "class without its own operator new", tcmalloc},
    published_row{"lecture-pool", "class with operator new over the pool", lecture},
};

} // namespace

scenario object_scenario() noexcept {
    return {.name = "object",
            .summary = "a class with operator new/delete over a pool against the same class without",
            .operation = "pair",
            .phases = phases,
            .published = published,
            .published_unit = "cycles",
            .published_remark = "",
            .topic = "objects with an operator new of their own",
            .usual_seconds = 0.08};
}

} // namespace linn::tool
