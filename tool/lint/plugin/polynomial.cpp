// SPDX-License-Identifier: Apache-2.0
#include "polynomial.hpp"

#include <algorithm>

namespace clang::tidy::linn {
namespace {

// Coefficients of sizes are small; of nonsense, whatever comes out is as good as anything else.
std::int64_t wrapped(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}

std::int64_t sum(std::int64_t a, std::int64_t b) {
    return wrapped(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::int64_t product(std::int64_t a, std::int64_t b) {
    return wrapped(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

} // namespace

polynomial polynomial::of(const std::string& name) {
    polynomial p;
    p.terms_[{name}] = 1;
    return p;
}

void polynomial::add(const factors& what, std::int64_t times) {
    const auto [place, is_new] = terms_.try_emplace(what, times);
    if (!is_new) {
        place->second = sum(place->second, times);
    }
    if (place->second == 0) {
        terms_.erase(place);
    }
}

std::optional<std::int64_t> polynomial::constant() const {
    if (terms_.empty()) {
        return 0;
    }
    return terms_.size() == 1 && terms_.begin()->first.empty()
               ? std::optional<std::int64_t>{terms_.begin()->second}
               : std::nullopt;
}

bool polynomial::mentions(const std::string& name) const {
    return std::any_of(terms_.begin(), terms_.end(), [&](const auto& term) {
        return std::any_of(term.first.begin(), term.first.end(), [&](const std::string& factor) {
            return factor.find(name) != std::string::npos; // also inside of "(a/b)"
        });
    });
}

bool polynomial::is_never_negative() const {
    return std::all_of(terms_.begin(), terms_.end(), [](const auto& term) { return term.second > 0; });
}

polynomial polynomial::with(const std::string& name, const polynomial& value) const {
    polynomial result;
    for (const auto& [what, times] : terms_) {
        polynomial term{times};
        for (const std::string& factor : what) {
            term = term * (factor == name ? value : of(factor));
        }
        result = result + term;
    }
    return result;
}

std::optional<polynomial> polynomial::divided_by(const polynomial& divisor) const {
    if (divisor.terms_.size() != 1) {
        return *this == divisor && !is_zero() ? std::optional<polynomial>{1} : std::nullopt;
    }
    const auto& [below, by] = *divisor.terms_.begin();
    polynomial quotient;
    for (const auto& [what, times] : terms_) {
        if (times % by != 0 || !std::includes(what.begin(), what.end(), below.begin(), below.end())) {
            return std::nullopt;
        }
        factors rest;
        std::set_difference(what.begin(), what.end(), below.begin(), below.end(), std::back_inserter(rest));
        quotient.add(rest, times / by);
    }
    return quotient;
}

std::string polynomial::text() const {
    std::string text;
    for (const auto& [what, times] : terms_) {
        text += (text.empty() ? "" : "+") + std::to_string(times);
        for (const std::string& factor : what) {
            text += '*' + factor;
        }
    }
    return text.empty() ? "0" : text;
}

polynomial operator+(polynomial a, const polynomial& b) {
    for (const auto& [what, times] : b.terms_) {
        a.add(what, times);
    }
    return a;
}

polynomial operator-(polynomial a, const polynomial& b) {
    for (const auto& [what, times] : b.terms_) {
        a.add(what, product(times, -1));
    }
    return a;
}

polynomial operator*(const polynomial& a, const polynomial& b) {
    polynomial result;
    for (const auto& [one, times] : a.terms_) {
        for (const auto& [other, more] : b.terms_) {
            polynomial::factors both = one;
            both.insert(both.end(), other.begin(), other.end());
            std::sort(both.begin(), both.end());
            result.add(both, product(times, more));
        }
    }
    return result;
}

} // namespace clang::tidy::linn
