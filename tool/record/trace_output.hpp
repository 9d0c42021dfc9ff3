// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/recording_facts.hpp"
#include "../trace/writer.hpp"
#include "collector.hpp"
#include "recorder.hpp"

#include <cstdint>
#include <mutex>
#include <string>

namespace linn::tool {

/// Puts chunks into a trace.
class file_taker final : public chunk_taker {
public:
    explicit file_taker(trace_writer& writer) noexcept : writer_(writer) {}

    void take(const chunk_frame& frame, frame_compressor& compressor) override {
        frame_header header = frame.header;
        header.kind = frame_kind::chunk;
        const auto stored = compressor.compress(frame.payload, trace_writer::compression_level, header);
        const std::lock_guard lock{mutex_};
        writer_.write_compressed_chunk(header, stored);
    }

    std::string problem() override {
        const std::lock_guard lock{mutex_};
        return writer_.problem();
    }

    /// Writes the end. @pre no thread takes any more
    void finish(const recording_end& end) { writer_.write_end(end); }

private:
    trace_writer& writer_;
    std::mutex mutex_;
};

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
    std::string problem() const {
        return trace_.problem().empty()
                   ? std::string{}
                   : trace_.problem() + ". The recording ends there, the program went on; what was recorded "
                                        "before can be used";
    }

    std::uint64_t bytes() const noexcept { return trace_.bytes(); }

    /// Returns an empty string or what went wrong. @pre finish()
    std::string add_second_run(const second_run& run) { return trace_.add_second_run(run); }

private:
    const record_options& options_;
    trace_writer trace_;
    file_taker taker_{trace_};
};

} // namespace linn::tool
