// SPDX-License-Identifier: Apache-2.0
#include "../scenario.hpp"

#include <array>
#include <vector>

namespace linn::tool {
namespace {

using namespace std::string_view_literals;

constexpr std::array phases{
    phase_info{"small", "100 B"},
    phase_info{"small_memset", "100 B and memset"},
    phase_info{"large", "100 MB"},
    phase_info{"large_memset", "100 MB and memset"},
    phase_info{"large_all_cores", "100 MB and memset on all cores"},
    phase_info{"line", "8 MiB recycled"},
    phase_info{"line_memset", "8 MiB recycled and memset"},
};

// From nanoseconds an object to milliseconds for 500 MB of objects.
constexpr double small_total = 5'000'000 * 1e-6;
constexpr double large_total = 5 * 1e-6;
constexpr double to_us = 1e-3;

constexpr std::array columns{
    column_info{"100 B", "unused", 0, figure::time, small_total},
    column_info{"100 B", "memset", 1, figure::time, small_total},
    column_info{"100 MB", "unused", 2, figure::time, large_total},
    column_info{"100 MB", "memset", 3, figure::time, large_total},
    column_info{"100 MB", "all cores", 4, figure::time, large_total},
    column_info{"8 MiB again", "unused", 5, figure::time, to_us},
    column_info{"8 MiB again", "memset", 6, figure::time, to_us},
    column_info{"8 MiB again", "faults", 6, figure::faults, 1, {}, 2},
};

constexpr std::array variants{
    variant_info{"make_shared", "std::make_shared, no constructor", "",
                 "the object is filled with zeros first"},
    variant_info{"make_shared_constructor", "std::make_shared, empty constructor", "", "no fill"},
    variant_info{"make_shared_for_overwrite", "std::make_shared_for_overwrite", "", "no fill"},
    variant_info{"linn_make_shared_for_overwrite", "linn::make_shared_for_overwrite", "linn", ""},
    variant_info{"linn_recycler", "recycler acquire_shared()", "linn", ""},
    variant_info{"linn_buffer_pool", "buffer_pool acquire_shared()", "linn", ""},
};

constexpr std::array no_constructor{452.0, 488.0, 105.0, 125.0, 702.0, 0.0, 0.0};
constexpr std::array empty_constructor{444.0, 453.0, 0.0105, 102.0, 420.0, 0.0, 0.0};

constexpr std::array published{
    published_row{"glibc", "no constructor", no_constructor, "make_shared"},
    published_row{"glibc", "empty constructor", empty_constructor, "make_shared_constructor"},
};

constexpr std::array remarks{
    "One object after another; on all cores 500 MB each. unused: nothing is written; memset: all of it is, "
    "behind a barrier, so that no compiler joins the two fills."sv,
    "The second 100 MB object may get the memory of the first again, from a pool and from allocators that "
    "keep so much. Fresh memory costs page faults, which hide the fill; 8 MiB are taken again and again."sv,
};

constexpr std::array filling{"make_shared"sv};
constexpr std::array not_filling{"make_shared_constructor"sv, "make_shared_for_overwrite"sv};

constexpr std::array comparisons{
    comparison_info{"linn_make_shared_for_overwrite", filling, "std::make_shared without a constructor",
                    "make_shared, no constructor"},
    comparison_info{"linn_recycler", not_filling, "std::make_shared_for_overwrite on the best allocator",
                    "for_overwrite, no fill"},
};

} // namespace

std::vector<scenario> zero_fill_scenarios() {
    return {
        scenario{.name = "zero-fill",
                 .summary = "the zeros that make_shared<T>() writes before anybody asks for them",
                 .operation = "object",
                 .phases = phases,
                 .published = published,
                 .published_unit = "ms for 500 MB",
                 .variants = variants,
                 .baseline = "make_shared",
                 .heading = "objects made and let go; 100 B and 100 MB: ms for 500 MB in all; 8 MiB: us each",
                 .columns = columns,
                 .remarks = remarks,
                 .comparisons = comparisons,
                 .touched_mib = 128,
                 .usual_seconds = 0.4}};
}

} // namespace linn::tool
