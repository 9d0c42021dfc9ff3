// SPDX-License-Identifier: Apache-2.0
#include "perfetto.hpp"

#include "../../measure/shell_words.hpp"
#include "protobuf_writer.hpp"

#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace linn::tool {
namespace {

/// The fields of a packet that are written.
namespace packet_field {
constexpr unsigned timestamp = 8;
constexpr unsigned sequence_id = 10;
constexpr unsigned track_event = 11;
constexpr unsigned interned_data = 12;
constexpr unsigned sequence_flags = 13;
constexpr unsigned profile_packet = 37;
constexpr unsigned track_descriptor = 60;
} // namespace packet_field

/// Those of interned data.
namespace interned_field {
constexpr unsigned function_names = 5;
constexpr unsigned frames = 6;
constexpr unsigned callstacks = 7;
constexpr unsigned build_ids = 16;
constexpr unsigned mapping_paths = 17;
constexpr unsigned mappings = 19;
} // namespace interned_field

constexpr unsigned in_trace = 1; // every packet is a field of this number
constexpr std::uint64_t only_sequence = 1;
constexpr std::uint64_t begins_state = 1;
constexpr std::uint64_t needs_state = 2;
constexpr std::uint64_t process_track = 1;
constexpr std::uint64_t bytes_track = 2;
constexpr std::uint64_t blocks_track = 3;
constexpr std::uint64_t unit_count = 2;
constexpr std::uint64_t unit_bytes = 3;
constexpr std::uint64_t counter_event = 4;
constexpr std::size_t most_stacks_a_packet = 2000; // readers refuse packets of many megabytes

/// "ab01" as two bytes.
std::string bytes_of_hex(const std::string& hex) {
    const auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        bytes += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
    }
    return bytes;
}

class perfetto_writer {
public:
    perfetto_writer(const trace_info& info, const address_names& names, std::ostream& out)
        : info_{&info},
          names_{&names},
          out_{&out},
          pid_{info.processes.empty() || info.processes.front().pid == 0 ? 1 : info.processes.front().pid} {}

    void write(const stack_tally& tally) {
        write_tracks();
        write_counters(tally.over_time());
        write_names(tally);
        const std::uint64_t end = std::max(info_->duration_ns, tally.peak_time() + 1);
        write_profile(tally, tally.peak_time(), [](const stack_totals& t) {
            return sample{t.live_bytes_at_peak, 0, t.live_at_peak, 0};
        });
        write_profile(tally, end, [](const stack_totals& t) {
            return sample{t.bytes, t.bytes - t.live_bytes, t.allocations, t.allocations - t.live};
        });
    }

private:
    struct sample {
        std::uint64_t allocated;
        std::uint64_t freed;
        std::uint64_t allocations;
        std::uint64_t frees;
    };

    void emit(std::uint64_t time, std::uint64_t flags, unsigned field, const protobuf_writer& message) {
        protobuf_writer packet;
        packet.number(packet_field::timestamp, time);
        packet.number(packet_field::sequence_id, only_sequence);
        packet.number(packet_field::sequence_flags, flags);
        packet.bytes(field, message.text());
        protobuf_writer outer;
        outer.bytes(in_trace, packet.text());
        *out_ << outer.text();
    }

    void write_tracks() {
        protobuf_writer process;
        process.number(1, pid_);
        for (const std::string& word : info_->command) {
            process.bytes(2, word);
        }
        if (!info_->processes.empty()) {
            process.bytes(6, file_name(info_->processes.front().executable));
        }
        protobuf_writer track;
        track.number(1, process_track);
        track.bytes(3, process.text());
        emit(0, begins_state, packet_field::track_descriptor, track);
        write_counter_track(bytes_track, "live bytes", unit_bytes);
        write_counter_track(blocks_track, "live blocks", unit_count);
    }

    void write_counter_track(std::uint64_t number, std::string_view name, std::uint64_t unit) {
        protobuf_writer counter;
        counter.number(3, unit);
        protobuf_writer track;
        track.number(1, number);
        track.number(5, process_track);
        track.bytes(2, name);
        track.bytes(8, counter.text());
        emit(0, 0, packet_field::track_descriptor, track);
    }

    void write_counters(const timeline& t) {
        for (std::size_t i = 0; i != t.live_bytes.size(); ++i) {
            for (const auto& [track, value] :
                 {std::pair{bytes_track, t.live_bytes[i]}, {blocks_track, t.live_blocks[i]}}) {
                protobuf_writer event;
                event.number(9, counter_event);
                event.number(11, track);
                event.number_or_zero(30, value);
                emit(i * t.step_ns, 0, packet_field::track_event, event);
            }
        }
    }

    std::uint64_t text_number(unsigned field, const std::string& text) {
        const auto [at, is_new] = texts_.try_emplace({field, text}, texts_.size() + 1);
        if (is_new) {
            protobuf_writer message;
            message.number(1, at->second);
            message.bytes(2, text);
            interned_.bytes(field, message.text());
        }
        return at->second;
    }

