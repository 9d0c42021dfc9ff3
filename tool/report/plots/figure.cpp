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
    const auto count = [&](double step) {
        return static_cast<std::size_t>(std::floor(high / step + 1e-9) - std::ceil(low / step - 1e-9) + 1);
    };
    double step = round_step((high - low) / static_cast<double>(most));
    while (count(step) > most) {
        step = round_step(step * 1.5);
    }
    const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
    std::vector<tick> list;
    for (double i = std::ceil(low / step - 1e-9); i * step <= high * (1 + 1e-9); ++i) {
        list.push_back({i * step, figures::fixed_text(i * step, decimals)});
    }
    return list;
}

} // namespace

double round_step(double least) {
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double digit : {1.0, 2.0, 5.0}) {
        if (digit * power >= least * (1 - 1e-9)) {
            return digit * power;
        }
    }
    return 10 * power;
}

double axis::room() const {
    return std::max(std::pow(largest_ / smallest_, 0.05), 1.04);
}

double axis::low() const {
    return smallest_ == 0 ? 0.5 : smallest_ / room();
}

double axis::high() const {
    return smallest_ == 0 ? 2 : largest_ * room();
}

double axis::place(double value) const {
    if (!(value > 0)) {
        return 0;
    }
    return std::clamp(std::log(value / low()) / std::log(high() / low()), 0.0, 1.0);
}

std::vector<tick> axis::ticks(std::size_t most) const {
    const double first = low();
    const double last = high();
    if (last / first < 4) {
        return even_steps(first, last, most);
    }
    for (const auto& digits : {std::vector<double>{1, 2, 5}, std::vector<double>{1, 3}}) {
        std::vector<tick> list;
        for (int e = static_cast<int>(std::floor(std::log10(first))); std::pow(10.0, e) <= last; ++e) {
            for (const double d : digits) {
                if (const double value = d * std::pow(10.0, e); value >= first && value <= last) {
                    list.push_back({value, figures::mark_text(unit::number, value, value)});
                }
            }
        }
        if (list.size() <= most) {
            return list;
        }
    }
    return powers(unit::number, 10, first, last, most);
}

std::vector<tick> axis::byte_ticks(std::size_t most) const {
    return powers(unit::bytes, 2, low(), high(), most);
}

void axis::add(double value) noexcept {
    if (std::isfinite(value) && value > 0) {
        smallest_ = smallest_ == 0 ? value : std::min(smallest_, value);
        largest_ = std::max(largest_, value);
    }
}

void axis::add(const std::vector<double>& values) noexcept {
    for (const double v : values) {
        add(v);
    }
}

} // namespace linn::tool::html
