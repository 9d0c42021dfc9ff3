// SPDX-License-Identifier: Apache-2.0
#include "bound.hpp"

#include <algorithm>

namespace clang::tidy::linn {

void bound::add(const factors& product, std::int64_t times) {
    // Unsigned, because a program may contain numbers that overflow here.
    std::int64_t& sum = terms_[product];
    sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(times));
    if (sum == 0) {
        terms_.erase(product);
    }
}

std::optional<std::int64_t> bound::constant() const {
    if (terms_.empty()) {
        return 0;
    }
    return terms_.size() == 1 && terms_.begin()->first.empty() ? std::optional{terms_.begin()->second}
                                                               : std::nullopt;
}

bool bound::is_never_negative() const {
    return std::all_of(terms_.begin(), terms_.end(), [](const auto& term) { return term.second > 0; });
}

std::optional<bound> bound::factor_of(const std::string& name) const {
    bound factor;
    for (const auto& [product, times] : terms_) {
        factors rest = product;
        if (const auto found = std::find(rest.begin(), rest.end(), name); found != rest.end()) {
            rest.erase(found);
            factor.add(rest, times);
        }
        // Once more, or inside of "(a/b)".
        if (std::any_of(rest.begin(), rest.end(),
                        [&](const std::string& other) { return other.find(name) != std::string::npos; })) {
            return std::nullopt;
        }
    }
    return factor;
}

std::optional<bound> bound::divided_by(std::int64_t divisor) const {
    bound quotient;
    for (const auto& [product, times] : terms_) {
        if (times % divisor != 0) {
            return std::nullopt;
        }
        quotient.add(product, times / divisor);
    }
    return quotient;
}

std::string bound::text() const {
    std::string text;
    for (const auto& [product, times] : terms_) {
        text += "+" + std::to_string(times);
        for (const std::string& factor : product) {
            text += "*" + factor;
        }
    }
    return "(" + text + ")";
}

bound operator+(bound a, const bound& b) {
    for (const auto& [product, times] : b.terms_) {
        a.add(product, times);
    }
    return a;
}

bound operator*(const bound& a, const bound& b) {
    bound result;
    for (const auto& [left, n] : a.terms_) {
        for (const auto& [right, m] : b.terms_) {
            bound::factors product = left;
            product.insert(product.end(), right.begin(), right.end());
            std::sort(product.begin(), product.end());
            result.add(product, static_cast<std::int64_t>(static_cast<std::uint64_t>(n) *
                                                          static_cast<std::uint64_t>(m)));
        }
    }
    return result;
}

} // namespace clang::tidy::linn
