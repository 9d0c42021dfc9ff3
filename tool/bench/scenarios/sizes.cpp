// SPDX-License-Identifier: Apache-2.0
#include "../scenario.hpp"

#include <array>
#include <initializer_list>
#include <utility>
#include <vector>

namespace linn::tool {
namespace {

using namespace std::string_view_literals;

constexpr std::array phases{
    phase_info{"1", "1 B", 1},
    phase_info{"2", "2 B", 2},
    phase_info{"4", "4 B", 4},
    phase_info{"8", "8 B", 8},
    phase_info{"16", "16 B", 16},
    phase_info{"32", "32 B", 32},
    phase_info{"64", "64 B", 64},
    phase_info{"128", "128 B", 128},
    phase_info{"256", "256 B", 256},
    phase_info{"512", "512 B", 512},
    phase_info{"1024", "1 KiB", 1'024},
    phase_info{"2048", "2 KiB", 2'048},
    phase_info{"4096", "4 KiB", 4'096},
    phase_info{"8192", "8 KiB", 8'192},
    phase_info{"16384", "16 KiB", 16'384},
    phase_info{"32768", "32 KiB", 32'768},
    phase_info{"65536", "64 KiB", 65'536},
    phase_info{"131072", "128 KiB", 131'072},
    phase_info{"262144", "256 KiB", 262'144},
    phase_info{"524288", "512 KiB", 524'288},
    phase_info{"1_two", "1 B on two threads", 1, 2},
    phase_info{"2_two", "2 B on two threads", 2, 2},
    phase_info{"4_two", "4 B on two threads", 4, 2},
    phase_info{"8_two", "8 B on two threads", 8, 2},
    phase_info{"16_two", "16 B on two threads", 16, 2},
    phase_info{"32_two", "32 B on two threads", 32, 2},
    phase_info{"64_two", "64 B on two threads", 64, 2},
    phase_info{"128_two", "128 B on two threads", 128, 2},
    phase_info{"256_two", "256 B on two threads", 256, 2},
    phase_info{"512_two", "512 B on two threads", 512, 2},
    phase_info{"1024_two", "1 KiB on two threads", 1'024, 2},
    phase_info{"2048_two", "2 KiB on two threads", 2'048, 2},
    phase_info{"4096_two", "4 KiB on two threads", 4'096, 2},
    phase_info{"8192_two", "8 KiB on two threads", 8'192, 2},
    phase_info{"16384_two", "16 KiB on two threads", 16'384, 2},
    phase_info{"32768_two", "32 KiB on two threads", 32'768, 2},
    phase_info{"65536_two", "64 KiB on two threads", 65'536, 2},
    phase_info{"131072_two", "128 KiB on two threads", 131'072, 2},
    phase_info{"262144_two", "256 KiB on two threads", 262'144, 2},
    phase_info{"524288_two", "512 KiB on two threads", 524'288, 2},
};

/// The phase of that size and number of threads. A constant that asks for a missing one does not compile.
constexpr std::size_t phase_of(std::size_t bytes, unsigned threads) {
    std::size_t p = 0;
    while (phases[p].bytes != bytes || phases[p].threads != threads) {
        ++p;
    }
    return p;
}

constexpr double pairs = 1.048576; // from nanoseconds a pair to milliseconds for 1 048 576 pairs

constexpr column_info time_of(std::size_t bytes, unsigned threads, std::string_view title,
                              unsigned droppable = 0) {
    return {threads == 1 ? "one thread"sv : "two threads"sv,
            title,
            phase_of(bytes, threads),
            figure::time,
            pairs,
            {},
            droppable,
            1};
}

constexpr std::array columns{
    time_of(1, 1, "1", 5),
    time_of(64, 1, "64"),
    time_of(1'024, 1, "1K"),
    time_of(8'192, 1, "8K"),
    time_of(65'536, 1, "64K"),
    time_of(524'288, 1, "512K"),
    column_info{"one thread", "cliff", phase_of(1, 1), figure::cliff},
    time_of(1, 2, "1", 5),
    time_of(64, 2, "64"),
    time_of(1'024, 2, "1K", 3),
    time_of(8'192, 2, "8K", 4),
    time_of(65'536, 2, "64K", 3),
    time_of(524'288, 2, "512K"),
    column_info{"two threads", "cliff", phase_of(1, 2), figure::cliff},
    column_info{"written", "64K", phase_of(65'536, 1), figure::metric_time, pairs, "touched_cycles", 6, 1},
    column_info{"written", "512K", phase_of(524'288, 1), figure::metric_time, pairs, "touched_cycles", 6, 1},
};

constexpr std::array variants{
    variant_info{"new_delete", "new char[n]", "", ""},
    variant_info{"linn_pool", "linn::pool", "linn", "objects of n bytes"},
    variant_info{"linn_pool_resource", "linn::pool_resource", "linn", "to 128 KiB"},
    variant_info{"linn_buffer_pool", "linn::buffer_pool", "linn", "from 64 KiB"},
};

struct point {
    std::size_t bytes;
    double us;
};
using figures = std::array<double, phases.size()>;

/// Published in microseconds for 1 048 576 pairs; here in milliseconds, by phase.
constexpr figures published_curve(std::initializer_list<point> one_thread,
                                  std::initializer_list<point> two_threads = {}) {
    figures all{};
    for (const point& p : one_thread) {
        all[phase_of(p.bytes, 1)] = p.us / 1e3;
    }
    for (const point& p : two_threads) {
        all[phase_of(p.bytes, 2)] = p.us / 1e3;
    }
    return all;
}

constexpr figures ptmalloc = published_curve({{1, 16'519},
                                              {64, 18'069},
                                              {1'024, 18'446},
                                              {2'048, 21'232},
                                              {8'192, 22'479},
                                              {32'768, 21'562},
                                              {65'536, 24'523},
                                              {262'144, 22'674},
                                              {524'288, 22'735}});
constexpr figures tcmalloc = published_curve({{1, 16'330},
                                              {64, 16'463},
                                              {1'024, 16'429},
                                              {2'048, 16'377},
                                              {8'192, 16'382},
                                              {32'768, 16'380},
                                              {65'536, 16'438},
                                              {262'144, 16'701},
                                              {524'288, 46'855}},
                                             {{524'288, 650'578}});
constexpr figures jemalloc = published_curve({{1, 16'057},
                                              {64, 16'248},
                                              {1'024, 17'374},
                                              {2'048, 18'538},
                                              {8'192, 29'029},
                                              {32'768, 51'371},
                                              {65'536, 360'735},
                                              {262'144, 349'103},
                                              {524'288, 332'748}});
constexpr figures mimalloc = published_curve({{1, 12'493},
                                              {64, 27'421},
                                              {1'024, 26'533},
                                              {2'048, 32'315},
                                              {8'192, 23'697},
                                              {32'768, 23'683},
                                              {65'536, 25'473},
                                              {262'144, 836'834},
                                              {524'288, 836'637}});
constexpr figures hoard = published_curve({{1, 16'652},
                                           {64, 16'848},
                                           {1'024, 15'154},
                                           {2'048, 95'212},
                                           {8'192, 98'308},
                                           {32'768, 95'534},
                                           {65'536, 88'633},
                                           {262'144, 83'833},
                                           {524'288, 84'071}});
constexpr figures windows_heap = published_curve({{1, 43'850}, {524'288, 150'358}});
constexpr figures windows_mimalloc = published_curve({{1, 4'596}, {524'288, 300'475}});

// Which mimalloc was measured is not stated; only its second version had such a cliff.
constexpr std::array published{
    published_row{"glibc", "ptmalloc", ptmalloc, "new_delete"},
    published_row{"tcmalloc", "tcmalloc", tcmalloc, "new_delete"},
    published_row{"jemalloc", "jemalloc", jemalloc, "new_delete"},
    published_row{"mimalloc2", "mimalloc", mimalloc, "new_delete"},
    published_row{"hoard", "Hoard", hoard, "new_delete"},
    published_row{"", "Windows, default heap", windows_heap, "new_delete"},
    published_row{"", "Windows, mimalloc", windows_mimalloc, "new_delete"},
};

constexpr std::array remarks{
    "Allocated and freed at once, never written: what the allocator costs, not the memory. Sizes in bytes, "
    "K: "
    "KiB; of 20 sizes six are shown, --json and --csv have all. cliff: from which size a pair costs more "
    "than "
    "3 x what it does at half that size, and how much more."sv,
    "written (wide terminals): the same with the block filled. linn::pool holds objects of n bytes; "
    "linn::pool_resource serves up to 128 KiB itself, linn::buffer_pool is for 64 KiB and more."sv,
    "published: ms for 1 048 576 pairs; on two threads, in words: tcmalloc 651 at 512 KiB, Hoard 416 to 657 "
    "from 2 to 32 KiB, otherwise the same cliffs. On Windows: default heap 43.9 at 1 B and 150 at 512 KiB, "
    "mimalloc "
    "4.6 and 300. bmalloc was described, not measured."sv,
};

constexpr std::array general{"new_delete"sv};

constexpr std::array comparisons{
    comparison_info{"linn_pool", general, "new on the best allocator", "new char[n]"},
    comparison_info{"linn_pool_resource", general, "new on the best allocator", "new char[n]"},
    comparison_info{"linn_buffer_pool", general, "new on the best allocator", "new char[n]"},
};

} // namespace

std::vector<scenario> sizes_scenarios() {
    return {scenario{.name = "sizes",
                     .summary = "new char[n] and delete[] of 1 to 524288 bytes, on one thread and on two",
                     .operation = "pair",
                     .phases = phases,
                     .published = published,
                     .published_unit = "ms for 1048576 pairs",
                     .variants = variants,
                     .baseline = "new_delete",
                     .heading = "a block of n bytes allocated and freed at once; ms for 1 048 576 pairs",
                     .columns = columns,
                     .remarks = remarks,
                     .comparisons = comparisons,
                     .touched_mib = 16,
                     .usual_seconds = 0.4}};
}

} // namespace linn::tool
