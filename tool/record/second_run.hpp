// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/recording_facts.hpp"
#include "child_program.hpp"

#include <cstdint>
#include <string>

namespace linn::tool {

/// What decides whether a program is run again, without recording, when the user has not said.
struct recorded_run {
    program_end end;
    std::uint64_t events = 0;
    double event_cost_ns = 0;
    std::uint64_t output_bytes = 0; ///< by which the files grew that its standard output and error go to
    bool has_left_processes = false;
    double load_per_cpu = 0; ///< threads that wanted a processor, for each that there is
};

/// Where standard input comes from, for a program that is run twice.
enum class input_kind : std::uint8_t {
    again, ///< a file, which is read from the same place again, or nothing
    terminal,
    once, ///< a pipe or a socket: what was read is gone
};
input_kind kind_of_input();

/// Bytes of the files behind standard output and standard error; 0 where they are none.
std::uint64_t output_file_bytes();

/// Why the program is not run again unasked, as the end of a sentence; empty: it is. Not what may have had an effect that
/// a second run would repeat, nor what waited for something, nor what takes long.
std::string why_not_again(const recorded_run& run, input_kind input);

/// Why the second run is no measure of the first, as the end of a sentence; empty: it is one.
std::string why_not_comparable(const recorded_run& first, const program_end& second);

} // namespace linn::tool
