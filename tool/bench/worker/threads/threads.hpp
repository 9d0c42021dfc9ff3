// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../variant.hpp"
#include "alloc_test.hpp"
#include "cache_scratch.hpp"
#include "glibc_thread.hpp"
#include "larson.hpp"
#include "mstress.hpp"
#include "rptest.hpp"
#include "sh6bench.hpp"
#include "sh8bench.hpp"
#include "xmalloc_test.hpp"

#include <array>
#include <string_view>

namespace linn::tool::worker {

using program = tally (*)(const work_plan&);

/// Runs `run` with 1, 2, 4 … threads, each time in a process of its own, so that each begins with no memory and the peak is its
/// own. Where there is `with_timed_locks`, the same program over timed locks, it is run as well, up to the number of CPUs,
/// and the phase says what the busiest lock costs.
outcome measure_program(const options& o, std::size_t usual_operations, program run,
                        program with_timed_locks);

/// Where the memory has no locks that could be timed.
struct no_timed_memory {};

template <class Program, class Memory, class TimedMemory>
outcome run_program(const options& o) {
    program with_timed_locks = nullptr;
    if constexpr (!std::is_same_v<TimedMemory, no_timed_memory>) {
        with_timed_locks = &Program::template run<TimedMemory>;
    }
    return measure_program(o, Program::usual_operations, &Program::template run<Memory>, with_timed_locks);
}

/// All programs of the group, over one kind of memory.
template <class Memory, class TimedMemory = no_timed_memory>
constexpr std::array<variant, 9> all_programs(std::string_view name) {
    return {variant{"larson", name, &run_program<larson, Memory, TimedMemory>},
            variant{"mstress", name, &run_program<mstress, Memory, TimedMemory>},
            variant{"rptest", name, &run_program<rptest, Memory, TimedMemory>},
            variant{"xmalloc-test", name, &run_program<xmalloc_test, Memory, TimedMemory>},
            variant{"sh6bench", name, &run_program<sh6bench, Memory, TimedMemory>},
            variant{"sh8bench", name, &run_program<sh8bench, Memory, TimedMemory>},
            variant{"alloc-test", name, &run_program<alloc_test, Memory, TimedMemory>},
            variant{"cache-scratch", name, &run_program<cache_scratch, Memory, TimedMemory>},
            variant{"glibc-thread", name, &run_program<glibc_thread, Memory, TimedMemory>}};
}

} // namespace linn::tool::worker
