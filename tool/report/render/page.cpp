// SPDX-License-Identifier: Apache-2.0
#include "page.hpp"

#include "../document/document.hpp"

#include <fmt/format.h>

#include <cstring>

namespace linn::tool::html {
namespace {

/// Nothing may be loaded, and no script but ours may run, regardless of the names in the report.
std::string policy() {
    return fmt::format(
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{}'; "
        "base-uri 'none'; form-action 'none'",
        script_hash);
}

markup head(const page& p) {
    markup content = empty_element("meta", {{"charset", "utf-8"}});
    content += empty_element("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", policy()}});
    content +=
        empty_element("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
    content += empty_element("meta", {{"name", "color-scheme"}, {"content", "light dark"}});
    content += element("title", text(p.title));
    content +=
        empty_element("link", {{"rel", "icon"}, {"href", "data:,"}}); // or a browser asks for /favicon.ico
    content += element("style", markup::trusted(style_sheet));
    return element("head", content);
}

markup contents(const std::vector<section>& sections) {
    markup list;
    for (const section& s : sections) {
        list += element("li", element("a", {{"href", '#' + s.id}}, text(s.title)));
    }
    return element("nav", {{"aria-label", "Contents"}}, element("ol", list));
}

markup body(const page& p) {
    markup top = element("p", {{"class", "kicker"}}, text(p.kicker)) + element("h1", text(p.heading));
    if (!p.alert.empty()) {
        top += element("p", {{"class", "alert"}}, text(p.alert));
    }
    // A long answer in large letters is harder to read, not easier.
    constexpr std::size_t long_lead = 240;
    markup lead;
    for (const std::string& line : report::lines_of(p.lead)) {
        lead += (lead.empty() ? lead : empty_element("br", {})) + text(line);
    }
    top += element("p", {{"class", p.lead.size() > long_lead ? "lead long" : "lead"}}, lead);
    markup content = element("header", top);
    markup main = p.introduction;
    if (p.sections.size() > 1) {
        main += contents(p.sections);
    }
    for (const section& s : p.sections) {
        main += element("section", {{"id", s.id}, {"aria-labelledby", s.id + "-title"}},
                        element("h2", {{"id", s.id + "-title"}}, text(s.title)) + s.content);
    }
    content += element("main", main);
    content += element("footer", text(p.footer));
    content += element("script", markup::trusted(script));
    return element("body", content);
}

} // namespace

std::string render(const page& p) {
    return "<!DOCTYPE html>\n" + element("html", {{"lang", "en"}}, head(p) + body(p)).str() + '\n';
}

markup paragraph(std::string_view plain) {
    return plain.empty() ? markup{} : element("p", text(plain));
}

markup description_list(const std::vector<std::pair<std::string, std::string>>& entries) {
    markup list;
    for (const auto& [name, value] : entries) {
        if (!value.empty()) {
            list += element("div", element("dt", text(name)) + element("dd", text(value)));
        }
    }
    return list.empty() ? list : element("dl", list);
}

} // namespace linn::tool::html
