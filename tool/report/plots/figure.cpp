// SPDX-License-Identifier: Apache-2.0
#include "figure.hpp"

#include "../../measure/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace linn::tool::html {

std::string typeset(unit what, double value) {
    return figures::written(what, value, figures::lettering::typeset);
}

std::string class_of(emphasis e) {
    return word_of(e, {"", "ours", "muted", "good", "bad"});
}

markup stretching_svg(id_source& ids, std::string_view title, std::string_view description, double height,
                      const markup& shapes, const markup& words) {
    const std::string id = ids.next("svg");
    const std::string high = coordinate(height);
    markup content = element("title", {{"id", id + "-t"}}, text(title));
    content += element("desc", {{"id", id + "-d"}}, text(description));
    content += element("svg",
                       {{"width", "100%"},
                        {"height", high},
                        {"viewBox", "0 0 1000 " + high},
                        {"preserveAspectRatio", "none"},
                        {"class", "shapes"}},
                       shapes);
    content += words;
    return element("svg",
                   {{"xmlns", "http://www.w3.org/2000/svg"},
                    {"class", "plot"},
                    {"role", "img"},
                    {"aria-labelledby", id + "-t " + id + "-d"},
                    {"width", "100%"},
                    {"height", high}},
                   content);
}

std::string coordinate(double value) {
    std::string digits = fmt::format("{:.2f}", value);
    while (digits.ends_with('0')) {
        digits.pop_back();
    }
    if (digits.ends_with('.')) {
        digits.pop_back();
    }
    return digits == "-0" ? "0" : digits;
}

std::string across(double share) {
    return coordinate(share * 1000);
}

markup words_at(double share, double y, std::string_view style_class, std::string_view words) {
    const std::string anchor = share < 0.04 ? "start" : share > 0.96 ? "end" : "middle";
    return element("text",
                   {{"x", coordinate(share * 100) + '%'},
                    {"y", coordinate(y)},
                    {"text-anchor", anchor},
                    {"class", std::string{style_class}}},
                   text(words));
}

markup path_element(std::string_view style_class, const std::string& d) {
    return empty_element("path", {{"class", std::string{style_class}}, {"d", d}});
}

markup panel_title(double y, std::string_view words) {
    return element("text", {{"x", "0"}, {"y", coordinate(y)}, {"class", "panel-title"}}, text(words));
}

markup words_before(double y, std::string_view words) {
    return element("text", {{"x", "-6"}, {"y", coordinate(y + 4)}, {"text-anchor", "end"}, {"class", "tick"}},
                   text(words));
}

markup figure_box(const markup& picture, const markup& caption) {
    return element("figure", picture + element("figcaption", caption));
}

markup folded(std::string_view summary, const markup& content) {
    return content.empty() ? content : element("details", element("summary", text(summary)) + content);
}

namespace {

/// Marks of powers of `base` whose exponents are multiples of the smallest step that leaves few enough.
std::vector<tick> powers(unit what, double base, double low, double high, std::size_t most) {
    const double length = std::log(base);
    const int first = static_cast<int>(std::ceil(std::log(low) / length - 1e-9));
    const int last = static_cast<int>(std::floor(std::log(high) / length + 1e-9));
    int step = 1;
    while ((last - first) / step + 1 > static_cast<int>(most)) {
        ++step;
    }
    std::vector<tick> list;
    for (int e = first; e <= last; ++e) {
        if (e % step == 0) {
            const double value = std::pow(base, e);
            list.push_back({value, figures::mark_text(what, value, value)});
        }
    }
    return list;
}

/// Multiples of a round step, for a range too narrow for 1, 2, 5.
std::vector<tick> even_steps(double low, double high, std::size_t most) {
    double step = std::pow(10.0, std::floor(std::log10(high - low)) - 1);
    for (const double factor : {2.0, 2.5, 2.0, 2.0, 2.5, 2.0, 2.0, 2.5}) {
        if (std::floor(high / step + 1e-9) - std::ceil(low / step - 1e-9) + 1 <= static_cast<double>(most)) {
            break;
        }
        step *= factor;
    }
    const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
    std::vector<tick> list;
    for (double i = std::ceil(low / step - 1e-9); i * step <= high * (1 + 1e-9); ++i) {
        // A step of 0.25 needs one digit more than its size says.
        const bool is_quarter =
            std::abs(step * std::pow(10.0, decimals) - std::round(step * std::pow(10.0, decimals))) > 1e-6;
        list.push_back({i * step, figures::fixed_text(i * step, decimals + (is_quarter ? 1 : 0))});
    }
    return list;
}

} // namespace

axis axis::logarithmic(double low, double high) {
    const bool is_usable = std::isfinite(low) && std::isfinite(high) && low > 0 && high >= low;
    if (!is_usable) {
        return {0.5, 2};
    }
    // Five percent of the length on both sides, and never less than 4 % of the value.
    const double room = std::max(std::pow(high / low, 0.05), 1.04);
    return {low / room, high * room};
}

double axis::place(double value) const {
    if (!(value > 0)) {
        return 0;
    }
    return std::clamp(std::log(value / low_) / std::log(high_ / low_), 0.0, 1.0);
}

std::vector<tick> axis::ticks(std::size_t most) const {
    if (high_ / low_ < 4) {
        return even_steps(low_, high_, most);
    }
    for (const auto& digits : {std::vector<double>{1, 2, 5}, std::vector<double>{1, 3}}) {
        std::vector<tick> list;
        for (int e = static_cast<int>(std::floor(std::log10(low_))); std::pow(10.0, e) <= high_; ++e) {
            for (const double d : digits) {
                if (const double value = d * std::pow(10.0, e); value >= low_ && value <= high_) {
                    list.push_back({value, figures::mark_text(unit::number, value, value)});
                }
            }
        }
        if (list.size() <= most) {
            return list;
        }
    }
    return powers(unit::number, 10, low_, high_, most);
}

std::vector<tick> axis::byte_ticks(std::size_t most) const {
    return powers(unit::bytes, 2, low_, high_, most);
}

void value_range::add(double value) noexcept {
    if (!std::isfinite(value) || !(value > 0)) {
        return;
    }
    low_ = low_ == 0 ? value : std::min(low_, value);
    high_ = std::max(high_, value);
}

void value_range::add(const std::vector<double>& values) noexcept {
    for (const double v : values) {
        add(v);
    }
}

} // namespace linn::tool::html
