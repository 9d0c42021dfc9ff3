// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../measure/quantity.hpp"
#include "../document/markup.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace linn::tool::html {

using figures::unit;
using report::emphasis;

/// A value as a page writes it: "12 345", "1.50 MiB", "1.2 ms", "4.2 %".
std::string typeset(unit what, double value);

/// Two ends of a range: "3.1 – 11 %", "−0.4 to 3.8 %".
std::string typeset(unit what, double low, double high);

/// The class name for the style sheet; empty for none.
std::string class_of(emphasis e);

/// The words, or as many letters of them as are allowed, the last one an ellipsis.
std::string shortened(std::string_view words, std::size_t most_letters);

/// The words with a capital letter first.
std::string capitalised(std::string_view words);

/// A picture that is as wide as its box and `height` px high. Shapes are written in a space 1000 wide that stretches;
/// `words` keep their form, so they are placed in percent. `title` and `description` are read out in its stead.
markup stretching_svg(id_source& ids, std::string_view title, std::string_view description, double height,
                      const markup& shapes, const markup& words);

/// A coordinate, at most two digits after the point and none that are not needed.
std::string coordinate(double value);

/// The x of `share` (0 to 1) in the stretched space.
std::string across(double share);

/// Words at `share` of the width, `y` px from above; at the ends they are turned inwards.
markup words_at(double share, double y, std::string_view style_class, std::string_view words);

/// A picture, or several, with its caption below.
markup figure_box(const markup& picture, const markup& caption);

/// Content that is folded away until the reader opens it.
markup folded(std::string_view summary, const markup& content);

} // namespace linn::tool::html
