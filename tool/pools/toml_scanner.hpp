// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan_tables.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace linn::tool {

int hex_digit(char c) noexcept; ///< -1: it is none

/// The part of TOML that plans are written in, a line at a time: blanks, comments, names and values. What goes wrong
/// first is kept; every function returns false from then on. Strings are decoded in place.
class toml_scanner {
public:
    struct value {
        enum kind : std::uint8_t { text, number, boolean } what;
        std::string_view string;
        std::uint64_t integer;
    };

    toml_scanner(char* text, std::size_t bytes, plan_error& error) noexcept
        : at_(text),
          end_(text + bytes),
          error_(error) {}

protected:
    [[gnu::format(printf, 2, 3)]] bool fail(const char* format, ...) noexcept;
    /// For "%.*s".
    static int length(std::string_view text) noexcept {
        return text.size() < 60 ? static_cast<int>(text.size()) : 60;
    }

    void skip_blanks() noexcept;
    /// Past a comment and the end of the line.
    bool end_line() noexcept;
    /// What a name, a number or true and false are made of.
    std::string_view word() noexcept;
    /// What follows a name: an equals sign and the value.
    bool read_value_of(std::string_view name, value& v) noexcept;

    char* at_;
    char* end_;
    std::uint32_t line_ = 0;

private:
    bool read_value(value& v) noexcept;
    static bool read_integer(std::string_view text, std::uint64_t& into) noexcept;
    bool read_literal_string(value& v) noexcept;
    bool read_basic_string(value& v) noexcept;
    bool read_escape(char*& out) noexcept;
    bool end_string(value& v, const char* begin, const char* end) noexcept;

    plan_error& error_;
};

} // namespace linn::tool
