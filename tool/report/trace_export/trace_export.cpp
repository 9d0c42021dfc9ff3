// SPDX-License-Identifier: Apache-2.0
#include "trace_export.hpp"

#include "../../measure/suggest.hpp"
#include "../../measure/words.hpp"
#include "../../trace/info.hpp"
#include "../render/render.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <ctime>
#include <iterator>
#include <new>
#include <ostream>

namespace linn::tool {
namespace {

using report::csv_line;

/// What one stack allocated by one call, as `linn trace` counts it.
struct exported_stack {
    std::span<const code_address> calls; ///< innermost first
    std::uint32_t number = 0;            ///< index of `trace_info::stacks`
    allocation_call call = allocation_call::none;
    const site_statistics* statistics = nullptr;
    block_counts counts; ///< the blocks that the filter lets through
    block_counts live;   ///< the blocks that were never released
    std::uint64_t allocator_ns = 0;
};

/// The stacks that have a block which the filter lets through, ordered as the sites of the profile.
std::vector<exported_stack> exported_stacks(const trace_profile& profile, const export_options& options) {
    std::vector<exported_stack> stacks;
    for (std::size_t i = 0; i != profile.sites.size(); ++i) {
        const block_counts counts = counts_of(profile, i, options.filter, options.keeps_runtime);
        if (counts.blocks == 0 && counts.bytes == 0) {
            continue;
        }
        const analysed_site& site = profile.analysis.sites[i];
        const std::vector<std::vector<code_address>>& all = profile.analysis.info.stacks;
        stacks.push_back({site.stack < all.size() ? all[site.stack] : std::span<const code_address>{},
                          site.stack, site.call, &site.statistics, counts,
                          options.filter == block_filter::leaks
                              ? counts
                              : counts_of(profile, i, block_filter::leaks, true),
                          allocator_ns(profile, i)});
    }
    return stacks;
}

/// A function's name; where it is not known "0x12af in libfoo.so".
std::string name_of(const symbol_frame& frame, const code_address& at, const trace_info& info) {
    if (!frame.function.empty()) {
        return frame.function;
    }
    if (at.module >= info.modules.size()) {
        return fmt::format("{:#x}", at.address);
    }
    const std::string& path = info.modules[at.module].path;
    return fmt::format("{:#x} in {}", at.address, path.substr(path.rfind('/') + 1));
}

/// The name without what separates names and lines.
std::string harmless(std::string name) {
    for (char& c : name) {
        if (c == ';') {
            c = ':';
        } else if (static_cast<unsigned char>(c) < 0x20) {
            c = ' ';
        }
    }
    return name;
}

void write_collapsed(const trace_info& info, std::span<const exported_stack> stacks,
                     const address_names& names, export_weight weight, std::ostream& out) {
    std::map<std::string, std::uint64_t> lines;
    for (const exported_stack& s : stacks) {
        const std::uint64_t weighs = weight == export_weight::bytes         ? s.counts.bytes
                                     : weight == export_weight::allocations ? s.counts.blocks
                                                                            : s.allocator_ns;
        if (weighs == 0) {
            continue;
        }
        std::string line;
        for (auto at = s.calls.rbegin(); at != s.calls.rend(); ++at) {
            const std::vector<symbol_frame> frames = names(*at);
            for (auto f = frames.rbegin(); f != frames.rend(); ++f) {
                line += (line.empty() ? "" : ";") + harmless(name_of(*f, *at, info));
            }
        }
        lines[line.empty() ? "[no stack]" : line] += weighs;
    }
    for (const auto& [line, weighs] : lines) {
        out << line << ' ' << weighs << '\n';
    }
}

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
        : info_{info},
          names_{names},
          filter_{filter} {
        text_number(""); // has the number 0
    }

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
        profile_.number(field::time_nanos, nanoseconds_of(info_.started));
        profile_.number(field::duration_nanos, info_.duration_ns);
        profile_.number(field::comment, text_number("linn record: " + shell_words(info_.command)));
        profile_.number(field::default_sample_type, text_number(kinds().front() + "_space"));
    }

