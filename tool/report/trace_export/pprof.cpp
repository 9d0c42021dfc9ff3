// SPDX-License-Identifier: Apache-2.0
#include "../../measure/suggest.hpp"
#include "trace_export.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <ctime>
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
    const bool is_time = ::strptime(iso.c_str(), "%Y-%m-%dT%H:%M:%SZ", &t) != nullptr;
    const std::time_t seconds = is_time ? ::timegm(&t) : 0;
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

/// The bytes as gzip compresses them. Throws std::bad_alloc.
std::string gzipped(std::string_view bytes) {
    constexpr int gzip_window = 15 + 16; // the largest window; 16 asks for gzip's frame
    constexpr int memory_level = 8;
    z_stream z{};
    if (::deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, memory_level,
                       Z_DEFAULT_STRATEGY) != Z_OK) {
        throw std::bad_alloc{};
    }
    std::string out(::deflateBound(&z, bytes.size()), '\0');
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data())); // which zlib only reads
    z.avail_in = static_cast<uInt>(bytes.size());
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    ::deflate(&z, Z_FINISH);
    out.resize(z.total_out);
    ::deflateEnd(&z);
    return out;
}

class pprof_writer {
public:
    pprof_writer(const trace_info& info, const address_names& names, block_filter filter)
        : info_{&info},
          names_{&names},
          filter_{filter} {
        text_number(""); // has the number 0
    }

    /// The profile, not yet compressed.
    const std::string& profile(std::span<const exported_stack> stacks) {
        write_heading();
        write_mappings();
        for (const exported_stack& s : stacks) {
            write_sample(s);
        }
        return profile_.text();
    }

private:
    /// Texts are written when they are met first: the order within one repeated field is what counts.
    std::uint64_t text_number(const std::string& text) {
        const auto [at, is_new] = texts_.try_emplace(text, texts_.size());
        if (is_new) {
            profile_.bytes(field::string_table, text);
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
                profile_.bytes(field::sample_type, value_type.text());
            }
        }
        profile_.number(field::time_nanos, nanoseconds_of(info_->started));
        profile_.number(field::duration_nanos, info_->duration_ns);
        profile_.number(field::comment, text_number("linn record: " + shell_words(info_->command)));
        profile_.number(field::default_sample_type, text_number(kinds().front() + "_space"));
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
        profile_.bytes(field::mapping, m.text());
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
            profile_.bytes(field::function, message.text());
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
        profile_.bytes(field::location, message.text());
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
        profile_.bytes(field::sample, message.text());
    }

    const trace_info* info_;
    const address_names* names_;
    block_filter filter_;
    protobuf_writer profile_;
    std::map<std::string, std::uint64_t> texts_;
    std::map<std::pair<std::string, std::string>, std::uint64_t> functions_;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> locations_;
};

} // namespace

void write_pprof(const trace_info& info, std::span<const exported_stack> stacks, const address_names& names,
                 std::ostream& out, block_filter filter) {
    out << gzipped(pprof_writer{info, names, filter}.profile(stacks));
}

} // namespace linn::tool
