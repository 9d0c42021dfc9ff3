// SPDX-License-Identifier: Apache-2.0
#include "flame_plot.hpp"

#include "numbers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool::html {
namespace {

constexpr std::size_t label_letters =
    160; // of a box as wide as a page; the script has the whole from the title
constexpr std::size_t tip_letters = 300;
constexpr double line_height = 20; // page.css sets the boxes to the same

std::string share_text(double part, double whole) {
    return whole > 0 ? percent_text(part / whole) : "0 %";
}

std::string tip_of(const flame_node& n, const flame_node& root) {
    std::string tip = fmt::format("{}\n{} allocations ({}), {} ({})", shortened(n.label, tip_letters),
                                  count_text(n.weight[0]), share_text(n.weight[0], root.weight[0]),
                                  bytes_text(n.weight[1]), share_text(n.weight[1], root.weight[1]));
    if (n.weight[2] > 0)
        tip += fmt::format("\nup to about {} of the run to gain", percent_text(n.weight[2]));
    if (!n.detail.empty())
        tip += '\n' + n.detail;
    return tip;
}

std::size_t depth_of(const flame_node& n) {
    std::size_t most = 0;
    for (const flame_node& c : n.children)
        most = std::max(most, depth_of(c));
    return most + 1;
}

/// As many letters as a box has room for on a wide page.
std::size_t letters_of(const flame_node& n, const flame_node& root) {
    const double share = root.weight[0] > 0 ? n.weight[0] / root.weight[0] : 0;
    return std::max<std::size_t>(4, static_cast<std::size_t>(share * label_letters * 1.5));
}

markup box_of(const flame_node& n, const flame_node& root, double from, double width) {
    markup content = element("span", {{"class", class_of(n.style)}, {"title", tip_of(n, root)}},
                             text(shortened(n.label, letters_of(n, root))));
    markup children;
    double at = 0;
    const double whole = n.weight[0];
    for (const flame_node& c : n.children) {
        const double share = whole > 0 ? c.weight[0] / whole : 0;
        children += box_of(c, root, at, share);
        at += share;
    }
    if (!children.empty())
        content += element("ul", children);
    return element("li",
                   {{"style", fmt::format("left:{}%;width:{}%", fmt::format("{:.7g}", from * 100),
                                          fmt::format("{:.7g}", width * 100))},
                    {"data-w", fmt::format("{:.6g} {:.6g} {:.6g}", n.weight[0], n.weight[1], n.weight[2])}},
                   content);
}

} // namespace

markup draw(const flame_node& root) {
    if (!(root.weight[0] > 0) || root.children.empty())
        return {};
    const double height = line_height * static_cast<double>(depth_of(root));
    const markup boxes =
        element("ul", {{"class", "flame"}, {"style", fmt::format("height:{}px", coordinate(height))}},
                box_of(root, root, 0, 1));
    return element("div", {{"class", "flame-graph"}}, element("div", {{"class", "flame-frame"}}, boxes));
}

} // namespace linn::tool::html
