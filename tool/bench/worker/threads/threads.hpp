// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure.hpp"
#include "own_blocks.hpp"
#include "passed_blocks.hpp"

#include <array>
#include <string_view>

namespace linn::tool::worker {

using program = tally (*)(const work_plan&);

/// Runs `run` with 1, 2, 4 … threads, each time in a process of its own, so that each begins with no memory and the peak is its
/// own.
outcome measure_program(const options& o, std::size_t usual_operations, program run);

template <class Program, class Memory>
outcome run_program(const options& o) {
    return measure_program(o, Program::usual_operations, &Program::template run<Memory>);
}

/// All programs of the group, over one kind of memory.
template <class Memory>
constexpr std::array<variant, 9> all_programs(std::string_view name) {
    return {variant{"larson", name, &run_program<larson, Memory>},
            variant{"mstress", name, &run_program<mstress, Memory>},
            variant{"rptest", name, &run_program<rptest, Memory>},
            variant{"xmalloc-test", name, &run_program<xmalloc_test, Memory>},
            variant{"sh6bench", name, &run_program<sh6bench, Memory>},
            variant{"sh8bench", name, &run_program<sh8bench, Memory>},
            variant{"alloc-test", name, &run_program<alloc_test, Memory>},
            variant{"cache-scratch", name, &run_program<cache_scratch, Memory>},
            variant{"glibc-thread", name, &run_program<glibc_thread, Memory>}};
}

} // namespace linn::tool::worker
