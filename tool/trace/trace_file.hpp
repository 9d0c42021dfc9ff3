// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/process.hpp"
#include "frame.hpp"
#include "info.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace linn::tool {

/// A frame and where its payload begins.
struct frame_place {
    std::uint64_t payload = 0; ///< offset in the file
    frame_header header;
};

/// A trace as a sequence of frames. Reads headers only, up to the first that is damaged or cut off.
class trace_file {
public:
    /// `unwritten`: frames that follow those of the file. Throws unusable_input for what is no trace, is empty, or is of a newer
    /// version.
    explicit trace_file(const std::filesystem::path& path, std::vector<unsigned char> unwritten = {});

    const std::filesystem::path& path() const noexcept { return path_; }
    std::uint32_t version() const noexcept { return version_; }
    std::uint64_t size() const noexcept { return size_; }
    const std::vector<frame_place>& frames() const noexcept { return frames_; }
    /// What is wrong behind the frames, in sentences.
    const std::vector<std::string>& damage() const noexcept { return damage_; }

    /// The payload of a frame, decompressed. False when it is damaged or unreadable.
    bool payload(const frame_place& place, std::vector<unsigned char>& raw);

    /// Reads everything, and compares the checksums: where the first one is wrong, such as "from byte 96 on"; empty: none.
    std::string first_fault();

private:
    void open();
    void read_file_header();
    void find_frames();
    void refuse_without_frames() const;
    bool read_stored(const frame_place& place);
    std::size_t read_at(std::uint64_t offset, unsigned char* to, std::size_t bytes) const;

    std::filesystem::path path_;
    owned_fd file_;
    std::uint32_t version_ = 0;
    std::vector<unsigned char> unwritten_;
    std::uint64_t file_bytes_ = 0;
    std::uint64_t size_ = 0; ///< with `unwritten_`
    std::vector<frame_place> frames_;
    std::vector<std::string> damage_;
    std::uint64_t bad_from_ = 0; ///< what is no frame there, although bytes are; 0: nothing
    frame_compressor compressor_;
    std::vector<unsigned char> stored_;
};

/// Reads all of a trace and compares its checksums. Why it is not what `linn record` wrote, with what to do; empty where it is,
/// also as a part: a file that was cut off, because its recorder was killed for example, is right as far as it goes. Linear in
/// the file; nothing is decompressed. Throws unusable_input.
std::string why_corrupt(const std::filesystem::path& file);

/// Throws damaged_input with it.
void refuse_corrupt(const std::filesystem::path& file);

/// Writes a trace frame by frame, each with one call: at any instant the file is a trace.
/// After the first failure nothing more is written but the end, and the file ends behind its last whole frame.
class trace_writer {
public:
    /// Of the chunks, by zstd.
    static constexpr int compression_level = 3;

    /// Creates or overwrites the file and writes its header. Returns an empty string or what went wrong.
    std::string open(const std::filesystem::path& path, std::uint32_t version = version_for(0));

    void write_start(const recording_start& start);
    /// As frame_compressor::compress() gave both.
    void write_chunk(const frame_header& header, std::span<const unsigned char> stored);
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
    owned_fd file_;
    bool is_regular_ = false;
    std::uint64_t bytes_ = 0;
    std::string problem_;
};

} // namespace linn::tool
