// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace clang::tidy::linn {

/// A polynomial with whole coefficients over values that are known by name only: `4*width*height + 3`. Two that are equal
/// as polynomials are equal for all values.
class polynomial {
public:
    polynomial() = default; // 0
    polynomial(std::int64_t number) {
        if (number != 0) {
            terms_[{}] = number;
        }
    }
    static polynomial of(const std::string& name);

    std::optional<std::int64_t> constant() const;
    bool is_zero() const { return terms_.empty(); }
    bool mentions(const std::string& name) const;
    /// Whether no coefficient is negative: then no value is, where names stand for sizes and counts.
    bool is_never_negative() const;
    polynomial with(const std::string& name, const polynomial& value) const;
    /// The quotient where the division leaves no rest for any value; none otherwise.
    std::optional<polynomial> divided_by(const polynomial& divisor) const;
    /// The same for equal polynomials, and for these only.
    std::string text() const;

    friend polynomial operator+(polynomial a, const polynomial& b);
    friend polynomial operator-(polynomial a, const polynomial& b);
    friend polynomial operator*(const polynomial& a, const polynomial& b);
    friend bool operator==(const polynomial& a, const polynomial& b) { return a.terms_ == b.terms_; }
    friend bool operator<(const polynomial& a, const polynomial& b) { return a.terms_ < b.terms_; }

private:
    using factors = std::vector<std::string>; // sorted

    void add(const factors& what, std::int64_t times);

    std::map<factors, std::int64_t> terms_{}; // none is 0
};

} // namespace clang::tidy::linn
