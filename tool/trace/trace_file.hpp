// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/files.hpp"
#include "../measure/process.hpp"
#include "event.hpp"
#include "info.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace linn::tool {

/// The newest version of the trace file that this tool reads: docs/reference/trace.md.
inline constexpr std::uint32_t trace_version = 2;

/// The version of a trace with these samples: who does not know of weights shall not read it.
constexpr std::uint32_t version_for(std::uint64_t sample_bytes) noexcept {
    return sample_bytes == 0 ? 1 : 2;
}

/// The first bytes of every trace. The first is no ASCII and the last a line feed, so that a transfer as text is noticed.
inline constexpr std::array<unsigned char, 8> trace_magic{0x89, 'L', 'I', 'N', 'N', 'T', 'R', '\n'};

/// Magic, version and four reserved bytes.
inline constexpr std::size_t file_header_bytes = 16;

enum class frame_kind : std::uint8_t {
    start = 1,      ///< JSON: what was recorded, and how
    chunk = 2,      ///< events of one thread
    end = 3,        ///< JSON: how it ended, and what it came to
    aggregate = 4,  ///< of linn 0.2: statistics instead of events
    second_run = 5, ///< JSON: the program without recording, after the end; an older reader passes over it
};

enum class frame_codec : std::uint8_t { stored = 0, zstd = 1 };

/// The largest raw payload of a chunk, so that no damaged length takes the reader's memory.
inline constexpr std::size_t most_chunk_bytes = std::size_t{1} << 20;
/// The same for the frames of which there is one.
inline constexpr std::size_t most_document_bytes = std::size_t{256} << 20;

/// What stands before every payload, as it stands in the file, which is little endian as this machine is. The fields from `pid` on are
/// zero except in chunks, where they say enough to plan the reading without a look into any payload.
struct frame_header {
    static constexpr std::size_t bytes = 80;
    static constexpr std::array<unsigned char, 4> first_bytes{0xf5, 'L', 'F', '\n'};

    std::array<unsigned char, 4> magic = first_bytes;
    frame_kind kind = frame_kind::chunk;
    frame_codec codec = frame_codec::stored;
    std::uint16_t unused = 0;
    std::uint32_t stored_bytes = 0; ///< of the payload in the file
    std::uint32_t raw_bytes = 0;    ///< of the payload once it is decompressed
    std::uint32_t payload_crc = 0;  ///< CRC-32 of the payload as stored
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;
    std::uint32_t image = 0;      ///< which process image, counted over the recording from 1
    std::uint32_t stream = 0;     ///< which writer: a thread, or a signal handler that interrupted one
    std::uint32_t thread = 0;     ///< which thread: ids of the system are used again, this is not
    std::uint32_t sequence = 0;   ///< of the chunk within its stream, from 0
    std::uint32_t events = 0;     ///< in the payload
    std::uint32_t records = 0;    ///< of stacks, processes, modules, threads and types in the payload
    std::uint32_t dropped = 0;    ///< events that the payload says were lost
    std::uint64_t first_time = 0; ///< ticks at the chunk's begin
    std::uint64_t last_time = 0;  ///< and of its last event
    std::uint32_t unused_too = 0;
    std::uint32_t header_crc = 0; ///< of all before; pack() computes it

    /// Takes the lengths and the CRC of a payload that is stored as it is.
    void describe(std::span<const unsigned char> payload) noexcept;

    /// The header with its own CRC.
    std::array<unsigned char, bytes> pack() const noexcept;

    /// Empty where the bytes are no frame header: the magic, the CRC, or a length beyond the limits.
    static std::optional<frame_header> unpack(std::span<const unsigned char, bytes> from) noexcept;
};
static_assert(sizeof(frame_header) == frame_header::bytes && std::endian::native == std::endian::little &&
              std::has_unique_object_representations_v<frame_header>);

std::uint32_t crc_of(std::span<const unsigned char> bytes) noexcept;

/// Compresses payloads, and decompresses them; keeps what zstd needs between two of them.
class frame_compressor {
public:
    frame_compressor();
    frame_compressor(const frame_compressor&) = delete;
    frame_compressor& operator=(const frame_compressor&) = delete;
    ~frame_compressor();

