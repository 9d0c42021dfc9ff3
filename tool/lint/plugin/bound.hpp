// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace clang::tidy::linn {

/// A length, an index or an offset as a sum of products of names: `4*height*width + 3`. Two bounds that compare equal are equal
/// for all values of the names; casts and the order of the operands make no difference.
class bound {
public:
    bound() = default; // 0
    bound(std::int64_t number) { add({}, number); }
    static bound of(const std::string& name) {
        bound one;
        one.add({name}, 1);
        return one;
    }

    std::optional<std::int64_t> constant() const;
    /// Whether no coefficient is negative. Names stand for lengths and counts, so such a bound is not negative.
    bool is_never_negative() const;
    /// b where this is a + b * name, and neither a nor b mentions the name; none otherwise.
    std::optional<bound> factor_of(const std::string& name) const;
    /// The quotient where the division leaves no remainder; none otherwise. @pre divisor != 0
    std::optional<bound> divided_by(std::int64_t divisor) const;
    /// The name, where it is one. @pre it was made by `of`
    const std::string& name() const { return terms_.begin()->first.front(); }
    /// A name for it inside another bound.
    std::string text() const;

    friend bound operator+(bound a, const bound& b);
    friend bound operator-(const bound& a, const bound& b) { return a + b * -1; }
    friend bound operator*(const bound& a, const bound& b);
    friend bool operator==(const bound& a, const bound& b) { return a.terms_ == b.terms_; }

private:
    using factors = std::vector<std::string>; // sorted

    void add(const factors& product, std::int64_t times);

    std::map<factors, std::int64_t> terms_{}; // none is 0
};

} // namespace clang::tidy::linn
