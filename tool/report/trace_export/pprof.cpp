// SPDX-License-Identifier: Apache-2.0
#include "../../measure/suggest.hpp"
#include "trace_export.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <limits>
#include <map>
#include <new>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linn::tool {
namespace {

/// The fields of profile.proto that are written.
namespace field {
constexpr unsigned sample_type = 1;
constexpr unsigned sample = 2;
constexpr unsigned mapping = 3;
constexpr unsigned location = 4;
constexpr unsigned function = 5;
constexpr unsigned string_table = 6;
constexpr unsigned time_nanos = 9;
constexpr unsigned duration_nanos = 10;
constexpr unsigned comment = 13;
constexpr unsigned default_sample_type = 14;
} // namespace field

constexpr unsigned module_bits = 44; // more than any file has

/// Nanoseconds since 1970 of "2026-11-21T11:45:35Z"; 0: it is none.
std::uint64_t nanoseconds_of(const std::string& iso) {
    std::tm t{};
    if (std::sscanf(iso.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d", &t.tm_year, &t.tm_mon, &t.tm_mday, &t.tm_hour,
                    &t.tm_min, &t.tm_sec) != 6) {
        return 0;
    }
    t.tm_year -= 1900;
    --t.tm_mon;
    const std::time_t seconds = ::timegm(&t);
    return seconds < 0 ? 0 : static_cast<std::uint64_t>(seconds) * 1'000'000'000;
}

/// A message in the wire format of protocol buffers, field by field.
/// @source https://protobuf.dev/programming-guides/encoding/
class protobuf_writer {
public:
    /// A number; 0 is what a missing field means, and is not written.
    void number(unsigned field, std::uint64_t value) {
        if (value != 0) {
            tag(field, 0);
            varint(value);
        }
    }

    /// Text, or a message that another writer holds.
    void bytes(unsigned field, std::string_view value) {
        tag(field, 2);
        varint(value.size());
        text_ += value;
    }

    /// Numbers of a repeated field, packed.
    void numbers(unsigned field, std::span<const std::uint64_t> values) {
        protobuf_writer packed;
        for (const std::uint64_t v : values) {
            packed.varint(v);
        }
        bytes(field, packed.text());
    }

    const std::string& text() const noexcept { return text_; }

private:
    void tag(unsigned field, unsigned wire_type) { varint(std::uint64_t{field} << 3 | wire_type); }

    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) {
            text_ += static_cast<char>(value | 0x80);
        }
        text_ += static_cast<char>(value);
    }

    std::string text_;
};

/// Writes what it is given to a stream, compressed as gzip does. Throws std::bad_alloc.
class gzip_stream {
public:
    explicit gzip_stream(std::ostream& out) : out_{&out} {
        constexpr int gzip_window = 15 + 16; // the largest window; 16 asks for gzip's frame
        constexpr int memory_level = 8;
        if (::deflateInit2(&z_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, memory_level,
                           Z_DEFAULT_STRATEGY) != Z_OK) {
            throw std::bad_alloc{};
        }
    }
    gzip_stream(const gzip_stream&) = delete;
    gzip_stream& operator=(const gzip_stream&) = delete;
    ~gzip_stream() { ::deflateEnd(&z_); }

    void write(std::string_view bytes) {
        constexpr std::size_t most = std::numeric_limits<uInt>::max();
        for (; !bytes.empty(); bytes.remove_prefix(std::min(most, bytes.size()))) {
            compress(bytes.substr(0, most), false);
        }
    }

    /// Writes what is left. @pre nothing is written afterwards
    void finish() { compress({}, true); }

private:
    void compress(std::string_view bytes, bool is_last) {
        // zlib promises not to write through it.
        z_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
        z_.avail_in = static_cast<uInt>(bytes.size());
        do {
            z_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
            z_.avail_out = static_cast<uInt>(buffer_.size());
            ::deflate(&z_, is_last ? Z_FINISH : Z_NO_FLUSH);
            out_->write(buffer_.data(), static_cast<std::streamsize>(buffer_.size() - z_.avail_out));
        } while (z_.avail_out == 0);
    }

    std::ostream* out_;
    z_stream z_{};
    std::array<char, 65536> buffer_{};
};

class pprof_writer {
public:
    pprof_writer(const trace_info& info, const address_names& names, std::ostream& out, block_filter filter)
        : info_{&info},
          names_{&names},
          filter_{filter},
          gzip_{out} {
        text_number(""); // has the number 0
    }

    void write(std::span<const exported_stack> stacks) {
        write_heading();
        write_mappings();
        for (const exported_stack& s : stacks) {
            write_sample(s);
        }
        gzip_.finish();
    }

private:
    void emit(unsigned in_field, const protobuf_writer& message) {
        protobuf_writer outer;
        outer.bytes(in_field, message.text());
        gzip_.write(outer.text());
    }

