// SPDX-License-Identifier: Apache-2.0
#include "../scenario.hpp"

#include <array>

namespace linn::tool {

scenario zero_fill_scenario() {
    static constexpr std::array phases{
        phase_info{"small", "100 B"},
        phase_info{"small_memset", "100 B and memset"},
        phase_info{"large", "100 MB"},
        phase_info{"large_memset", "100 MB and memset"},
        phase_info{"large_all_cores", "100 MB and memset on all cores"},
        phase_info{"line", "8 MiB recycled"},
        phase_info{"line_memset", "8 MiB recycled and memset"},
    };
    // From nanoseconds an object to milliseconds for 500 MB of objects.
    static constexpr double small_total = 5'000'000 * 1e-6;
    static constexpr double large_total = 5 * 1e-6;
    static constexpr double to_us = 1e-3;
    static constexpr std::array columns{
        column_info{"100 B", "unused", 0, figure::time, small_total},
        column_info{"100 B", "memset", 1, figure::time, small_total},
        column_info{"100 MB", "unused", 2, figure::time, large_total},
        column_info{"100 MB", "memset", 3, figure::time, large_total},
        column_info{"100 MB", "all cores", 4, figure::time, large_total},
        column_info{"8 MiB again", "unused", 5, figure::time, to_us},
        column_info{"8 MiB again", "memset", 6, figure::time, to_us},
        column_info{"8 MiB again", "faults", 6, figure::faults, 1, {}, 2},
    };
    static constexpr std::array variants{
        variant_info{"make_shared", "std::make_shared, no constructor", "",
                     "the object is filled with zeros first"},
        variant_info{"make_shared_constructor", "std::make_shared, empty constructor", "", "no fill"},
        variant_info{"make_shared_for_overwrite", "std::make_shared_for_overwrite", "", "no fill"},
        variant_info{"linn_make_shared_for_overwrite", "linn::make_shared_for_overwrite", "linn"},
        variant_info{"linn_recycler", "recycler acquire_shared()", "linn"},
        variant_info{"linn_buffer_pool", "buffer_pool acquire_shared()", "linn"},
    };
    static constexpr std::array no_constructor{452.0, 488.0, 105.0, 125.0, 702.0, 0.0, 0.0};
    static constexpr std::array empty_constructor{444.0, 453.0, 0.0105, 102.0, 420.0, 0.0, 0.0};
    static constexpr std::array published{
        published_row{"glibc", "no constructor", no_constructor, "make_shared"},
        published_row{"glibc", "empty constructor", empty_constructor, "make_shared_constructor"},
    };
    static constexpr std::string_view remarks[]{
        "One object after another; on all cores 500 MB each. unused: nothing is written; memset: all of it "
        "is, behind a barrier, so that no compiler joins the two fills.",
        "The second 100 MB object may get the memory of the first again, from a pool and from allocators "
        "that keep so much. Fresh memory costs page faults, which hide the fill; 8 MiB are taken again and "
        "again.",
    };
    static constexpr std::string_view filling[]{"make_shared"};
    static constexpr std::string_view not_filling[]{"make_shared_constructor", "make_shared_for_overwrite"};
    static constexpr std::array comparisons{
        comparison_info{"linn_make_shared_for_overwrite", filling, "std::make_shared without a constructor",
                        "make_shared, no constructor"},
        comparison_info{"linn_recycler", not_filling, "std::make_shared_for_overwrite on the best allocator",
                        "for_overwrite, no fill"},
    };
    return {.name = "zero-fill",
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
            .usual_seconds = 0.4};
}

scenario buffers_scenario() {
    static constexpr std::array phases{
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
    static constexpr double us = 1e-3;
    static constexpr std::array columns{
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
    static constexpr std::array variants{
        variant_info{"new_array", "new char[n]"},
        variant_info{"make_unique", "make_unique<char[]>(n)", "", "fills with zeros"},
        variant_info{"make_unique_for_overwrite", "make_unique_for_overwrite"},
        variant_info{"make_shared", "make_shared<line>()", "", "fills with zeros"},
        variant_info{"mmap", "mmap and munmap", "mmap"},
        variant_info{"linn_buffer_pool", "linn::buffer_pool", "linn", "acquire()"},
        variant_info{"linn_buffer_pool_shared", "linn::buffer_pool, shared", "linn", "acquire_shared()"},
    };
    static constexpr std::string_view remarks[]{
        "Acquire and release after a warm-up, one buffer at a time; unused: nothing is written; page: the "
        "first 4096 bytes; filled: all. faults: page faults an operation when filled.",
        "glibc, no trim: MALLOC_TRIM_THRESHOLD_ raised and MALLOC_MMAP_THRESHOLD_ at its most, 32 MiB.",
    };
    static constexpr std::string_view not_filling[]{"new_array", "make_unique_for_overwrite", "mmap"};
    static constexpr std::string_view shared_ways[]{"make_shared"};
    static constexpr std::array comparisons{
        comparison_info{"linn_buffer_pool", not_filling, "memory without a fill, from the best allocator",
                        "new, for_overwrite, mmap"},
        comparison_info{"linn_buffer_pool_shared", shared_ways, "make_shared<line>() on the best allocator",
                        "make_shared<line>()"},
    };
    return {.name = "buffers",
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
            .usual_seconds = 0.18};
}

} // namespace linn::tool
