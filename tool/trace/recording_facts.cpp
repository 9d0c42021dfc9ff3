// SPDX-License-Identifier: Apache-2.0
#include "recording_facts.hpp"

#include "sampling.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace linn::tool {
namespace {

using json = nlohmann::ordered_json;

/// A path may be any bytes; what is no UTF-8 is replaced.
std::string dump(const json& document) {
    return document.dump(1, ' ', false, json::error_handler_t::replace) + '\n';
}

/// Takes a member if it is there and of the right kind.
template <class T>
void take(const json& from, const char* name, T& into) {
    const auto member = from.find(name);
    if (member == from.end()) {
        return;
    }
    if constexpr (std::is_same_v<T, std::string>) {
        if (member->is_string()) {
            into = member->template get<std::string>();
        }
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
        if (member->is_array()) {
            for (const json& word : *member) {
                into.push_back(word.is_string() ? word.template get<std::string>() : std::string{});
            }
        }
    } else if constexpr (std::is_same_v<T, bool>) {
        if (member->is_boolean()) {
            into = member->template get<bool>();
        }
    } else if constexpr (std::is_floating_point_v<T>) {
        if (member->is_number() && std::isfinite(member->template get<double>())) {
            into = member->template get<double>();
        }
    } else {
        if (member->is_number_unsigned() || (std::is_signed_v<T> && member->is_number_integer())) {
            into = member->template get<T>();
        }
    }
}

json to_object(const call_times& times) {
    json object = json::object();
    for (const auto& [name, value] : call_times_fields) {
        object[name] = times.*value;
    }
    return object;
}

void take(const json& from, call_times& times) {
    if (const auto object = from.find("call_times"); object != from.end() && object->is_object()) {
        for (const auto& [name, value] : call_times_fields) {
            take(*object, name, times.*value);
            times.*value = std::max(0.0, times.*value);
        }
    }
}

std::optional<json> parse(std::span<const unsigned char> text) {
    json document = json::parse(text.begin(), text.end(), nullptr, false);
    if (!document.is_object()) {
        return std::nullopt;
    }
    return document;
}

bool is_rate(double ticks_per_ns) {
    return ticks_per_ns > 1e-6 && ticks_per_ns < 1e3;
}

} // namespace

std::string to_json(const recording_start& s) {
    return dump({{"tool", s.tool},
                 {"command", s.command},
                 {"directory", s.directory},
                 {"started", s.started},
                 {"machine", s.machine},
                 {"clock", s.clock},
                 {"unwinder", s.unwinder},
                 {"contents", s.contents},
                 {"smallest_fill", s.smallest_fill},
                 {"sample_bytes", s.sample_bytes},
                 {"depth", s.depth},
                 {"ticks_per_ns", s.ticks_per_ns},
                 {"start_ticks", s.start_ticks},
                 {"load_per_cpu", s.load_per_cpu},
                 {"attached_pid", s.attached_pid},
                 {"attached_age_ns", s.attached_age_ns},
                 {"counter", static_cast<unsigned>(s.counter)},
                 {"page_fault_ns", s.page_fault_ns}});
}

std::string to_json(const recording_end& e) {
    return dump({{"ending", e.ending},
                 {"stopped", e.stopped},
                 {"stopped_at_ns", e.stopped_at_ns},
                 {"unwritten", e.unwritten},
                 {"exit_status", e.exit_status},
                 {"ran_on", e.ran_on},
                 {"duration_ns", e.duration_ns},
                 {"user_ns", e.user_ns},
                 {"system_ns", e.system_ns},
                 {"ticks_per_ns", e.ticks_per_ns},
                 {"events", e.events},
                 {"dropped", e.dropped},
                 {"damaged_chunks", e.damaged_chunks},
                 {"cut_stacks", e.cut_stacks},
                 {"chunks", e.chunks},
                 {"processes_left", e.processes_left},
                 {"event_cost_ns", e.event_cost_ns},
                 {"event_cost_samples", e.event_cost_samples},
                 {"page_faults", e.page_faults},
                 {"call_times", to_object(e.times)}});
}

std::string to_json(const second_run& r) {
    return dump({{"cpu_ns", r.cpu_ns},
                 {"wall_ns", r.wall_ns},
                 {"system_ns", r.system_ns},
                 {"page_faults", r.page_faults},
                 {"call_times", to_object(r.times)}});
}

std::optional<recording_start> read_recording_start(std::span<const unsigned char> text) {
    const std::optional<json> document = parse(text);
    if (!document) {
        return std::nullopt;
    }
    recording_start s;
    take(*document, "tool", s.tool);
    take(*document, "command", s.command);
    take(*document, "directory", s.directory);
    take(*document, "started", s.started);
    take(*document, "machine", s.machine);
    take(*document, "clock", s.clock);
    take(*document, "unwinder", s.unwinder);
    take(*document, "contents", s.contents);
    take(*document, "smallest_fill", s.smallest_fill);
    take(*document, "sample_bytes", s.sample_bytes);
    take(*document, "depth", s.depth);
    take(*document, "ticks_per_ns", s.ticks_per_ns);
    take(*document, "start_ticks", s.start_ticks);
    take(*document, "load_per_cpu", s.load_per_cpu);
    take(*document, "attached_pid", s.attached_pid);
    take(*document, "attached_age_ns", s.attached_age_ns);
    auto counter = static_cast<unsigned>(counter_state::unknown);
    take(*document, "counter", counter);
    s.counter = counter <= static_cast<unsigned>(counter_state::differs) ? static_cast<counter_state>(counter)
                                                                         : counter_state::unknown;
    take(*document, "page_fault_ns", s.page_fault_ns);
    if (!is_rate(s.ticks_per_ns) || s.sample_bytes > sampling::most_mean) {
        return std::nullopt;
    }
    return s;
}

std::optional<recording_end> read_recording_end(std::span<const unsigned char> text) {
    const std::optional<json> document = parse(text);
    if (!document) {
        return std::nullopt;
    }
    recording_end e;
    take(*document, "ending", e.ending);
    take(*document, "stopped", e.stopped);
    take(*document, "stopped_at_ns", e.stopped_at_ns);
    take(*document, "unwritten", e.unwritten);
    take(*document, "exit_status", e.exit_status);
    take(*document, "ran_on", e.ran_on);
    take(*document, "duration_ns", e.duration_ns);
    take(*document, "user_ns", e.user_ns);
    take(*document, "system_ns", e.system_ns);
    take(*document, "ticks_per_ns", e.ticks_per_ns);
    take(*document, "events", e.events);
    take(*document, "dropped", e.dropped);
    take(*document, "damaged_chunks", e.damaged_chunks);
    take(*document, "cut_stacks", e.cut_stacks);
    take(*document, "chunks", e.chunks);
    take(*document, "processes_left", e.processes_left);
    take(*document, "event_cost_ns", e.event_cost_ns);
    take(*document, "event_cost_samples", e.event_cost_samples);
    take(*document, "page_faults", e.page_faults);
    take(*document, e.times);
    if (e.ticks_per_ns != 0 && !is_rate(e.ticks_per_ns)) {
        e.ticks_per_ns = 0;
    }
    return e;
}

std::optional<second_run> read_second_run(std::span<const unsigned char> text) {
    const std::optional<json> document = parse(text);
    if (!document) {
        return std::nullopt;
    }
    second_run r;
    take(*document, "cpu_ns", r.cpu_ns);
    take(*document, "wall_ns", r.wall_ns);
    take(*document, "system_ns", r.system_ns);
    take(*document, "page_faults", r.page_faults);
    take(*document, r.times);
    return r;
}

} // namespace linn::tool
