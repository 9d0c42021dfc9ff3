// SPDX-License-Identifier: Apache-2.0
#include "owned.hpp"

#include "container_kind.hpp"
#include "type_groups.hpp"

#include <algorithm>

namespace linn::tool {
namespace {

constexpr std::size_t most_compared = 50; // types; what is rarer is not worth a recycler
constexpr double as_often = 0.8;
constexpr double similar_life = 4;

bool is_object(container_kind kind) {
    return kind == container_kind::shared_ptr || kind == container_kind::unique_ptr ||
           kind == container_kind::none;
}

/// True where a stack goes through a constructor of T, such as "net::packet::packet(".
bool goes_through_constructor(const advised_type& part, const std::string& type) {
    const std::string constructor = type + "::" + std::string{last_component(type)} + "(";
    return std::any_of(part.named.frames.begin(), part.named.frames.end(), [&](const symbol_frame& f) {
        return f.function.find(constructor) != std::string::npos;
    });
}

bool is_same_function(const advised_type& a, const advised_type& b) {
    return !a.places.empty() && !b.places.empty() && !a.places.front().frame.function.empty() &&
           a.places.front().frame.function == b.places.front().frame.function;
}

bool lives_as_long(const advised_type& a, const advised_type& b) {
    const double x = a.statistics.lifetime_quantile(0.5);
    const double y = b.statistics.lifetime_quantile(0.5);
    return x <= similar_life * y && y <= similar_life * x;
}

} // namespace

std::string owned_with(const advised_type& type, const std::vector<advised_type>& types) {
    if (!is_object(kind_of(type.named)) || type.named.is_array) {
        return {};
    }
    for (std::size_t i = 0; i != std::min(types.size(), most_compared); ++i) {
        const advised_type& part = types[i];
        const container_kind kind = kind_of(part.named);
        if (&part == &type || (kind != container_kind::array && kind != container_kind::text)) {
            continue;
        }
        if (static_cast<double>(part.statistics.allocations) <
            as_often * static_cast<double>(type.statistics.allocations)) {
            continue;
        }
        if (goes_through_constructor(part, type.name) ||
            (is_same_function(part, type) && lives_as_long(part, type))) {
            return label_of(part);
        }
    }
    return {};
}

} // namespace linn::tool
