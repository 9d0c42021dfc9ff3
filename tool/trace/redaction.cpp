// SPDX-License-Identifier: Apache-2.0
#include "redaction.hpp"

#include "decode.hpp"
#include "encode.hpp"
#include "frame.hpp"
#include "trace_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <unordered_map>
#include <vector>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;

/// Addresses of blocks by new ones: regions are numbered as they are met, and what is within one stays where it was, so that
/// neighbours stay neighbours.
class address_renumbering {
public:
    std::uint64_t operator()(std::uint64_t address) {
        if (address == 0) {
            return 0;
        }
        const auto [place, is_new] = regions_.try_emplace(address >> region_bits, regions_.size() + 1);
        return place->second << region_bits | (address & ((std::uint64_t{1} << region_bits) - 1));
    }

private:
    static constexpr unsigned region_bits = 24;

    std::unordered_map<std::uint64_t, std::uint64_t> regions_;
};

/// Rewrites a chunk without the redacted data.
class chunk_redactor : public wire::chunk_sink {
public:
    explicit chunk_redactor(address_renumbering& addresses) : addresses_{addresses} { out_.bind(&limit_); }

    /// Empty where it would be larger than a chunk may be. Good until the next call.
    std::span<unsigned char> rewrite(std::span<const unsigned char> raw) {
        wire::chunk_header header;
        if (raw.size() < sizeof header) {
            return {};
        }
        std::memcpy(&header, raw.data(), sizeof header);
        header.header_bytes = sizeof header;
        header.used = 0;
        // An event takes up to thirteen times its shortest form where an address has moved far.
        memory_.assign(16 * raw.size() + wire::chunk_bytes, 0);
        block_ = {};
        out_.begin(memory_.data(), header);
        wire::decode_chunk(std::as_bytes(raw), *this);
        const unsigned char* const end = out_.end();
        std::memcpy(&header, end, sizeof header);
        if (header.used > most_chunk_bytes) {
            return {};
        }
        return {memory_.data(), header.used};
    }

    void on_event(const wire::raw_event& e) {
        const auto call = static_cast<std::uint8_t>(e.call);
        switch (e.kind) {
        case event_kind::allocation:
            block_ = {e.address, addresses_(e.address), e.bytes};
            out_.allocation(e.ticks, block_.now, e.bytes,
                            wire::encoder::stack_word(e.stack, call, e.alignment_log2));
            break;
        case event_kind::release:
            out_.release(e.ticks, addresses_(e.address), call);
            break;
        case event_kind::reallocation: {
            const std::uint64_t old = addresses_(e.old_address);
            block_ = {e.address, addresses_(e.address), e.bytes};
            out_.reallocation(e.ticks, old, block_.now, e.bytes, e.stack);
            break;
        }
        case event_kind::failure:
            out_.failure(e.ticks, e.bytes, e.stack, call, e.alignment_log2, addresses_(e.old_address));
            break;
        case event_kind::fill: {
            const std::uint64_t offset =
                e.address - block_.was; // stays in its block though that lies in two regions
            out_.fill(e.ticks, offset < block_.bytes ? block_.now + offset : addresses_(e.address), e.bytes,
                      e.stack, e.old_address);
            break;
        }
        }
    }

    void on_stack(const wire::stack_record& s) {
        const std::vector<std::uintptr_t> frames(s.frames.begin(), s.frames.end());
        out_.stack(s.ticks, s.id, frames.data(), static_cast<unsigned>(frames.size()));
    }
    void on_process(const wire::process_record& p) {
        unsigned char* at = out_.begin_record(p.ticks);
        *at++ = p.origin;
        at = wire::encoder::put_varint(at, p.parent_image);
        at = wire::encoder::put_varint(at, p.pid);
        at = wire::encoder::put_varint(at, p.parent_pid);
        // The executable and the program's own name; no arguments.
        for (std::size_t i = 0; i != std::min<std::size_t>(p.words.size(), 2); ++i) {
            at = put_text(at, file_name_of(p.words[i]));
            *at++ = 0;
        }
        out_.end_record(wire::entry::process, at);
    }
    void on_thread_name(std::uint64_t ticks, std::string_view name) {
        out_.end_record(wire::entry::thread, put_text(out_.begin_record(ticks), name));
    }
    void on_module(const wire::module_record& m) {
        unsigned char* at = wire::encoder::put_varint(out_.begin_record(m.ticks), m.number);
        at = wire::encoder::put_varint(at, m.bias);
        at = wire::encoder::put_varint(at, m.begin);
        at = wire::encoder::put_varint(at, m.end);
        *at++ = static_cast<unsigned char>(m.build_id.size());
        at = wire::encoder::put_bytes(at, m.build_id.data(), m.build_id.size());
        out_.end_record(wire::entry::module_loaded, put_text(at, file_name_of(m.path)));
    }
    void on_unloaded(std::uint64_t ticks, std::uint32_t number) {
        out_.end_record(wire::entry::module_unloaded,
                        wire::encoder::put_varint(out_.begin_record(ticks), number));
    }
    void on_rtti(std::uint64_t ticks, std::uint32_t stack, std::string_view name) {
        unsigned char* const at = wire::encoder::put_varint(out_.begin_record(ticks), stack);
        out_.end_record(wire::entry::rtti, put_text(at, name));
    }
    void on_dropped(std::uint64_t ticks, std::uint64_t events) {
        out_.end_record(wire::entry::dropped, wire::encoder::put_varint(out_.begin_record(ticks), events));
    }
    void on_timed(std::uint64_t ticks, const wire::timed_record& r) {
        out_.timed(ticks, r.timing, r.is_of_release);
    }

private:
    struct moved_block {
        std::uint64_t was = 0;
        std::uint64_t now = 0;
        std::uint64_t bytes = 0;
    };

