// SPDX-License-Identifier: Apache-2.0
#include "output_format.hpp"

#include "csv.hpp"
#include "html.hpp"
#include "markdown.hpp"

namespace linn::tool::report {
namespace {

constexpr output_format formats[]{
    {"--csv", "write the figures as CSV", &render_csv},
    {"--markdown", "write the report as Markdown", &render_markdown},
    {"--html", "write it as a page for a browser", &render_html, true},
};

} // namespace

std::span<const output_format> output_formats() noexcept {
    return formats;
}

} // namespace linn::tool::report
