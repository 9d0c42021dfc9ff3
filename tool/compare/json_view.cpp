// SPDX-License-Identifier: Apache-2.0
#include "json_view.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace linn::tool {

void json_view::fail(std::string_view wanted) const {
    throw bad_field{fmt::format(
        "{}: wanted {}, found {}", place_.empty() ? "the document" : place_, wanted,
        value_->is_null() ? "null"
                          : fmt::format("{} {}", value_->is_array() || value_->is_object() ? "an" : "a",
                                        value_->type_name()))};
}

json_view json_view::operator[](std::string_view name) const {
    if (!value_->is_object()) {
        fail("an object");
    }
    const std::string key{name};
    std::string place = place_.empty() ? key : place_ + '.' + key;
    const auto found = value_->find(key);
    if (found == value_->end()) {
        throw bad_field{place + " is missing"};
    }
    return {*found, std::move(place)};
}

bool json_view::has(std::string_view name) const {
    if (!value_->is_object()) {
        fail("an object");
    }
    const auto found = value_->find(std::string{name});
    return found != value_->end() && !found->is_null();
}

std::string json_view::text() const {
    if (!value_->is_string()) {
        fail("a string");
    }
    return value_->get<std::string>();
}

double json_view::number() const {
    if (!value_->is_number() || !std::isfinite(value_->get<double>())) {
        fail("a number");
    }
    return value_->get<double>();
}

bool json_view::truth() const {
    if (!value_->is_boolean()) {
        fail("true or false");
    }
    return value_->get<bool>();
}

std::vector<double> json_view::numbers() const {
    std::vector<double> values;
    for (const json_view& item : items()) {
        values.push_back(item.number());
        if (values.back() < 0) {
            throw bad_field{fmt::format("{}: wanted a number that is not negative, found {}", item.place_,
                                        values.back())};
        }
    }
    if (values.empty()) {
        throw bad_field{place_ + " is empty"};
    }
    return values;
}

std::vector<json_view> json_view::items() const {
    if (!value_->is_array()) {
        fail("an array");
    }
    std::vector<json_view> list;
    for (std::size_t i = 0; i != value_->size(); ++i) {
        list.push_back(json_view{(*value_)[i], fmt::format("{}[{}]", place_, i)});
    }
    return list;
}

std::vector<std::pair<std::string, json_view>> json_view::members() const {
    if (!value_->is_object()) {
        fail("an object");
    }
    std::vector<std::pair<std::string, json_view>> list;
    for (const auto& [name, value] : value_->items()) {
        list.emplace_back(name, json_view{value, place_.empty() ? name : place_ + '.' + name});
    }
    return list;
}

std::string json_view::shown() const {
    return value_->is_string() ? value_->get<std::string>()
                               : value_->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace linn::tool
