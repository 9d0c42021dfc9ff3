// SPDX-License-Identifier: Apache-2.0
#include "children.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace linn::tool::launcher {
namespace {

struct event {
    std::uint32_t type;
    std::uint64_t config;
};

constexpr std::uint64_t dtlb_read_miss =
    PERF_COUNT_HW_CACHE_DTLB | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16;

constexpr event hardware[counter_count] = {
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {PERF_TYPE_HW_CACHE, dtlb_read_miss},
};

// Every machine has these: they show that the machinery works where there is no hardware counter.
constexpr event software[counter_count] = {
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},      {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN}, {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
};

} // namespace

void counters::open(counter_set which, report& into) noexcept {
    if (which == counter_set::none) {
        return;
    }
    const event* const events = which == counter_set::hardware ? hardware : software;
    for (std::size_t i = 0; i != counter_count; ++i) {
        perf_event_attr a{};
        a.size = sizeof a;
        a.type = events[i].type;
        a.config = events[i].config;
        a.disabled = 1;
        a.inherit = 1;
        a.enable_on_exec = 1; // this process never execs, so only its children are counted
        a.exclude_kernel = 1;
        a.exclude_hv = 1;
        a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
        fds_[i] = static_cast<int>(::syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
        if (fds_[i] < 0 && into.counter_error == 0) {
            into.counter_error = errno;
        }
    }
}

void counters::read(report& into) noexcept {
    for (std::size_t i = 0; i != counter_count; ++i) {
        std::uint64_t got[3] = {}; // count, time enabled, time running
        if (fds_[i] < 0 || ::read(fds_[i], got, sizeof got) != sizeof got || got[2] == 0) {
            continue;
        }
        into.counts[i] = got[1] == got[2] ? got[0]
                                          : static_cast<std::uint64_t>(static_cast<double>(got[0]) *
                                                                       static_cast<double>(got[1]) /
                                                                       static_cast<double>(got[2]));
        into.counted[i] = true;
    }
}

} // namespace linn::tool::launcher