    static unsigned char* put_text(unsigned char* at, std::string_view text) {
        return wire::encoder::put_bytes(at, text.data(), text.size());
    }

    address_renumbering& addresses_;
    wire::encoder out_{};
    unsigned char* limit_ = nullptr;
    std::vector<unsigned char> memory_;
    moved_block block_; ///< what the thread got last
};

recording_start redacted(recording_start start) {
    if (!start.command.empty()) {
        start.command = {std::string{file_name_of(start.command.front())}};
    }
    start.directory.clear();
    start.machine.clear();
    return start;
}

recording_end redacted(recording_end end) {
    if (!end.stopped.empty()) {
        end.stopped = "for a reason that the redaction removed"; // it names the file
    }
    return end;
}

/// Copies frame by frame into a writer that is open.
class redactor {
public:
    redactor(trace_file& from, trace_writer& to, const std::function<bool(double)>& progress)
        : from_{from},
          to_{to},
          progress_{progress} {}

    /// An empty string, or what went wrong.
    std::string run() {
        for (std::size_t i = 0; i != from_.frames().size() && to_.problem().empty(); ++i) {
            if (progress_ &&
                !progress_(static_cast<double>(i) / static_cast<double>(from_.frames().size()))) {
                return "interrupted";
            }
            const frame_place& place = from_.frames()[i];
            if (from_.payload(place, raw_)) {
                if (std::string problem = copy(place.header); !problem.empty()) {
                    return problem;
                }
            }
        }
        return to_.problem();
    }

private:
    std::string copy(const frame_header& header) {
        switch (header.kind) {
        case frame_kind::start:
            if (const std::optional<recording_start> start = read_recording_start(raw_)) {
                to_.write_start(redacted(*start));
            }
            break;
        case frame_kind::chunk:
            return copy_chunk();
        case frame_kind::end:
            if (const std::optional<recording_end> end = read_recording_end(raw_)) {
                to_.write_end(redacted(*end));
            }
            break;
        case frame_kind::second_run:
            if (const std::optional<second_run> run = read_second_run(raw_)) {
                to_.add_second_run(*run);
            }
            break;
        default: // of a newer recorder: what it holds is not known, so it is not copied
            break;
        }
        return to_.problem();
    }

    std::string copy_chunk() {
        const std::span<unsigned char> chunk = chunks_.rewrite(raw_);
        if (chunk.empty()) {
            return "a chunk is not in the form that linn record writes";
        }
        const chunk_frame frame = frame_of_chunk(chunk);
        if (!frame.payload.empty()) {
            to_.write_chunk(frame.header, frame.payload);
        }
        return to_.problem();
    }

    trace_file& from_;
    trace_writer& to_;
    const std::function<bool(double)>& progress_;
    address_renumbering addresses_;
    chunk_redactor chunks_{addresses_};
    std::vector<unsigned char> raw_;
};

} // namespace

std::string_view file_name_of(std::string_view path) noexcept {
    return path.substr(path.rfind('/') + 1); // npos + 1 is 0
}

std::string write_redacted(trace_file& from, const fs::path& to,
                           const std::function<bool(double)>& progress) {
    std::error_code error;
    if (fs::equivalent(from.path(), to, error)) {
        return fmt::format("{} is the trace itself: name another file", to.string());
    }
    // It appears whole or not at all.
    const fs::path part = fmt::format("{}.{}.part", to.string(), ::getpid());
    std::string problem;
    {
        trace_writer writer;
        problem = writer.open(part, from.version());
        if (problem.empty()) {
            problem = redactor{from, writer, progress}.run();
        }
    }
    if (problem.empty()) {
        fs::rename(part, to, error);
        if (error) {
            problem = fmt::format("{} cannot be written: {}", to.string(), error.message());
        }
    }
    if (!problem.empty()) {
        fs::remove(part, error);
    }
    return problem;
}

} // namespace linn::tool