    /// The payload in the form in which it is stored; `header` gets codec, lengths and CRC. A payload that does not shrink is stored as it is.
    /// The result is good until the next call. Throws std::runtime_error when zstd fails
    std::span<const unsigned char> compress(std::span<const unsigned char> raw, int level,
                                            frame_header& header);

    /// Undoes it. False when the payload is not what the header says.
    bool expand(std::span<const unsigned char> stored, const frame_header& header,
                std::vector<unsigned char>& raw);

private:
    void* packer_ = nullptr;
    void* unpacker_ = nullptr;
    std::vector<unsigned char> buffer_;
};

/// A chunk in the form in which it is stored.
struct chunk_frame {
    frame_header header;
    std::span<const unsigned char> payload; ///< empty: there was nothing in the chunk
    const char* damage = nullptr;           ///< why the chunk was cut short; null: it was not
};

/// Looks through a chunk of the ring, cuts off what lies behind its last entry, and describes it. Writes into it how
/// much of it is used, which a process that died could not.
chunk_frame frame_of_chunk(std::span<unsigned char> chunk);

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

    /// Reads everything, and compares the checksums. Why it is not what `linn record` wrote, with what to do; empty where it is, also as
    /// a part: a file that was cut off, because its recorder was killed for example, is right as far as it goes. Linear in the file;
    /// nothing is decompressed.
    std::string why_corrupt();

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

/// Throws damaged_input where a trace is corrupt.
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
    /// The last frame, and the file's end, also after a failure, which it then tells: on a full disk the last chunks make
    /// room for it.
    void write_end(recording_end end);
    /// Behind the end of a file that was written without a problem: a trace without it is as whole. Returns an empty string or
    /// what went wrong.
    std::string add_second_run(const second_run& run);

    /// Why nothing more is written; empty when all went well.
    const std::string& problem() const noexcept { return problem_; }
    std::uint64_t bytes() const noexcept { return bytes_; }

private:
    bool write_document(frame_kind kind, const std::string& document);
    bool append(std::span<const unsigned char> head, std::span<const unsigned char> payload);
    void cut_off(std::uint64_t from);

    std::filesystem::path path_;
    owned_fd file_;
    bool is_regular_ = false;
    std::vector<std::uint64_t> frames_; ///< where each begins
    std::uint64_t bytes_ = 0;
    std::string problem_;
};

class image_table;

/// Whether the caller knows of weights: what a block of a sampled trace stands for.
enum class sample_policy : bool { refuse, accept };
inline constexpr sample_policy may_be_sample = sample_policy::accept;

/// A trace on disk. Damage in the middle or a missing end is not an error: what is whole is read, the rest is told in
/// `info().missing`.
class trace_reader {
public:
    /// Reads the file's frame headers. `unwritten`: frames that a recording which still runs would write next. Throws
    /// unusable_input.
    explicit trace_reader(const std::filesystem::path& file, sample_policy samples = sample_policy::refuse,
                          std::vector<unsigned char> unwritten = {});
    trace_reader(const trace_reader&) = delete;
    trace_reader& operator=(const trace_reader&) = delete;
    ~trace_reader();

    /// Gives all events, merged over threads in the order of time, some at once. `progress` gets the share of the file that
    /// was read, a few times a second, and may return false to stop early. Can be called again. Memory: one chunk a
    /// thread, and what info() holds.
    void read(const std::function<void(std::span<const event>)>& take,
              const std::function<bool(double)>& progress = {});

    /// What the file says of the run; stacks, modules and threads are complete only after read().
    const trace_info& info() const noexcept { return info_; }

private:
    struct progress_so_far;
    class stream_cursor;

    void read_facts();
    std::vector<const frame_place*> plan();
    void collect_records(std::vector<const frame_place*> chunks);
    void tell_missing(const progress_so_far& d);

    trace_file file_;
    trace_info info_;
    std::unique_ptr<image_table> images_;
    std::vector<stream_cursor> streams_;
    std::uint64_t chunk_bytes_ = 0; ///< stored
    std::uint64_t last_ticks_ = 0;  ///< of all events
    std::uint64_t written_ = 0;     ///< events, as the headers of the chunks say
    std::optional<recording_end> end_;
    std::vector<std::string> known_damage_; ///< before reading
};

} // namespace linn::tool
