// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../measure/machine.hpp"
#include "../document/document.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linn::tool::report {

/// From 0 to 1; 0 of nothing.
double part_of(std::uint64_t part, std::uint64_t whole) noexcept;

/// The program that a command starts, without its folder; `otherwise` where there is no command.
std::string program_of(const std::vector<std::string>& command, const std::string& otherwise = {});

/// The words as one would type them, cut off where they are long.
std::string short_command(const std::vector<std::string>& command);

std::vector<std::pair<std::string, cell>> machine_entries(const machine_info& m);

/// "time-stamp counter at 2.10 GHz".
std::string clock_text(const machine_info& m);

/// The files behind "malloc" and "operator new", once where they are the same one.
std::string providers_text(const std::map<std::string, std::string>& files);

/// "linn 0.3.0, 2026-11-21T11:45:35Z; CPU, 2 CPUs, Linux 6.1; transparent huge pages: madvise; seed 7": the line below text.
std::string provenance_text(const std::string& started, const machine_info& m, const std::string& options);

/// Of each object the values of some columns, for CSV: "name median old=old/median".
data_table data_of(const nlohmann::ordered_json& objects, std::string_view columns);

/// The JSON of a result: its schema and the version of linn come first.
nlohmann::ordered_json result_json(const char* schema, const nlohmann::ordered_json& fields);

// Values, or null for none.
nlohmann::ordered_json text_or_null(const std::string& text);

template <class Value>
nlohmann::ordered_json known_or_null(bool is_known, const Value& value) {
    return is_known ? nlohmann::ordered_json(value) : nlohmann::ordered_json{};
}

template <class Value>
nlohmann::ordered_json value_or_null(const std::optional<Value>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json{};
}

template <class Value, class Maker>
nlohmann::ordered_json optional_json(const std::optional<Value>& value, const Maker& json_of) {
    return value ? json_of(*value) : nlohmann::ordered_json{};
}

inline nlohmann::ordered_json positive_or_null(double value) {
    return known_or_null(value > 0, value);
}

/// What `json_of` makes of each entry.
template <class Entries, class Maker>
nlohmann::ordered_json list_json(const Entries& entries, const Maker& json_of) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const auto& entry : entries) {
        list.push_back(json_of(entry));
    }
    return list;
}

/// Likewise of each value, under its key.
template <class Map, class Maker>
nlohmann::ordered_json object_json(const Map& entries, const Maker& json_of) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (const auto& [key, value] : entries) {
        object[key] = json_of(value);
    }
    return object;
}

nlohmann::ordered_json machine_json(const machine_info& m);

} // namespace linn::tool::report
