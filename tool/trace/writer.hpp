// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frame.hpp"
#include "recording_facts.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace linn::tool {

/// Writes a trace frame by frame, each with one call: at any instant the file is a trace.
/// After the first failure nothing more is written but the end, and the file ends behind its last whole frame.
class trace_writer {
public:
    /// Of the chunks, by zstd.
    static constexpr int compression_level = 3;

    trace_writer() = default; ///< nothing is opened yet
    trace_writer(const trace_writer&) = delete;
    trace_writer& operator=(const trace_writer&) = delete;
    ~trace_writer();

    /// Creates or overwrites the file and writes its header. Returns an empty string or what went wrong.
    std::string open(const std::filesystem::path& path, std::uint32_t version = version_for(0));

    void write_start(const recording_start& start);
    /// Lengths, codec and CRC of `header` are filled in here.
    void write_chunk(frame_header header, std::span<const unsigned char> raw);
    /// The same for what frame_compressor::compress() gave.
    void write_compressed_chunk(const frame_header& header, std::span<const unsigned char> stored);
    /// The last frame, and the file's end. Tried even after a failure, which it then tells: where the disk is full there is
    /// often room for it.
    void write_end(recording_end end);
    /// Behind the end of a file that was written without a problem: a trace without it is as whole. Returns an empty string or
    /// what went wrong.
    std::string add_second_run(const second_run& run);

    /// Why nothing more is written; empty when all went well.
    const std::string& problem() const noexcept { return problem_; }
    std::uint64_t bytes() const noexcept { return bytes_; }
    const std::filesystem::path& path() const noexcept { return path_; }

private:
    void write_document(frame_kind kind, std::span<const unsigned char> text);
    bool append(std::span<const unsigned char> head, std::span<const unsigned char> payload);

    std::filesystem::path path_;
    int fd_ = -1;
    bool is_regular_ = false;
    std::uint64_t bytes_ = 0;
    std::string problem_;
    frame_compressor compressor_;
};

} // namespace linn::tool
