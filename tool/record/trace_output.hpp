// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/recording_facts.hpp"
#include "../trace/writer.hpp"
#include "file_taker.hpp"
#include "record_options.hpp"

#include <cstdint>
#include <string>

namespace linn::tool {

/// The file of a recording. Not thread-safe, but for `taker()`.
class trace_output {
public:
    explicit trace_output(const record_options& options) : options_(options) {}

    /// Creates it. Returns an empty string or what went wrong.
    std::string open() { return trace_.open(options_.file, version_for(options_.sample_bytes)); }

    /// Writes the facts of the start. @pre open()
    void begin(const recording_start& start) { trace_.write_start(start); }

    /// Where the events go. @pre begin()
    file_taker& taker() noexcept { return taker_; }

    /// Writes the facts of the end. @pre no thread takes any more
    void finish(const recording_end& end) { taker_.finish(end); }

    /// What went wrong with it, as a sentence for the user; empty: nothing. @pre finish()
    std::string problem() const;

    std::uint64_t bytes() const noexcept { return trace_.bytes(); }

    /// Returns an empty string or what went wrong. @pre finish()
    std::string add_second_run(const second_run& run) { return trace_.add_second_run(run); }

private:
    const record_options& options_;
    trace_writer trace_;
    file_taker taker_{trace_};
};

} // namespace linn::tool
