// SPDX-License-Identifier: Apache-2.0
#include "figure.hpp"

#include <fmt/format.h>

namespace linn::tool::html {

std::string typeset(unit what, double value) {
    return figures::written(what, value, figures::lettering::typeset);
}

std::string typeset(unit what, double low, double high) {
    return figures::bounds_of(what, low, high).text(figures::lettering::typeset);
}

std::string class_of(emphasis e) {
    switch (e) {
    case emphasis::ours:
        return "ours";
    case emphasis::muted:
        return "muted";
    case emphasis::good:
        return "good";
    case emphasis::bad:
        return "bad";
    case emphasis::none:
        break;
    }
    return {};
}

std::string shortened(std::string_view words, std::size_t most_letters) {
    const auto starts_letter = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    std::size_t letters = 0;
    std::size_t end_of_kept = 0; // where the ellipsis goes
    for (std::size_t i = 0; i != words.size(); ++i) {
        if (starts_letter(words[i]) && ++letters == most_letters) {
            end_of_kept = i;
        }
    }
    return letters <= most_letters ? std::string{words} : std::string{words.substr(0, end_of_kept)} + "…";
}

std::string capitalised(std::string_view words) {
    std::string text{words};
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
        text[0] = static_cast<char>(text[0] - 'a' + 'A');
    }
    return text;
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

markup figure_box(const markup& picture, const markup& caption) {
    return element("figure", picture + element("figcaption", caption));
}

markup folded(std::string_view summary, const markup& content) {
    return content.empty() ? content : element("details", element("summary", text(summary)) + content);
}

} // namespace linn::tool::html
