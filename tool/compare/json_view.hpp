// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// What is wrong with a place of a JSON document.
class bad_field : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A value of a JSON document that knows where it stands, so that an error can name the place:
/// "scenarios[2].rows[0].phases.many.cycles.samples[3]: wanted a number, found a string".
class json_view {
public:
    explicit json_view(const nlohmann::json& document) : value_{&document} {}

    /// The member of that name. @throws bad_field when this is no object or has no such member
    json_view operator[](std::string_view name) const;
    /// True when the member is there and not null. @throws bad_field when this is no object
    bool has(std::string_view name) const;

    std::string text() const;
    double number() const; ///< a finite one
    bool truth() const;
    std::vector<double> numbers() const; ///< an array of one finite, non-negative number or more
    std::vector<json_view> items() const;
    std::vector<std::pair<std::string, json_view>> members() const;
    bool is_null() const noexcept { return value_->is_null(); }
    /// A string as it is, anything else as JSON.
    std::string shown() const;

private:
    json_view(const nlohmann::json& value, std::string place) : value_{&value}, place_{std::move(place)} {}

    [[noreturn]] void fail(std::string_view wanted) const;

    const nlohmann::json* value_;
    std::string place_;
};

} // namespace linn::tool
