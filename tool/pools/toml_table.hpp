// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linn::tool {

/// What is wrong with a TOML file, in one line.
class toml_problem : public std::runtime_error {
public:
    toml_problem(std::uint32_t line, const std::string& what) : std::runtime_error{what}, line_{line} {}
    std::uint32_t line() const noexcept { return line_; } ///< from 1

private:
    std::uint32_t line_;
};

/// The whole of a TOML text. @throws toml_problem
toml::table parse_toml(std::string_view text);

/// A table of a TOML file, of which each key is known. Every function throws toml_problem where the file says otherwise.
/// The toml::table must outlive it.
class toml_table {
public:
    /// `name`: as messages call it, such as "[[pool]]".
    toml_table(const toml::table& table, std::string name, const std::vector<std::string>& keys);

    std::uint32_t line() const noexcept { return line_; }
    bool has(std::string_view key) const { return table_->contains(key); }
    bool is_text(std::string_view key) const { return has(key) && table_->get(key)->is_string(); }
    /// Refuses a table without one of these.
    void require(std::initializer_list<std::string_view> keys) const;

    /// What is not there is empty, false or `fallback`.
    std::string text(std::string_view key) const;
    std::string name(std::string_view key) const; ///< not empty where it is there
    bool flag(std::string_view key, bool fallback) const;
    std::uint64_t number(std::string_view key, std::uint64_t least, std::uint64_t most,
                         std::uint64_t fallback) const;

    /// The tables of an array, [[key]].
    std::vector<toml_table> tables(std::string_view key, const std::vector<std::string>& keys) const;

    /// @param key where it is wrong; empty: the whole table
    [[noreturn]] void fail(const std::string& what, std::string_view key = {}) const;

private:
    const toml::table* table_;
    std::string name_;
    std::uint32_t line_;
};

} // namespace linn::tool
