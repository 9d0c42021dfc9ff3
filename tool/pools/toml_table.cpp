// SPDX-License-Identifier: Apache-2.0
#include "toml_table.hpp"

#include "../measure/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace linn::tool {
namespace {

/// Of a text that comes from a file: one line stays one line.
std::string one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; },
        '?');
    constexpr std::size_t most = 300;
    return text.size() > most ? text.substr(0, most) : text;
}

} // namespace

toml::table parse_toml(std::string_view text) {
    try {
        return toml::parse(text);
    } catch (const toml::parse_error& error) {
        throw toml_problem{error.source().begin.line, one_line(std::string{error.description()})};
    }
}

toml_table::toml_table(const toml::table& table, std::string name, const std::vector<std::string>& keys)
    : table_{&table},
      name_{std::move(name)},
      line_{std::max<std::uint32_t>(table.source().begin.line, 1)} {
    for (const auto& [key, value] : table) {
        if (std::find(keys.begin(), keys.end(), key.str()) == keys.end()) {
            fail(fmt::format("'{}' is not a key of {}{}", key.str(), name_, did_you_mean(key.str(), keys)),
                 key.str());
        }
    }
}

void toml_table::fail(const std::string& what, std::string_view key) const {
    const toml::node* const node = table_->get(key);
    throw toml_problem{node == nullptr ? line_ : node->source().begin.line, one_line(what)};
}

void toml_table::require(std::initializer_list<std::string_view> keys) const {
    for (const std::string_view key : keys) {
        if (!has(key)) {
            fail(fmt::format("{} without '{}'", name_, key));
        }
    }
}

std::string toml_table::text(std::string_view key) const {
    const auto value = (*table_)[key].value_exact<std::string>();
    if (has(key) && !value) {
        fail(fmt::format("'{}' must be a string", key), key);
    }
    return value.value_or(std::string{});
}

std::string toml_table::name(std::string_view key) const {
    std::string value = text(key);
    if (has(key) && value.empty()) {
        fail(fmt::format("'{}' must be a string that is not empty", key), key);
    }
    return value;
}

bool toml_table::flag(std::string_view key, bool fallback) const {
    const auto value = (*table_)[key].value_exact<bool>();
    if (has(key) && !value) {
        fail(fmt::format("'{}' must be true or false", key), key);
    }
    return value.value_or(fallback);
}

std::uint64_t toml_table::number(std::string_view key, std::uint64_t least, std::uint64_t most,
                                 std::uint64_t fallback) const {
    if (!has(key)) {
        return fallback;
    }
    const std::int64_t value = (*table_)[key].value_exact<std::int64_t>().value_or(-1);
    if (value < 0 || static_cast<std::uint64_t>(value) < least || static_cast<std::uint64_t>(value) > most) {
        fail(most >= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
                 ? fmt::format("'{}' must be a whole number, {} or more", key, least)
                 : fmt::format("'{}' must be a whole number from {} to {}", key, least, most),
             key);
    }
    return static_cast<std::uint64_t>(value);
}

std::vector<toml_table> toml_table::tables(std::string_view key, const std::vector<std::string>& keys) const {
    std::vector<toml_table> list;
    const toml::node* const node = table_->get(key);
    if (node == nullptr) {
        return list;
    }
    if (!node->is_array_of_tables()) {
        fail(fmt::format("'{}' must be an array of tables: [[{}]]", key, key), key);
    }
    for (const toml::node& one : *node->as_array()) {
        list.emplace_back(*one.as_table(), fmt::format("[[{}]]", key), keys);
    }
    return list;
}

} // namespace linn::tool