    /// The first one gives the profile its name: it is that of the program.
    void write_mappings() {
        const std::string program = info_.processes.empty() ? "" : info_.processes.front().executable;
        for (const bool is_program : {true, false}) {
            for (std::size_t i = 0; i != info_.modules.size(); ++i) {
                if ((info_.modules[i].path == program) == is_program) {
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
        m.number(5, text_number(info_.modules[module].path));
        m.number(6, text_number(info_.modules[module].build_id));
        for (const unsigned has : {7U, 8U, 9U, 10U}) { // functions, files, lines, inlined frames
            m.number(has, 1);
        }
        profile_.bytes(field::mapping, m.text());
    }

    static std::uint64_t start_of(std::size_t module) { return (std::uint64_t{module} + 1) << module_bits; }

    std::uint64_t function_number(const symbol_frame& f, const code_address& at) {
        const std::string name = name_of(f, at, info_);
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
        const bool is_known = at.module < info_.modules.size();
        message.number(2, is_known ? at.module + 1 : 0);
        // Inside the call: its return address may already belong to another line.
        message.number(3, (is_known ? start_of(at.module) : 0) + at.address - 1);
        for (const symbol_frame& f : names_(at)) {
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
        for (const code_address& at : s.calls) {
            locations.push_back(location_number(at));
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

    const trace_info& info_;
    const address_names& names_;
    block_filter filter_;
    protobuf_writer profile_;
    std::map<std::string, std::uint64_t> texts_;
    std::map<std::pair<std::string, std::string>, std::uint64_t> functions_;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> locations_;
};

/// As CSV calls it; empty for none.
const char* csv_word(allocation_call call) {
    return word_of(call, {"", "malloc", "calloc", "realloc", "aligned", "new", "new[]", "new aligned",
                          "new[] aligned", "free", "delete", "delete[]"});
}

void write_stacks(const trace_info& info, std::span<const exported_stack> stacks, const address_names& names,
                  std::ostream& out) {
    out << csv_line({"stack", "call", "allocations", "bytes", "live_at_end", "live_bytes_at_end",
                     "most_live_bytes", "live_at_peak", "live_bytes_at_peak", "temporary", "temporary_bytes",
                     "median_lifetime_ns", "frames"});
    for (const exported_stack& e : stacks) {
        std::string frames;
        for (const code_address& at : e.calls) {
            for (const symbol_frame& f : names(at)) {
                frames += (frames.empty() ? "" : " < ") + name_of(f, at, info);
                if (!f.file.empty()) {
                    frames += fmt::format(" ({}:{})", f.file_name(), f.line);
                }
            }
        }
        const site_statistics& s = *e.statistics;
        out << csv_line({std::uint64_t{e.number}, csv_word(e.call), s.allocations, s.bytes, e.live.blocks,
                         e.live.bytes, s.peak_live_bytes, s.live_at_peak, s.live_bytes_at_peak, s.temporary,
                         s.temporary_bytes, static_cast<std::uint64_t>(s.lifetime_quantile(0.5)), frames});
    }
}

} // namespace

const std::vector<std::string>& export_format_names() {
    constexpr const char* words[]{"collapsed", "pprof", "csv", "csv-stacks"};
    static_assert(has_enumerators<export_format, std::size(words)>);
    static const std::vector<std::string> names(std::begin(words), std::end(words));
    return names;
}

address_names names_by(const trace_info& info, symbolizer& symbols) {
    return [&](const code_address& at) {
        if (at.module >= info.modules.size()) {
            return std::vector<symbol_frame>(1);
        }
        const trace_module& m = info.modules[at.module];
        return symbols.frames({m.path, m.build_id, at.address - 1});
    };
}

void export_stacks(const trace_profile& profile, const address_names& names, const export_options& options,
                   std::ostream& out) {
    const trace_info& info = profile.analysis.info;
    const std::vector<exported_stack> stacks = exported_stacks(profile, options);
    if (options.format == export_format::collapsed) {
        write_collapsed(info, stacks, names, options.weight, out);
    } else if (options.format == export_format::pprof) {
        out << gzipped(pprof_writer{info, names, options.filter}.profile(stacks));
    } else {
        write_stacks(info, stacks, names, out);
    }
}

void write_event_heading(const trace_info& info, std::ostream& out) {
    std::vector<nlohmann::ordered_json> names{"time_ns", "process",     "thread", "event",     "call",
                                              "address", "old_address", "bytes",  "alignment", "stack"};
    if (info.sample_bytes != 0) {
        names.emplace_back("weight");
    }
    out << csv_line(names);
}

void write_events(const trace_info& info, std::span<const event> events, std::ostream& out) {
    // None of these fields needs a quotation mark, and there may be 10^8 of them.
    fmt::memory_buffer text;
    const sample_weight weight{info.sample_bytes};
    for (const event& e : events) {
        const std::uint32_t pid = e.process < info.processes.size() ? info.processes[e.process].pid : 0;
        const std::uint32_t tid = e.thread < info.threads.size() ? info.threads[e.thread].tid : 0;
        fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{:#x},", e.time, pid, tid, to_string(e.kind),
                       csv_word(e.call), e.address);
        if (e.old_address != 0) {
            fmt::format_to(std::back_inserter(text), "{:#x}", e.old_address);
        }
        fmt::format_to(std::back_inserter(text), ",{},{},{}", e.bytes,
                       e.alignment_log2 == 0 ? 0 : std::uint64_t{1} << (e.alignment_log2 & 63U), e.stack);
        if (weight.is_sample()) {
            text.push_back(',');
            if (e.kind == event_kind::allocation) { // a release has that of the allocation
                fmt::format_to(std::back_inserter(text), "{:.3f}", weight.of(e.bytes));
            }
        }
        text.push_back('\r');
        text.push_back('\n');
    }
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

} // namespace linn::tool
