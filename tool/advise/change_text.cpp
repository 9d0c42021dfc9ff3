// SPDX-License-Identifier: Apache-2.0
#include "change_text.hpp"

#include "../measure/quantity.hpp"
#include "../symbols/call_chain.hpp"
#include "../symbols/cxx_name.hpp"
#include "advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace linn::tool {

std::size_t find_word(std::string_view line, std::string_view word, std::size_t from) {
    for (std::size_t at = line.find(word, from); at != std::string_view::npos; at = line.find(word, at + 1)) {
        const bool begins = at == 0 || !is_word(line[at - 1]);
        const std::size_t end = at + word.size();
        if (begins && (end >= line.size() || !is_word(line[end]))) {
            return at;
        }
    }
    return std::string_view::npos;
}

std::string_view code_of(std::string_view line) {
    return line.substr(0, std::min(line.find("//"), line.size()));
}

std::string trimmed(std::string text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    text.erase(0, std::min(begin, text.size()));
    return text;
}

std::string as_text(const std::string& header, const std::optional<changed_line>& change,
                    const std::string& form) {
    std::string text;
    if (change) {
        text += fmt::format("@@ {}:{}\n", std::filesystem::path{change->file}.filename().string(),
                            change->number);
    }
    if (!header.empty()) {
        text += fmt::format("+ #include <linn/{}>\n", header);
    }
    text += form;
    if (change) {
        text += fmt::format("- {}\n+ {}\n", trimmed(change->before), trimmed(change->after));
    }
    return text;
}

std::string option_argument(const advised_type& type) {
    return type.wants_huge_pages ? fmt::format(", {}", huge_pages_option) : std::string{};
}

bool is_users_class(const advised_type& type) {
    const type_declaration& declared = type.named.declared;
    return !declared.is_c && !declared.file.empty() && !is_system_file(declared.file) &&
           !type.name.starts_with("std::");
}

namespace {

std::uint64_t live_bytes(const advised_type& type) noexcept {
    const site_statistics& s = type.statistics;
    return s.sizes.empty() ? 0 : s.peak_live * preloaded_slot_bytes(s.sizes.front().first);
}

} // namespace

bool has_huge_objects(const advised_type& type) noexcept {
    return is_worth_huge_pages(live_bytes(type), 1);
}

bool is_worth_huge_pages(const advised_type& type) noexcept {
    const bool has_options = type.what == remedy::pooled_container || type.what == remedy::pool_allocator ||
                             type.what == remedy::pooled_class || type.what == remedy::make_shared;
    return has_options && has_huge_objects(type);
}

std::string huge_pages_text(const advised_type& type) {
    if (!type.wants_huge_pages) {
        return {};
    }
    const std::string live =
        is_worth_huge_pages(type)
            ? fmt::format("Its objects take {} at once", figures::bytes_text(live_bytes(type)))
            : "Objects of another type that this change serves take 2 MiB and more at once";
    return fmt::format(
        "{}: give the pool the option {}, which saves page faults. Without it a pool asks for huge "
        "pages from 64 MiB on.",
        live, huge_pages_option);
}

} // namespace linn::tool
