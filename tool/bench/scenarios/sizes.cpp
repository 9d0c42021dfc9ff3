// SPDX-License-Identifier: Apache-2.0
#include "../scenario.hpp"

#include <array>
#include <bit>

namespace linn::tool {
namespace {

constexpr unsigned size_count = 20; // 1 B, 2 B, 4 B ... 512 KiB

/// The phase of that size and number of threads: all sizes on one thread, then all on two.
std::size_t phase_of(std::size_t bytes, unsigned threads) {
    return static_cast<std::size_t>(std::countr_zero(bytes)) + (threads - 1) * size_count;
}

std::vector<phase_info> all_phases() {
    std::vector<phase_info> phases;
    for (const unsigned threads : {1U, 2U}) {
        for (unsigned i = 0; i != size_count; ++i) {
            const std::size_t bytes = std::size_t{1} << i;
            const std::string title =
                bytes < 1'024 ? std::to_string(bytes) + " B" : std::to_string(bytes / 1'024) + " KiB";
            phases.push_back({std::to_string(bytes) + (threads == 1 ? "" : "_two"),
                              title + (threads == 1 ? "" : " on two threads"), bytes, threads});
        }
    }
    return phases;
}

constexpr double pairs = 1.048576; // from nanoseconds a pair to milliseconds for 1 048 576 pairs

column_info time_of(std::size_t bytes, unsigned threads, std::string_view title, unsigned droppable = 0) {
    return {threads == 1 ? "one thread" : "two threads",
            title,
            phase_of(bytes, threads),
            figure::time,
            pairs,
            {},
            droppable,
            1};
}

/// Published in microseconds for 1 048 576 pairs on one thread; here in milliseconds, by phase. 0: not published.
std::vector<double> curve(const std::array<double, 9>& us) {
    constexpr std::array<std::size_t, 9> sizes{1, 64, 1'024, 2'048, 8'192, 32'768, 65'536, 262'144, 524'288};
    std::vector<double> all(2 * size_count);
    for (std::size_t i = 0; i != sizes.size(); ++i) {
        all[phase_of(sizes[i], 1)] = us[i] / 1e3;
    }
    return all;
}

std::vector<published_row> published_curves() {
    std::vector<double> tcmalloc =
        curve({16'330, 16'463, 16'429, 16'377, 16'382, 16'380, 16'438, 16'701, 46'855});
    tcmalloc[phase_of(524'288, 2)] = 650.578;
    // Which mimalloc was measured is not stated; only its second version had such a cliff.
    return {{"glibc", "ptmalloc", "new_delete",
             curve({16'519, 18'069, 18'446, 21'232, 22'479, 21'562, 24'523, 22'674, 22'735})},
            {"tcmalloc", "tcmalloc", "new_delete", tcmalloc},
            {"jemalloc", "jemalloc", "new_delete",
             curve({16'057, 16'248, 17'374, 18'538, 29'029, 51'371, 360'735, 349'103, 332'748})},
            {"mimalloc2", "mimalloc", "new_delete",
             curve({12'493, 27'421, 26'533, 32'315, 23'697, 23'683, 25'473, 836'834, 836'637})},
            {"hoard", "Hoard", "new_delete",
             curve({16'652, 16'848, 15'154, 95'212, 98'308, 95'534, 88'633, 83'833, 84'071})},
            {"", "Windows, default heap", "new_delete", curve({43'850, 0, 0, 0, 0, 0, 0, 0, 150'358})},
            {"", "Windows, mimalloc", "new_delete", curve({4'596, 0, 0, 0, 0, 0, 0, 0, 300'475})}};
}

} // namespace

scenario sizes_scenario() {
    return {
        .name = "sizes",
        .summary = "new char[n] and delete[] of 1 to 524288 bytes, on one thread and on two",
        .operation = "pair",
        .heading = "a block of n bytes allocated and freed at once; ms for 1 048 576 pairs",
        .baseline = "new_delete",
        .variants = {{"new_delete", "new char[n]"},
                     {"linn_pool", "linn::pool", "linn", "objects of n bytes"},
                     {"linn_pool_resource", "linn::pool_resource", "linn", "to 128 KiB"},
                     {"linn_buffer_pool", "linn::buffer_pool", "linn", "from 64 KiB"}},
        .comparisons = {against_new("linn_pool", "new char[n]"),
                        against_new("linn_pool_resource", "new char[n]"),
                        against_new("linn_buffer_pool", "new char[n]")},
        .remarks =
            {"Allocated and freed at once, never written: what the allocator costs, not the memory. Sizes "
             "in bytes, K: KiB; of 20 sizes six are shown, --json and --csv have all. cliff: from which "
             "size a pair costs more than 3 x what it does at half that size, and how much more.",
             "written (wide terminals): the same with the block filled. linn::pool holds objects of n "
             "bytes; linn::pool_resource serves up to 128 KiB itself, linn::buffer_pool is for 64 KiB and "
             "more.",
             "published: ms for 1 048 576 pairs; on two threads, in words: tcmalloc 651 at 512 KiB, Hoard "
             "416 to 657 from 2 to 32 KiB, otherwise the same cliffs. On Windows: default heap 43.9 at 1 B "
             "and 150 at 512 KiB, mimalloc 4.6 and 300. bmalloc was described, not measured."},
        .phases = all_phases(),
        .columns = {time_of(1, 1, "1", 5),
                    time_of(64, 1, "64"),
                    time_of(1'024, 1, "1K"),
                    time_of(8'192, 1, "8K"),
                    time_of(65'536, 1, "64K"),
                    time_of(524'288, 1, "512K"),
                    {"one thread", "cliff", phase_of(1, 1), figure::cliff},
                    time_of(1, 2, "1", 5),
                    time_of(64, 2, "64"),
                    time_of(1'024, 2, "1K", 3),
                    time_of(8'192, 2, "8K", 4),
                    time_of(65'536, 2, "64K", 3),
                    time_of(524'288, 2, "512K"),
                    {"two threads", "cliff", phase_of(1, 2), figure::cliff},
                    {"written", "64K", phase_of(65'536, 1), figure::metric_time, pairs, "touched_cycles", 6,
                     1},
                    {"written", "512K", phase_of(524'288, 1), figure::metric_time, pairs, "touched_cycles", 6,
                     1}},
        .published = published_curves(),
        .published_unit = "ms for 1048576 pairs",
        .touched_mib = 16,
        .usual_seconds = 0.4};
}

} // namespace linn::tool
