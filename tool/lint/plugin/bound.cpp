// SPDX-License-Identifier: Apache-2.0
#include "bound.hpp"

#include <algorithm>
#include <cstdlib>

namespace clang::tidy::linn {

bound bound::of(const std::string& name) {
    bound one;
    one.terms_[{name}] = 1;
    return one;
}

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

bool bound::mentions(const std::string& name) const {
    return std::any_of(terms_.begin(), terms_.end(), [&](const auto& term) {
        return std::any_of(term.first.begin(), term.first.end(), [&](const std::string& factor) {
            return factor.find(name) != std::string::npos; // also inside of "(a/b)"
        });
    });
}

int bound::newest() const {
    int newest = 0;
    const std::string all = text();
    for (std::size_t at = all.find('#'); at != std::string::npos; at = all.find('#', at + 1)) {
        newest = std::max(newest, std::atoi(all.c_str() + at + 1));
    }
    return newest;
}

bool bound::is_never_negative() const {
    return std::all_of(terms_.begin(), terms_.end(), [](const auto& term) { return term.second > 0; });
}

std::optional<bound> bound::factor_of(const std::string& name) const {
    bound factor;
    for (const auto& [product, times] : terms_) {
        const auto found = std::find(product.begin(), product.end(), name);
        if (found != product.end()) {
            factors rest = product;
            rest.erase(rest.begin() + (found - product.begin()));
            factor.add(rest, times);
        } else if (bound one; one.add(product, times), one.mentions(name)) {
            return std::nullopt;
        }
    }
    return factor.mentions(name) ? std::nullopt : std::optional{factor};
}

std::optional<bound> bound::divided_by(const bound& divisor) const {
    if (divisor.terms_.size() != 1) {
        return *this == divisor ? std::optional{bound{1}}
               : terms_.empty() ? std::optional{bound{}}
                                : std::nullopt;
    }
    const auto& [by, number] = *divisor.terms_.begin();
    bound quotient;
    for (const auto& [product, times] : terms_) {
        factors rest = product;
        for (const std::string& factor : by) {
            const auto found = std::find(rest.begin(), rest.end(), factor);
            if (found == rest.end()) {
                return std::nullopt;
            }
            rest.erase(found);
        }
        if (times % number != 0) {
            return std::nullopt;
        }
        quotient.add(rest, times / number);
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