    /// Texts are written when they are met first: the order within one repeated field is what counts.
    std::uint64_t text_number(const std::string& text) {
        const auto [at, is_new] = texts_.try_emplace(text, texts_.size());
        if (is_new) {
            protobuf_writer outer;
            outer.bytes(field::string_table, text);
            gzip_.write(outer.text());
        }
        return at->second;
    }

    std::vector<std::string> kinds() const {
        if (filter_ == block_filter::all) {
            return {"alloc", "inuse"};
        }
        return {filter_ == block_filter::leaks ? "leaked" : to_string(filter_)};
    }

    void write_heading() {
        for (const std::string& kind : kinds()) {
            for (const auto& [thing, unit] : std::array<std::pair<const char*, const char*>, 2>{
                     {{"objects", "count"}, {"space", "bytes"}}}) {
                protobuf_writer value_type;
                value_type.number(1, text_number(kind + '_' + thing));
                value_type.number(2, text_number(unit));
                emit(field::sample_type, value_type);
            }
        }
        protobuf_writer rest;
        rest.number(field::time_nanos, nanoseconds_of(info_->started));
        rest.number(field::duration_nanos, info_->duration_ns);
        rest.number(field::comment, text_number("linn record: " + shell_words(info_->command)));
        rest.number(field::default_sample_type, text_number(kinds().front() + "_space"));
        gzip_.write(rest.text());
    }

    /// The first one gives the profile its name: it is that of the program.
    void write_mappings() {
        const std::string program = info_->processes.empty() ? "" : info_->processes.front().executable;
        for (const bool is_program : {true, false}) {
            for (std::size_t i = 0; i != info_->modules.size(); ++i) {
                if ((info_->modules[i].path == program) == is_program) {
                    write_mapping(i);
                }
            }
        }
    }

    void write_mapping(std::size_t module) {
        protobuf_writer m;
        m.number(1, module + 1);
        m.number(2, start_of(module));
        m.number(3, start_of(module + 1));
        m.number(5, text_number(info_->modules[module].path));
        m.number(6, text_number(info_->modules[module].build_id));
        for (const unsigned has : {7U, 8U, 9U, 10U}) { // functions, files, lines, inlined frames
            m.number(has, 1);
        }
        emit(field::mapping, m);
    }

    static std::uint64_t start_of(std::size_t module) { return (std::uint64_t{module} + 1) << module_bits; }

    std::uint64_t function_number(const symbol_frame& f, const code_address& at) {
        const std::string name = name_of(f, at, *info_);
        const auto [found, is_new] = functions_.try_emplace({name, f.file}, functions_.size() + 1);
        if (is_new) {
            protobuf_writer message;
            message.number(1, found->second);
            message.number(2, text_number(name));
            message.number(3, text_number(name));
            message.number(4, text_number(f.file));
            emit(field::function, message);
        }
        return found->second;
    }

    std::uint64_t location_number(const code_address& at) {
        const auto [found, is_new] = locations_.try_emplace({at.module, at.address}, locations_.size() + 1);
        if (!is_new) {
            return found->second;
        }
        protobuf_writer message;
        message.number(1, found->second);
        const bool is_known = at.module < info_->modules.size();
        message.number(2, is_known ? at.module + 1 : 0);
        // Inside the call: its return address may already belong to another line.
        message.number(3, (is_known ? start_of(at.module) : 0) + at.address - 1);
        for (const symbol_frame& f : (*names_)(at)) {
            protobuf_writer line;
            line.number(1, function_number(f, at));
            line.number(2, f.line);
            message.bytes(4, line.text());
        }
        emit(field::location, message);
        return found->second;
    }

    void write_sample(const exported_stack& s) {
        std::vector<std::uint64_t> locations;
        if (s.stack < info_->stacks.size()) {
            for (const code_address& at : info_->stacks[s.stack]) {
                locations.push_back(location_number(at));
            }
        }
        protobuf_writer message;
        message.numbers(1, locations);
        std::vector<std::uint64_t> values{s.counts.blocks, s.counts.bytes};
        if (filter_ == block_filter::all) {
            values.insert(values.end(), {s.live.blocks, s.live.bytes});
        }
        message.numbers(2, values);
        emit(field::sample, message);
    }

    const trace_info* info_;
    const address_names* names_;
    block_filter filter_;
    gzip_stream gzip_;
    std::map<std::string, std::uint64_t> texts_;
    std::map<std::pair<std::string, std::string>, std::uint64_t> functions_;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> locations_;
};

} // namespace

void write_pprof(const trace_info& info, std::span<const exported_stack> stacks, const address_names& names,
                 std::ostream& out, block_filter filter) {
    pprof_writer{info, names, out, filter}.write(stacks);
}

} // namespace linn::tool
