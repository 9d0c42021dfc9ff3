// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace linn::tool {

/// What stands in one place of a CSV file: nothing, text, a number or a truth value.
class csv_field {
public:
    csv_field() = default;
    csv_field(std::string_view text) : value_{std::string{text}} {}
    csv_field(const std::string& text) : value_{text} {}
    csv_field(const char* text) : value_{std::string{text}} {}
    csv_field(double number) : value_{number} {}
    csv_field(std::uint64_t number) : value_{number} {}
    csv_field(unsigned number) : value_{std::uint64_t{number}} {}
    csv_field(bool truth) : value_{std::string{truth ? "true" : "false"}} {}
    csv_field(std::optional<double> number) {
        if (number)
            value_ = *number;
    }

    /// The field as RFC 4180 wants it, quoted where it must be. Numbers have every digit that distinguishes them and a
    /// point in every locale; what is no finite number is empty. Text that a spreadsheet would take for a formula gets
    /// an apostrophe in front.
    std::string text() const;

private:
    std::variant<std::monostate, std::string, double, std::uint64_t> value_;
};

/// The fields as one line, ended by CR and LF. @source RFC 4180, sections 2.1 to 2.7
std::string csv_line(std::span<const csv_field> fields);
std::string csv_line(std::initializer_list<csv_field> fields);

} // namespace linn::tool