    /// One for each module, and one more for code that is in none.
    void write_mappings() {
        for (std::size_t i = 0; i != info_->modules.size() + 1; ++i) {
            protobuf_writer mapping;
            mapping.number(1, i + 1);
            if (i != info_->modules.size()) {
                const trace_module& m = info_->modules[i];
                mapping.number(2, text_number(interned_field::build_ids, bytes_of_hex(m.build_id)));
                std::string path = m.path;
                for (std::size_t from = path.starts_with('/') ? 1 : 0; from <= path.size();) {
                    const std::size_t slash = std::min(path.find('/', from), path.size());
                    mapping.number(
                        7, text_number(interned_field::mapping_paths, path.substr(from, slash - from)));
                    from = slash + 1;
                }
            }
            interned_.bytes(interned_field::mappings, mapping.text());
        }
    }

    std::uint64_t frame_number(const symbol_frame& f, const code_address& at) {
        const std::string name = name_of(f, at, *info_);
        const std::uint64_t mapping = std::min<std::uint64_t>(at.module, info_->modules.size()) + 1;
        const auto [found, is_new] = frames_.try_emplace({name, mapping, at.address}, frames_.size() + 1);
        if (is_new) {
            protobuf_writer frame;
            frame.number(1, found->second);
            frame.number(2, text_number(interned_field::function_names, name));
            frame.number(3, mapping);
            frame.number(4, at.address - 1); // inside the call
            interned_.bytes(interned_field::frames, frame.text());
        }
        return found->second;
    }

    /// The names before the samples that refer to them, in several packets.
    void write_names(const stack_tally& tally) {
        write_mappings();
        std::size_t waiting = 0;
        const auto flush = [&] {
            emit(tally.peak_time(), needs_state, packet_field::interned_data, interned_);
            interned_ = {};
            waiting = 0;
        };
        for (std::size_t i = 0; i != tally.stacks().size(); ++i) {
            if (tally.stacks()[i].allocations == 0) {
                continue;
            }
            std::vector<std::uint64_t> frames; // the outermost first
            if (i < info_->stacks.size()) {
                for (auto at = info_->stacks[i].rbegin(); at != info_->stacks[i].rend(); ++at) {
                    const std::vector<symbol_frame> here = (*names_)(*at);
                    for (auto f = here.rbegin(); f != here.rend(); ++f) {
                        frames.push_back(frame_number(*f, *at));
                    }
                }
            }
            if (frames.empty()) {
                symbol_frame none;
                none.function = "[no stack]";
                frames.push_back(frame_number(none, {code_address::unknown_module, 1}));
            }
            protobuf_writer stack;
            stack.number(1, i + 1);
            for (const std::uint64_t f : frames) {
                stack.number(2, f);
            }
            interned_.bytes(interned_field::callstacks, stack.text());
            if (++waiting == most_stacks_a_packet) {
                flush();
            }
        }
        flush();
    }

    template <class SampleOf>
    void write_profile(const stack_tally& tally, std::uint64_t time, SampleOf sample_of) {
        protobuf_writer dump;
        std::size_t waiting = 0;
        const auto begin = [&] {
            dump = {};
            dump.number(1, pid_);
            dump.number(3, info_->attached_pid == 0 ? 1 : 0); // from the start of the process on
            dump.number(9, time);
            dump.bytes(11, "malloc");
            dump.number(12, std::max<std::uint64_t>(info_->sample_bytes, 1));
            waiting = 0;
        };
        const auto flush = [&](bool is_last) {
            protobuf_writer profile;
            profile.bytes(5, dump.text());
            profile.number(6, is_last ? 0 : 1);
            profile.number(7, profiles_++);
            emit(time, needs_state, packet_field::profile_packet, profile);
            begin();
        };
        begin();
        for (std::size_t i = 0; i != tally.stacks().size(); ++i) {
            const stack_totals& t = tally.stacks()[i];
            const sample s = sample_of(t);
            if (t.allocations == 0 || s.allocated == 0) {
                continue;
            }
            protobuf_writer message;
            message.number(1, i + 1);
            message.number(2, s.allocated);
            message.number(3, s.freed);
            message.number(4, time);
            message.number(5, s.allocations);
            message.number(6, s.frees);
            dump.bytes(2, message.text());
            if (++waiting == most_stacks_a_packet) {
                flush(false);
            }
        }
        flush(true);
    }

    const trace_info* info_;
    const address_names* names_;
    std::ostream* out_;
    std::uint64_t pid_;
    protobuf_writer interned_;
    std::map<std::pair<unsigned, std::string>, std::uint64_t> texts_;
    std::map<std::tuple<std::string, std::uint64_t, std::uint64_t>, std::uint64_t> frames_;
    std::uint64_t profiles_ = 0;
};

} // namespace

void write_perfetto(const trace_info& info, const stack_tally& tally, const address_names& names,
                    std::ostream& out) {
    perfetto_writer{info, names, out}.write(tally);
}

} // namespace linn::tool
