// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace linn::tool::report {

/// One field of the data that other programs read: nothing, text, a number or a truth value.
class datum {
public:
    datum() = default;
    datum(std::string_view text) : value_{std::string{text}} {}
    datum(const std::string& text) : value_{text} {}
    datum(const char* text) : value_{std::string{text}} {}
    datum(double number) : value_{number} {}
    datum(std::uint64_t number) : value_{number} {}
    datum(unsigned number) : value_{std::uint64_t{number}} {}
    datum(bool truth) : value_{std::string{truth ? "true" : "false"}} {}
    datum(std::optional<double> number) {
        if (number) {
            value_ = *number;
        }
    }

    const std::variant<std::monostate, std::string, double, std::uint64_t>& value() const noexcept {
        return value_;
    }

private:
    std::variant<std::monostate, std::string, double, std::uint64_t> value_;
};

/// The figures of a result with every digit, under names that do not change (docs/reference/csv.md).
struct data_table {
    std::vector<std::string> columns;
    std::vector<std::vector<datum>> rows;
};

} // namespace linn::tool::report
