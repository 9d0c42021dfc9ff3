// SPDX-License-Identifier: Apache-2.0
#include "info.hpp"

#include "../measure/words.hpp"
#include "event.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace linn::tool {
namespace {

using json = nlohmann::ordered_json;

template <class Facts, class Other>
concept are = std::is_same_v<std::remove_const_t<Facts>, Other>;

/// Calls `member(name, value)` for each member of the document, in the order of the file: to write it, or to read it.
template <are<call_times> Facts, class Member>
void describe(Facts& t, const Member& member) {
    member("samples", t.samples);
    member("left_out", t.left_out);
    member("backwards", t.backwards);
    member("plain_calls", t.plain_calls);
    member("plain_ticks", t.plain_ticks);
    member("fenced_calls", t.fenced_calls);
    member("fenced_ticks", t.fenced_ticks);
    member("nothing_plain", t.nothing_plain);
    member("nothing_plain_ticks", t.nothing_plain_ticks);
    member("nothing_fenced", t.nothing_fenced);
    member("nothing_fenced_ticks", t.nothing_fenced_ticks);
    member("squares", t.squares);
    member("waiting_ticks", t.waiting_ticks);
    member("long_calls", t.long_calls);
    member("looked_short", t.looked_short);
    member("looked_long", t.looked_long);
    member("faults_short", t.faults_short);
    member("faults_long", t.faults_long);
    member("fault_ticks", t.fault_ticks);
    member("faults_before", t.faults_before);
}

/// Takes a member if it is there and of the right kind.
template <class T>
void take(const json& from, const char* name, T& into) {
    const auto member = from.find(name);
    if (member == from.end()) {
        return;
    }
    bool fits = member->is_string();
    if constexpr (std::is_same_v<T, std::vector<std::string>>) {
        fits =
            member->is_array() && std::ranges::all_of(*member, [](const json& w) { return w.is_string(); });
    } else if constexpr (std::is_same_v<T, bool>) {
        fits = member->is_boolean();
    } else if constexpr (std::is_floating_point_v<T>) {
        fits = member->is_number() && std::isfinite(member->template get<double>());
    } else if constexpr (std::is_integral_v<T>) {
        fits = member->is_number_unsigned() || (std::is_signed_v<T> && member->is_number_integer());
    }
    if (fits) {
        member->get_to(into);
    }
}

void take(const json& from, const char* name, call_times& times) {
    if (const auto object = from.find(name); object != from.end() && object->is_object()) {
        describe(times, [&](const char* field, double& value) {
            take(*object, field, value);
            value = std::max(0.0, value);
        });
    }
}

void take(const json& from, const char* name, counter_state& counter) {
    auto number = static_cast<unsigned>(counter_state::unknown);
    take(from, name, number);
    counter = number <= static_cast<unsigned>(counter_state::not_constant)
                  ? static_cast<counter_state>(number)
                  : counter_state::unknown;
}

template <class T>
json as_json(const T& value) {
    if constexpr (std::is_same_v<T, call_times>) {
        json object = json::object();
        describe(value, [&](const char* field, double number) { object[field] = number; });
        return object;
    } else if constexpr (std::is_enum_v<T>) {
        return static_cast<unsigned>(value);
    } else {
        return value;
    }
}

template <are<recording_start> Facts, class Member>
void describe(Facts& s, const Member& member) {
    member("tool", s.tool);
    member("command", s.command);
    member("directory", s.directory);
    member("started", s.started);
    member("machine", s.machine);
    member("clock", s.clock);
    member("contents", s.contents);
    member("sample_bytes", s.sample_bytes);
    member("depth", s.depth);
    member("ticks_per_ns", s.ticks_per_ns);
    member("start_ticks", s.start_ticks);
    member("attached_pid", s.attached_pid);
    member("attached_age_ns", s.attached_age_ns);
    member("counter", s.counter);
    member("page_fault_ns", s.page_fault_ns);
}

template <are<recording_end> Facts, class Member>
void describe(Facts& e, const Member& member) {
    member("ending", e.ending);
    member("stopped", e.stopped);
    member("stopped_at_ns", e.stopped_at_ns);
    member("unwritten", e.unwritten);
    member("exit_status", e.exit_status);
    member("ran_on", e.ran_on);
    member("duration_ns", e.duration_ns);
    member("user_ns", e.user_ns);
    member("system_ns", e.system_ns);
    member("ticks_per_ns", e.exact_ticks_per_ns);
    member("events", e.events);
    member("dropped", e.dropped);
    member("damaged_chunks", e.damaged_chunks);
    member("cut_stacks", e.cut_stacks);
    member("event_cost_ns", e.event_cost_ns);
    member("event_cost_samples", e.event_cost_samples);
    member("page_faults", e.page_faults);
    member("call_times", e.times);
}

template <are<second_run> Facts, class Member>
void describe(Facts& r, const Member& member) {
    member("cpu_ns", r.cpu_ns);
    member("wall_ns", r.wall_ns);
    member("system_ns", r.system_ns);
    member("page_faults", r.page_faults);
    member("call_times", r.times);
}

/// Recording never is all of it: where the subtraction says so, an event cost less than was thought.
constexpr double least_share = 0.1;

// Of the normal distribution, for 96.5 %: the approximations are worth one and a half.
constexpr double quantile = 2.11;

/// A quantile of the gamma distribution with scale 1; `side` is that of the normal distribution.
double gamma_quantile(double shape, double side) noexcept {
    const double root = 1 - 1 / (9 * shape) + side / (3 * std::sqrt(shape));
    return root > 0 ? shape * root * root * root : 0;
}

} // namespace

