// SPDX-License-Identifier: Apache-2.0
#include "../scenario.hpp"

#include <array>
#include <vector>

namespace linn::tool {
namespace {

using namespace std::string_view_literals;

constexpr std::array phases{
    phase_info{"64k", "64 KiB"},
    phase_info{"64k_page", "64 KiB, a page touched"},
    phase_info{"64k_filled", "64 KiB filled"},
    phase_info{"1m", "1 MiB"},
    phase_info{"1m_page", "1 MiB, a page touched"},
    phase_info{"1m_filled", "1 MiB filled"},
    phase_info{"8m", "8 MiB"},
    phase_info{"8m_page", "8 MiB, a page touched"},
    phase_info{"8m_filled", "8 MiB filled"},
};

constexpr double us = 1e-3;
constexpr std::array columns{
    column_info{"64 KiB", "unused", 0, figure::time, us},
    column_info{"64 KiB", "page", 1, figure::time, us, {}, 3},
    column_info{"64 KiB", "filled", 2, figure::time, us},
    column_info{"1 MiB", "unused", 3, figure::time, us},
    column_info{"1 MiB", "page", 4, figure::time, us, {}, 3},
    column_info{"1 MiB", "filled", 5, figure::time, us},
    column_info{"8 MiB", "unused", 6, figure::time, us},
    column_info{"8 MiB", "page", 7, figure::time, us, {}, 3},
    column_info{"8 MiB", "filled", 8, figure::time, us},
    column_info{"8 MiB", "faults", 8, figure::faults},
};

constexpr std::array variants{
    variant_info{"new_array", "new char[n]", "", ""},
    variant_info{"make_unique", "make_unique<char[]>(n)", "", "fills with zeros"},
    variant_info{"make_unique_for_overwrite", "make_unique_for_overwrite", "", ""},
    variant_info{"make_shared", "make_shared<line>()", "", "fills with zeros"},
    variant_info{"mmap", "mmap and munmap", "mmap", ""},
    variant_info{"linn_buffer_pool", "linn::buffer_pool", "linn", "acquire()"},
    variant_info{"linn_buffer_pool_shared", "linn::buffer_pool, shared", "linn", "acquire_shared()"},
};

constexpr std::array remarks{
    "Acquire and release after a warm-up, one buffer at a time; unused: nothing is written; page: the first "
    "4096 bytes; filled: all. faults: page faults an operation when filled."sv,
    "glibc, no trim: MALLOC_TRIM_THRESHOLD_ raised and MALLOC_MMAP_THRESHOLD_ at its most, 32 MiB."sv,
};

constexpr std::array not_filling{"new_array"sv, "make_unique_for_overwrite"sv, "mmap"sv};
constexpr std::array shared_ways{"make_shared"sv};

constexpr std::array comparisons{
    comparison_info{"linn_buffer_pool", not_filling, "memory without a fill, from the best allocator",
                    "new, for_overwrite, mmap"},
    comparison_info{"linn_buffer_pool_shared", shared_ways, "make_shared<line>() on the best allocator",
                    "make_shared<line>()"},
};

} // namespace

std::vector<scenario> buffers_scenarios() {
    return {scenario{.name = "buffers",
                     .summary = "buffers of 64 KiB, 1 MiB and 8 MiB acquired, used and released",
                     .operation = "buffer",
                     .phases = phases,
                     .variants = variants,
                     .baseline = "new_array",
                     .heading = "buffers acquired, used and released; us an operation",
                     .columns = columns,
                     .remarks = remarks,
                     .comparisons = comparisons,
                     .touched_mib = 64,
                     .usual_seconds = 0.18}};
}

} // namespace linn::tool
