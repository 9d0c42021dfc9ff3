// SPDX-License-Identifier: Apache-2.0
#include "second_run.hpp"

#include "../measure/quantity.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace linn::tool {
namespace {

using figures::unit;
using figures::written;

constexpr double longest_ns = 60e9;
/// A program that used less of its time than this waited: for a user, a network, a clock.
constexpr double least_busy = 0.5;
/// Starting a process takes milliseconds, in which it uses no CPU time of its own.
constexpr double start_ns = 50e6;
constexpr std::uint64_t page_bytes = 4096;
/// The second run may take this share of the first run's estimated time without recording, and so much more than all of it.
constexpr double least_share = 0.5;
constexpr double most_share = 1.2;
constexpr double noise_ns = 20e6;

double cpu_ns(const program_end& end) {
    return end.user_ns + end.system_ns;
}

} // namespace

input_kind kind_of_input() {
    struct stat input{};
    if (::isatty(STDIN_FILENO) == 1) {
        return input_kind::terminal;
    }
    if (::fstat(STDIN_FILENO, &input) == 0 && (S_ISFIFO(input.st_mode) || S_ISSOCK(input.st_mode))) {
        return input_kind::once;
    }
    return input_kind::again;
}

std::uint64_t output_file_bytes() {
    std::uint64_t bytes = 0;
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
        if (struct stat s{}; ::fstat(stream, &s) == 0 && S_ISREG(s.st_mode)) {
            bytes += static_cast<std::uint64_t>(s.st_size);
        }
    }
    return bytes;
}

std::string why_not_again(const recorded_run& run, input_kind input) {
    const program_end& end = run.end;
    if (input == input_kind::once) {
        return "its standard input is a pipe, which can be read once";
    }
    if (end.was_told || end.exit_status >= 128) {
        return "it was ended by a signal";
    }
    if (run.has_left_processes) {
        return "it left processes behind";
    }
    // Each of the two files may end in a page of its own.
    if (end.written_bytes > run.output_bytes + 2 * page_bytes) {
        return fmt::format("it wrote {} to files", figures::bytes_text(end.written_bytes));
    }
    if (end.wall_ns > longest_ns) {
        return fmt::format("it took {}", figures::seconds_text(end.wall_ns * 1e-9));
    }
    // On a busy machine it also waited for its turn.
    const double busy = least_busy / std::max(1.0, run.load_per_cpu);
    if (end.wall_ns > start_ns && cpu_ns(end) < busy * (end.wall_ns - start_ns)) {
        return "it waited most of the time";
    }
    return {};
}

std::string why_not_comparable(const recorded_run& first, const program_end& second) {
    if (second.was_told) {
        return "it was interrupted";
    }
    if (second.exit_status != first.end.exit_status) {
        return fmt::format("it ended otherwise: {}, not {}", second.in_words, first.end.in_words);
    }
    const double recorded = cpu_ns(first.end);
    const double expected =
        std::max(recorded - static_cast<double>(first.events) * first.event_cost_ns, recorded / 10);
    const double took = cpu_ns(second);
    if (took < least_share * expected - noise_ns) {
        return fmt::format("it took {} of CPU time where about {} were expected, so it did less",
                           written(unit::nanoseconds, took), written(unit::nanoseconds, expected));
    }
    if (took > most_share * recorded + noise_ns) {
        return fmt::format("it took {} of CPU time, more than the {} with the recording",
                           written(unit::nanoseconds, took), written(unit::nanoseconds, recorded));
    }
    return {};
}

} // namespace linn::tool