template <class Facts>
std::string to_json(const Facts& facts) {
    json document;
    describe(facts, [&](const char* name, const auto& value) { document[name] = as_json(value); });
    // A path may be any bytes; what is no UTF-8 is replaced.
    return document.dump(1, ' ', false, json::error_handler_t::replace) + '\n';
}
template std::string to_json(const recording_start& facts);
template std::string to_json(const recording_end& facts);
template std::string to_json(const second_run& facts);

template <class Facts>
std::optional<Facts> parse_facts(std::span<const unsigned char> text) {
    const json document = json::parse(text.begin(), text.end(), nullptr, false);
    Facts facts;
    if (document.is_object()) {
        describe(facts, [&](const char* name, auto& value) { take(document, name, value); });
        return facts;
    }
    return std::nullopt;
}
template std::optional<recording_start> parse_facts(std::span<const unsigned char> text);
template std::optional<recording_end> parse_facts(std::span<const unsigned char> text);
template std::optional<second_run> parse_facts(std::span<const unsigned char> text);

bool is_recorder(std::string_view path) {
    const std::string_view file = path.substr(path.rfind('/') + 1);
    return file == "liblinn-record.so" || file == "liblinn-sample.so";
}

program_cost cost_of_program(const trace_info& info) {
    return info.baseline.cpu_ns > 0 ? program_cost{info.baseline.cpu_ns} : cost_by_estimate(info);
}

program_cost cost_by_estimate(const recording_end& end) {
    const double recorded_ns = end.user_ns + end.system_ns;
    const double rest_ns = recorded_ns - static_cast<double>(end.events) * end.event_cost_ns;
    const bool is_guess = rest_ns < recorded_ns * least_share;
    return {is_guess ? recorded_ns * least_share : rest_ns, is_guess, end.event_cost_ns <= 0};
}

double sample_weight::of(std::uint64_t bytes) const noexcept {
    const auto counted = static_cast<double>(sampling::counted_bytes(bytes));
    return is_sample() ? -1 / std::expm1(-counted / mean_) : 1;
}

std::uint64_t sample_weight::rounded(std::uint64_t bytes, std::uint64_t address,
                                     std::uint64_t time) const noexcept {
    const double weight = of(bytes);
    const double down = std::floor(weight);
    std::uint64_t mix = address * 0x9e37'79b9'7f4a'7c15u ^ time * 0xbf58'476d'1ce4'e5b9u;
    mix = (mix ^ mix >> 29) * 0x94d0'49bb'1331'11ebu; // as SplitMix64 ends
    const double uniform = static_cast<double>((mix ^ mix >> 32) >> 11) * 0x1p-53;
    return static_cast<std::uint64_t>(down) + static_cast<std::uint64_t>(uniform < weight - down);
}

sample_bounds bounds_of_sample(double estimate, const sample_spread& spread) noexcept {
    // Of a few large blocks the rounded weights may all be 1, as if nothing was missing.
    const double missing = spread.missing;
    if (!(missing > 0) || !(spread.variance > 0)) {
        return {estimate, estimate};
    }
    const double shape = missing * missing / spread.variance;
    const double scale = spread.variance / missing;
    const double one_more = missing / (spread.bytes + missing); // block, with the chance that it is missing
    // Blocks are whole: what is less than one of them is none.
    const double one = spread.bytes / static_cast<double>(spread.blocks);
    const double least = scale * gamma_quantile(shape, -quantile) - one;
    return {std::min(estimate, spread.bytes + (least > 0 ? least : 0)),
            std::max(estimate, spread.bytes + scale * gamma_quantile(shape + one_more, quantile))};
}

const char* to_string(event_kind kind) noexcept {
    return word_of(kind, {"allocation", "release", "reallocation", "failure"});
}

const char* to_string(allocation_call call) noexcept {
    return word_of(call, {"none", "malloc", "calloc", "realloc", "aligned", "operator new", "operator new[]",
                          "operator new (aligned)", "operator new[] (aligned)", "free", "operator delete",
                          "operator delete[]"});
}

void trace_counts::take(std::span<const event> batch, const sample_weight& weight) {
    events += batch.size();
    for (const event& e : batch) {
        const std::size_t kind = std::min(static_cast<std::size_t>(e.kind), kinds - 1);
        ++of_kind[kind];
        ++of_call[kind][std::min(static_cast<std::size_t>(e.call), calls - 1)];
        if (e.kind == event_kind::allocation || e.kind == event_kind::reallocation) {
            bytes += e.bytes;
            if (weight.is_sample()) {
                const double n = weight.of(e.bytes);
                estimated_allocations += n;
                estimated_bytes += n * static_cast<double>(e.bytes);
                spread.add(e.bytes, n);
            }
        }
    }
}

} // namespace linn::tool
