// SPDX-License-Identifier: Apache-2.0
#include "../scenario.hpp"

namespace linn::tool {

scenario zero_fill_scenario() {
    // From nanoseconds an object to milliseconds for 500 MB of objects.
    constexpr double small_total = 5'000'000 * 1e-6;
    constexpr double large_total = 5 * 1e-6;
    constexpr double us = 1e-3;
    return {.name = "zero-fill",
            .summary = "the zeros that make_shared<T>() writes before anybody asks for them",
            .operation = "object",
            .heading = "objects made and let go; 100 B and 100 MB: ms for 500 MB in all; 8 MiB: us each",
            .baseline = "make_shared",
            .variants = {{"make_shared", "std::make_shared, no constructor", "",
                          "the object is filled with zeros first"},
                         {"make_shared_constructor", "std::make_shared, empty constructor", "", "no fill"},
                         {"make_shared_for_overwrite", "std::make_shared_for_overwrite", "", "no fill"},
                         {"linn_make_shared_for_overwrite", "linn::make_shared_for_overwrite", "linn"},
                         {"linn_recycler", "recycler acquire_shared()", "linn"},
                         {"linn_buffer_pool", "buffer_pool acquire_shared()", "linn"}},
            .comparisons = {{"linn_make_shared_for_overwrite",
                             {"make_shared"},
                             "std::make_shared without a constructor",
                             "make_shared, no constructor"},
                            {"linn_recycler",
                             {"make_shared_constructor", "make_shared_for_overwrite"},
                             "std::make_shared_for_overwrite on the best allocator",
                             "for_overwrite, no fill"}},
            .remarks = {"One object after another; on all cores 500 MB each. unused: nothing is written; "
                        "memset: all of it is, behind a barrier, so that no compiler joins the two fills.",
                        "The second 100 MB object may get the memory of the first again, from a pool and "
                        "from allocators that keep so much. Fresh memory costs page faults, which hide the "
                        "fill; 8 MiB are taken again and again."},
            .phases = {{"small", "100 B"},
                       {"small_memset", "100 B and memset"},
                       {"large", "100 MB"},
                       {"large_memset", "100 MB and memset"},
                       {"large_all_cores", "100 MB and memset on all cores"},
                       {"line", "8 MiB recycled"},
                       {"line_memset", "8 MiB recycled and memset"}},
            .columns = {{"100 B", "unused", 0, figure::time, small_total},
                        {"100 B", "memset", 1, figure::time, small_total},
                        {"100 MB", "unused", 2, figure::time, large_total},
                        {"100 MB", "memset", 3, figure::time, large_total},
                        {"100 MB", "all cores", 4, figure::time, large_total},
                        {"8 MiB again", "unused", 5, figure::time, us},
                        {"8 MiB again", "memset", 6, figure::time, us},
                        {"8 MiB again", "faults", 6, figure::faults, 1, {}, 2}},
            .published = {{"glibc", "no constructor", "make_shared", {452, 488, 105, 125, 702, 0, 0}},
                          {"glibc",
                           "empty constructor",
                           "make_shared_constructor",
                           {444, 453, 0.0105, 102, 420, 0, 0}}},
            .published_unit = "ms for 500 MB",
            .touched_mib = 128,
            .usual_seconds = 0.4};
}

scenario buffers_scenario() {
    constexpr double us = 1e-3;
    scenario s = on_grid(
        {.name = "buffers",
         .summary = "buffers of 64 KiB, 1 MiB and 8 MiB acquired, used and released",
         .operation = "buffer",
         .heading = "buffers acquired, used and released; us an operation",
         .baseline = "new_array",
         .variants = {{"new_array", "new char[n]"},
                      {"make_unique", "make_unique<char[]>(n)", "", "fills with zeros"},
                      {"make_unique_for_overwrite", "make_unique_for_overwrite"},
                      {"make_shared", "make_shared<line>()", "", "fills with zeros"},
                      {"mmap", "mmap and munmap", "mmap"},
                      {"linn_buffer_pool", "linn::buffer_pool", "linn", "acquire()"},
                      {"linn_buffer_pool_shared", "linn::buffer_pool, shared", "linn", "acquire_shared()"}},
         .comparisons = {{"linn_buffer_pool",
                          {"new_array", "make_unique_for_overwrite", "mmap"},
                          "memory without a fill, from the best allocator",
                          "new, for_overwrite, mmap"},
                         {"linn_buffer_pool_shared",
                          {"make_shared"},
                          "make_shared<line>() on the best allocator",
                          "make_shared<line>()"}},
         .remarks = {"Acquire and release after a warm-up, one buffer at a time; unused: nothing is "
                     "written; page: the first 4096 bytes; filled: all. faults: page faults an operation "
                     "when filled.",
                     "glibc, no trim: MALLOC_TRIM_THRESHOLD_ raised and MALLOC_MMAP_THRESHOLD_ at its "
                     "most, 32 MiB."},
         .touched_mib = 64,
         .usual_seconds = 0.18},
        {{"64k", "64 KiB"}, {"1m", "1 MiB"}, {"8m", "8 MiB"}},
        {{"", "unused"}, {"page", "page", 3}, {"filled", "filled"}}, us);
    s.columns.push_back({"8 MiB", "faults", s.phases.size() - 1, figure::faults});
    return s;
}

} // namespace linn::tool
