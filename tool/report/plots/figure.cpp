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

markup stretching_svg(std::string_view title, std::string_view description, double height,
                      const markup& shapes, const markup& words) {
    const std::string high = coordinate(height);
    markup content = element("title", text(title)) + element("desc", text(description));
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

/// Marks at equal distances, for a range too narrow for powers.
std::vector<tick> even_steps(double low, double high, std::size_t most) {
    const auto count = [&](double step) {
        return static_cast<std::size_t>(std::floor(high / step + 1e-9) - std::ceil(low / step - 1e-9) + 1);
    };
    double step = round_step((high - low) / static_cast<double>(most));
    while (count(step) > most) {
        step = round_step(step * 1.5);
    }
    return even_ticks(unit::number, low, high, step);
}

} // namespace

std::vector<tick> even_ticks(unit what, double low, double high, double step) {
    std::vector<tick> list;
    for (double i = std::ceil(low / step - 1e-9); i * step <= high * (1 + 1e-9); ++i) {
        list.push_back({i * step, figures::mark_text(what, i * step, high)});
    }
    return list;
}

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
    return last / first < 4 ? even_steps(first, last, most)
                            : powers(unit::number, last / first < 1000 ? 2 : 10, first, last, most);
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

namespace {

constexpr double line_height = 18; // page.css sets the labels to the same
constexpr double top = 22;         // for the title
constexpr double bottom = 36;      // for the marks and the title of the axis
constexpr double spread = 4.5;     // of the dots, up and down

axis axis_of(const strip_panel& panel) {
    axis range;
    range.add(1);
    for (const strip& s : panel.strips) {
        for (const double sample : s.samples) {
            range.add(sample);
        }
        range.add(s.middle.low);
        range.add(s.middle.high);
    }
    // The band stands out even where all else is as quiet as it.
    range.add(1 / (1 + panel.noise));
    range.add(1 + panel.noise);
    return range;
}

/// Background: the band of noise, the marks of the axis, the line at 1.
void draw_frame(const strip_panel& panel, const axis& scale, double lines, markup& shapes, markup& words) {
    const double end = top + lines;
    if (panel.noise > 0) {
        const double left = scale.place(1 / (1 + panel.noise));
        const double right = scale.place(1 + panel.noise);
        shapes += empty_element("rect", {{"class", "band"},
                                         {"x", across(left)},
                                         {"y", coordinate(top)},
                                         {"width", across(right - left)},
                                         {"height", coordinate(lines)}});
    }
    constexpr std::size_t most_marks = 4; // whose labels have room on a phone too
    std::string marks;
    for (const tick& t : scale.ticks(most_marks)) {
        const double place = scale.place(t.value);
        marks += fmt::format("M{} {}V{}", across(place), coordinate(top), coordinate(end + 4));
        words += words_at(place, end + 16, "tick", t.label);
    }
    shapes += path_element("grid", marks);
    shapes += path_element("one", fmt::format("M{} {}V{}", across(scale.place(1)), top, end));
    words += panel_title(13, panel.title);
    words += words_at(0.5, end + 31, "axis-title", panel.axis_title);
}

/// Ratios as this panel writes them: near 1 everywhere, the third digit counts.
std::string value_text(const axis& scale, double value) {
    return scale.high() / scale.low() < 2 ? typeset(unit::ratio, value) : typeset(unit::times, value);
}

/// How far a sample is moved up or down from the middle of its line, -1 to 1, so that equal ones do not hide each other.
/// The same for every run of the program.
double jitter(std::size_t sample) noexcept {
    // Multiples of the golden ratio fill a line evenly, however many there are.
    constexpr double golden = 0.6180339887498949;
    const double turns = static_cast<double>(sample) * golden;
    return 2 * (turns - std::floor(turns)) - 1;
}

/// One line: a place to point at, which names its figures, the dots, the interval, the median.
void draw_strip(const std::string& label, const strip& s, const axis& scale, double y, markup& shapes,
                markup& words) {
    const std::string name = class_of(s.style);
    std::string dots;
    for (std::size_t i = 0; i != s.samples.size(); ++i) {
        if (s.samples[i] > 0) {
            dots += fmt::format("M{} {}h0", across(scale.place(s.samples[i])),
                                coordinate(y + jitter(i) * spread));
        }
    }
    const std::string middle = across(scale.place(s.middle.middle));
    const std::string bounds = s.middle.is_known()
                                   ? fmt::format("95 % interval {} to {}", value_text(scale, s.middle.low),
                                                 value_text(scale, s.middle.high))
                                   : "too few samples for an interval";
    const std::string tip = fmt::format("{}: {}, {}, {}", label, value_text(scale, s.middle.middle), bounds,
                                        figures::counted(s.samples.size(), "sample"));
    markup group = element("title", text(tip));
    group += empty_element("rect", {{"class", "hit"},
                                    {"x", "0"},
                                    {"y", coordinate(y - line_height / 2)},
                                    {"width", "1000"},
                                    {"height", coordinate(line_height)}});
    group += path_element("dots", dots);
    if (s.middle.is_known()) {
        group += path_element("bar", fmt::format("M{} {}H{}", across(scale.place(s.middle.low)),
                                                 coordinate(y), across(scale.place(s.middle.high))));
    }
    group += path_element("median", fmt::format("M{} {}V{}", middle, coordinate(y - 6), coordinate(y + 6)));
    shapes += element("g", {{"class", ("strip " + name)}}, group);
    words +=
        element("text", {{"x", "100%"}, {"dx", "8"}, {"y", coordinate(y + 4)}, {"class", "value " + name}},
                text(value_text(scale, s.middle.middle)));
}

markup draw_panel(const strip_plot& plot, const strip_panel& panel) {
    const axis scale = axis_of(panel);
    const double lines = line_height * static_cast<double>(plot.labels.size());
    markup shapes;
    markup words;
    draw_frame(panel, scale, lines, shapes, words);
    for (std::size_t i = 0; i != plot.labels.size(); ++i) {
        const strip_label& label = plot.labels[i];
        if (label.is_heading || panel.strips[i].is_empty()) {
            continue;
        }
        draw_strip(label.words, panel.strips[i], scale, top + line_height * (static_cast<double>(i) + 0.5),
                   shapes, words);
    }
    return element("div", {{"class", "panel"}},
                   stretching_svg(panel.title, panel.axis_title, top + lines + bottom, shapes, words));
}

markup draw_labels(const std::vector<strip_label>& labels) {
    markup list;
    for (const strip_label& l : labels) {
        list += element("li", {{"class", l.is_heading ? "heading" : class_of(l.style)}, {"title", l.words}},
                        text(l.words));
    }
    return element("ul", {{"class", "labels"}}, list);
}

} // namespace

markup draw(const strip_plot& plot) {
    std::vector<const strip_panel*> shown;
    for (const strip_panel& p : plot.panels) {
        if (!std::ranges::all_of(p.strips, &strip::is_empty)) {
            shown.push_back(&p);
        }
    }
    constexpr std::size_t panels_a_row = 3;
    markup all;
    for (std::size_t from = 0; from < shown.size(); from += panels_a_row) {
        const std::size_t count = std::min(panels_a_row, shown.size() - from);
        markup row = draw_labels(plot.labels);
        for (const strip_panel* p : std::span{shown}.subspan(from, count)) {
            row += draw_panel(plot, *p);
        }
        // Where the panels do not fit, they scroll sideways in their own box.
        all +=
            element("div",
                    {{"class", "scroll"},
                     {"tabindex", "0"},
                     {"role", "group"},
                     {"aria-label", "plot, may scroll sideways"}},
                    element("div", {{"class", "strips"}, {"style", fmt::format("--panels:{}", count)}}, row));
    }
    return all;
}

} // namespace linn::tool::html
