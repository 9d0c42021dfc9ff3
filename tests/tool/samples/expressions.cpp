// SPDX-License-Identifier: Apache-2.0
// A calculator: a parser that builds trees of polymorphic nodes, in the way that compilers are written.
#include "truth.hpp"

#include <cctype>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace calc {

class expression {
public:
    virtual ~expression() = default;
    virtual double value() const = 0;
};

using expression_ptr = std::unique_ptr<expression>;

class number final : public expression {
public:
    explicit number(double value) : value_(value) {}
    double value() const override { return value_; }

private:
    double value_;
};

class sum final : public expression {
public:
    void add(expression_ptr one) { parts_.push_back(std::move(one)); }
    double value() const override {
        double total = 0;
        for (const expression_ptr& one : parts_) {
            total += one->value();
        }
        return total;
    }
    std::size_t capacity() const { return parts_.capacity(); }

private:
    std::vector<expression_ptr> parts_;
};

class product final : public expression {
public:
    product(expression_ptr left, expression_ptr right) : left_(std::move(left)), right_(std::move(right)) {}
    double value() const override { return left_->value() * right_->value(); }

private:
    expression_ptr left_;
    expression_ptr right_;
};

class parser {
public:
    explicit parser(std::string_view text) : text_(text) {}

    expression_ptr parse_sum() {
        auto whole = std::make_unique<sum>();
        ++sums;
        for (;;) {
            sample::growth<sum> growth(*whole);
            whole->add(parse_product());
            growth.see(*whole);
            growths += growth.count();
            if (at_ >= text_.size() || text_[at_] != '+') {
                return whole;
            }
            ++at_;
        }
    }

    std::size_t sums = 0;
    std::size_t products = 0;
    std::size_t numbers = 0;
    std::size_t growths = 0;

private:
    expression_ptr parse_product() {
        expression_ptr left = parse_value();
        while (at_ < text_.size() && text_[at_] == '*') {
            ++at_;
            expression_ptr right = parse_value();
            left = expression_ptr(new product(std::move(left), std::move(right)));
            ++products;
        }
        return left;
    }

    expression_ptr parse_value() {
        if (text_[at_] == '(') {
            ++at_;
            expression_ptr inner = parse_sum();
            ++at_;
            return inner;
        }
        double value = 0;
        while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
            value = value * 10 + (text_[at_++] - '0');
        }
        ++numbers;
        return expression_ptr(new number(value));
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

} // namespace calc

int main() {
    using sample::truth;
    double total = 0;
    for (std::size_t round = 0; round < 100; ++round) {
        calc::parser parser("1+2*3+(4+5)*6+7*(8+9*(10+11))+12*13*14+15");
        total += parser.parse_sum()->value();
        truth::expect("calc::sum", "std::unique_ptr<calc::sum>", parser.sums);
        truth::expect("calc::product", "", parser.products);
        truth::expect("calc::number", "", parser.numbers);
        truth::expect("std::unique_ptr<calc::expression>", "std::vector<std::unique_ptr<calc::expression>>",
                      parser.growths);
    }
    sample::keep(total);
    return truth::write();
}
