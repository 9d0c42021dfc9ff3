// SPDX-License-Identifier: Apache-2.0
// The readers of JSON from files: results of `linn bench` and `linn run`. They take a document or refuse it, whatever is in
// it. The input is either a text or changes to a good document.
#include "../support/expect.hpp"
#include "../support/memory_file.hpp"
#include "../support/operations.hpp"
#include "../support/target.hpp"
#include "compare/result_file.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace linn_fuzz;
using namespace linn::tool;
using nlohmann::json;

/// What `linn bench --json` writes, as far as it is read.
constexpr std::string_view bench_text = R"({"schema": "linn.bench/2", "version": "1.0.0", "complete": true,
"started": "2026-01-01T00:00:00Z", "machine": {"cpu": "a cpu", "cycles_per_ns": 2.5},
"options": {"container": "list", "n": 1000, "objects": 10, "object_bytes": 64, "work": 0},
"scenarios": [{"name": "object", "baseline": "plain", "noise_floor": {"many": 0.01}, "rows": [
{"contender": "glibc", "variant": "plain", "phases": {"many": {"cycles": {"samples": [10, 11, 12, 10, 11]}}, "few": null}},
{"contender": "glibc-again", "variant": "plain", "phases": {"many": {"cycles": {"samples": [10, 12, 12, 10, 11]}}}},
{"contender": "linn", "variant": "linn", "phases": {"many": {"cycles": {"samples": [3, 3.5, 3, 4, 3]}}}}]}]})";

/// What `linn run --json` writes.
constexpr std::string_view run_text = R"({"schema": "linn.run/1", "version": "1.0.0", "complete": true,
"started": "2026-01-01T00:00:00Z", "machine": {"cpu": "a cpu"},
"program": {"path": "/bin/app", "arguments": ["-x", "1"]}, "options": {"input": null, "prepare": "make"},
"metrics": [{"name": "cpu_ns", "unit": "ns", "compared": true}, {"name": "faults", "unit": "count", "compared": false}],
"noise": {"cpu_ns": {"floor": 0.02}}, "rows": [
{"name": "default", "samples": [{"round": 0, "values": {"cpu_ns": 100, "faults": 1}}, {"round": 1, "values": {"cpu_ns": 110}}]},
{"name": "default-again", "samples": [{"round": 0, "values": {"cpu_ns": 101}}, {"round": 1, "values": {"cpu_ns": 109}}]},
{"name": "jemalloc", "samples": [{"round": 0, "values": {"cpu_ns": 90}}, {"round": 1, "values": {"cpu_ns": null}}]}]})";

/// A document that is being changed.
struct json_state {
    json document;

    /// The n-th value of the document, itself included, of those that hold others only the ones wanted.
    json* place(std::size_t n) {
        std::vector<json*> all{&document};
        for (std::size_t i = 0; i != all.size(); ++i) { // grows on the way
            if (all[i]->is_structured()) {
                for (json& inner : *all[i]) {
                    all.push_back(&inner);
                }
            }
        }
        return all[n % all.size()];
    }
};

/// A value of any kind.
json any_value(input& in) {
    switch (in.below(16)) {
    case 0:
        return nullptr;
    case 1:
        return in.flag();
    case 2:
        return -1;
    case 3:
        return in.below(256);
    case 4:
        return in.below(1 << 16) * 0x1000100010001U;
    case 5:
        return 1e308;
    case 6:
        return -0.5;
    case 7:
        return 0;
    case 8:
        return 5e-324;
    case 9:
        return "";
    case 10:
        return "default";
    case 11:
        return std::string(in.below(300), 'x');
    case 12:
        return json::array();
    case 13:
        return json::object();
    case 14:
        return json::array({1, 2, 3});
    default:
        return json::array({"x", nullptr, json::object()});
    }
}

struct replace {
    explicit replace(input& in) : which{in.below(1 << 16)}, value(any_value(in)) {}
    void perform(json_state& s) const { *s.place(which) = value; }
    std::size_t which;
    json value;
};

struct remove_value {
    explicit remove_value(input& in) : which{in.below(1 << 16)}, at{in.below(256)} {}
    void perform(json_state& s) const {
        json& place = *s.place(which);
        if (place.is_structured() && !place.empty()) {
            place.erase(std::next(place.begin(), static_cast<std::ptrdiff_t>(at % place.size())));
        }
    }
    std::size_t which;
    std::size_t at;
};

struct add_value {
    explicit add_value(input& in) : which{in.below(1 << 16)}, value(any_value(in)), name(in.below(4), 'n') {}
    void perform(json_state& s) const {
        json& place = *s.place(which);
        if (place.is_object()) {
            place[name] = value;
        } else if (place.is_array() && place.size() < 1000) {
            place.push_back(value);
        }
    }
    std::size_t which;
    json value;
    std::string name;
};

/// A part of the document in the place of another.
struct copy_value {
    explicit copy_value(input& in) : from{in.below(1 << 16)}, to{in.below(1 << 16)}, appends{in.flag()} {}
    void perform(json_state& s) const {
        const json copy = *s.place(from);
        json& place = *s.place(to);
        if (!appends) {
            place = copy;
        } else if (place.is_array() && copy.size() < 100 && place.size() < 100) {
            place.push_back(copy);
        }
    }
    std::size_t from;
    std::size_t to;
    bool appends;
};

void read_result(const std::string& text) {
    const memory_file file{{reinterpret_cast<const unsigned char*>(text.data()), text.size()}};
    try {
        const result_file result = read_result_file(file.path());
        expect(!result.series.empty(), "a result without a measurement");
        for (const auto& [name, series] : result.series) {
            expect(!series.values.empty(), "a series without values");
            expect(series.ratios.empty() || series.ratios.size() == series.values.size(),
                   "not one ratio for each value");
            for (const double v : series.values) {
                expect(std::isfinite(v), "a value that is no number");
            }
            for (const double v : series.ratios) {
                expect(std::isfinite(v), "a ratio that is no number");
            }
        }
    } catch (const unusable_file&) {
        // said so
    }
}

void read(const std::string& text) {
    read_result(text);
    expect_memory_below(1 << 20);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const json documents[] = {json::parse(bench_text), json::parse(run_text)};
    if (size != 0 && (data[0] == '{' || data[0] == '[')) {
        ++operations_performed;
        read(std::string{reinterpret_cast<const char*>(data), size});
        return 0;
    }
    input in{data, std::min<std::size_t>(size, 4096)};
    json_state state;
    while (!in.empty()) {
        state.document = documents[in.below(std::size(documents))];
        // A few changes each, or nothing of the document would be left to read.
        for (std::size_t changes = in.below(6); changes != 0; --changes) {
            operations<json_state, often<replace, 4>, remove_value, add_value, copy_value>::one(state, in);
        }
        read(state.document.dump());
    }
    return 0;
}
