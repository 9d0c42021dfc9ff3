// SPDX-License-Identifier: Apache-2.0
#include "flame_plot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace linn::tool::html {
namespace {

constexpr std::size_t label_letters =
    160; // of a box as wide as a page; the script has the whole from the title
constexpr std::size_t tip_letters = 300;
constexpr double weakest = 10;     // percent of the colour of a box that grew or shrank a little
constexpr double strongest = 45;   // words on it stay readable
constexpr double line_height = 20; // page.css sets the boxes to the same

std::string share_text(double part, double whole) {
    return whole > 0 ? typeset(unit::share, part / whole) : "0 %";
}

std::size_t depth_of(const flame_node& n) {
    std::size_t most = 0;
    for (const flame_node& c : n.children) {
        most = std::max(most, depth_of(c));
    }
    return most + 1;
}

/// As many letters as a box has room for on a wide page.
std::size_t letters_of(const flame_node& n, const flame_node& root) {
    const double share = root.weight[0] > 0 ? n.weight[0] / root.weight[0] : 0;
    return std::max<std::size_t>(4, static_cast<std::size_t>(share * label_letters * 1.5));
}

/// A box that grew or shrank has a colour as strong as its change, and a mark that needs no colour.
class boxes {
public:
    boxes(const flame_node& root, const flame_words& words) : root_{&root}, words_{&words} {}

    markup of(const flame_node& n, double from, double width) const {
        markup content = label(n);
        markup children;
        double at = 0;
        const double whole = n.weight[0];
        for (const flame_node& c : n.children) {
            const double share = whole > 0 ? c.weight[0] / whole : 0;
            children += of(c, at, share);
            at += share;
        }
        if (!children.empty()) {
            content += element("ul", children);
        }
        return element("li",
                       {{"style", fmt::format("left:{}%;width:{}%", fmt::format("{:.7g}", from * 100),
                                              fmt::format("{:.7g}", width * 100))},
                        {"data-w", weights_of(n)}},
                       content);
    }

private:
    std::string weights_of(const flame_node& n) const {
        std::string weights;
        for (std::size_t i = 0; i != words_->measures.size(); ++i) {
            weights += fmt::format("{}{:.6g}", i == 0 ? "" : " ", n.weight[i]);
        }
        return weights;
    }

    markup label(const flame_node& n) const {
        const double growth = words_->growth ? std::clamp(words_->growth(n), -1.0, 1.0) : 0;
        const std::string_view mark = growth > 0 ? "▲ " : growth < 0 ? "▼ " : "";
        const std::string tip =
            fmt::format("{}{}\n{}", mark, shortened(n.label, tip_letters), words_->tip(n, *root_)) +
            (n.detail.empty() ? "" : "\n" + n.detail);
        const markup words = text(fmt::format("{}{}", mark, shortened(n.label, letters_of(n, *root_))));
        if (growth == 0) {
            return element("span", {{"class", class_of(n.style)}, {"title", tip}}, words);
        }
        return element(
            "span",
            {{"class", growth > 0 ? "grew" : "shrank"},
             {"style", fmt::format("--by:{:.0f}%", weakest + (strongest - weakest) * std::abs(growth))},
             {"title", tip}},
            words);
    }

    const flame_node* root_;
    const flame_words* words_;
};

std::string tip_of_type(const flame_node& n, const flame_node& root) {
    std::string tip = fmt::format("{} ({}), {} ({})",
                                  figures::counted(figures::figure_of(unit::count, n.weight[0]),
                                                   figures::lettering::typeset, "allocation"),
                                  share_text(n.weight[0], root.weight[0]), typeset(unit::bytes, n.weight[1]),
                                  share_text(n.weight[1], root.weight[1]));
    if (n.weight[2] > 0) {
        tip += fmt::format("\n{} of the CPU time", typeset(unit::share, n.weight[2]));
    }
    return tip;
}

} // namespace

flame_words words_of_types() {
    return {{"allocations", "bytes", "time in the allocator"},
            "allocations by type, place and caller",
            tip_of_type};
}

markup draw(const flame_node& root, const flame_words& words, const flame_extras& extras) {
    if (!(root.weight[0] > 0) || root.children.empty()) {
        return {};
    }
    const double height = line_height * static_cast<double>(depth_of(root));
    const markup list =
        element("ul", {{"class", "flame"}, {"style", fmt::format("height:{}px", coordinate(height))}},
                boxes{root, words}.of(root, 0, 1));
    return element("div",
                   {{"class", "flame-graph"},
                    {"data-measures", fmt::format("{}", fmt::join(words.measures, "|"))},
                    {"data-first", std::to_string(extras.first)},
                    {"data-name", std::string{words.name}}},
                   extras.data + element("div", {{"class", "flame-frame"}}, list));
}

} // namespace linn::tool::html
