// SPDX-License-Identifier: Apache-2.0
#include "../scenario.hpp"
#include "parts.hpp"

namespace linn::tool {
namespace {

using namespace std::string_view_literals;

constexpr std::array phases{phase_info{"first", "first pass"}, phase_info{"many", "many"},
                            phase_info{"hot_pair", "hot pair"}};
constexpr auto columns = cycle_columns(phases);
constexpr auto variants = pool_variants("new and delete", "linn::pooled");

constexpr std::array glibc{0.0, 107.0, 0.0};
constexpr std::array tcmalloc{0.0, 27.0, 0.0};
constexpr std::array lecture{0.0, 8.0, 0.0};

constexpr std::array published{
    published_row{"glibc", "class without its own operator new", glibc, "general"},
    published_row{"tcmalloc", "class without its own operator new", tcmalloc, "general"},
    published_row{"lecture-pool", "class with operator new over the pool", lecture, "lecture_pool"},
};

constexpr std::array remarks{
    "first pass: fresh memory, page faults included; many: later passes; hot pair: each object freed at once."sv,
    nothing_walks,
};

constexpr std::array comparisons{comparison_info{"linn", other_pools, "the best other", "all others"}};

} // namespace

std::vector<scenario> object_scenarios() {
    return {scenario{
        .name = "object",
        .summary = "a class with operator new/delete over a pool against the same class without",
        .operation = "pair",
        .phases = phases,
        .published = published,
        .published_unit = "cycles",
        .published_remark = "published, for many: a class without its own operator new, and one with it "
                            "over the lecture pool.",
        .variants = variants,
        .baseline = "general",
        .heading = "{objects} objects of {object_bytes} bytes allocated, then freed; cycles a pair",
        .columns = columns,
        .remarks = remarks,
        .comparisons = comparisons,
        .sized_by = work_size::objects,
        .usual_seconds = 0.08}};
}

} // namespace linn::tool
