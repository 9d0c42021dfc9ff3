// SPDX-License-Identifier: Apache-2.0
#include "markup.hpp"

#include <algorithm>
#include <cstddef>

namespace linn::tool::html {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD"; // U+FFFD

unsigned byte_at(std::string_view text, std::size_t i) noexcept {
    return static_cast<unsigned char>(text[i]);
}

/// The length of the UTF-8 sequence at `i`, or 0 when it is none: cut short, overlong, a surrogate, above U+10FFFF.
std::size_t sequence_length(std::string_view text, std::size_t i) noexcept {
    const unsigned lead = byte_at(text, i);
    const std::size_t length = lead < 0x80                    ? 1
                               : lead >= 0xC2 && lead <= 0xDF ? 2
                               : lead >= 0xE0 && lead <= 0xEF ? 3
                               : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                              : 0;
    if (length == 0 || i + length > text.size()) {
        return 0;
    }
    for (std::size_t k = 1; k != length; ++k) {
        if ((byte_at(text, i + k) & 0xC0) != 0x80) {
            return 0;
        }
    }
    const unsigned second = length > 1 ? byte_at(text, i + 1) : 0;
    const bool is_wrong = (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
                          (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F);
    return is_wrong ? 0 : length;
}

void append_ascii(std::string& out, char c) {
    switch (c) {
    case '&':
        out += "&amp;";
        break;
    case '<':
        out += "&lt;";
        break;
    case '>':
        out += "&gt;";
        break;
    case '"':
        out += "&quot;";
        break;
    case '\'':
        out += "&#39;";
        break;
    case '\n':
    case '\t':
        out += c;
        break;
    default:
        if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) {
            out += c;
        }
    }
}

void open(std::string& out, std::string_view name, attributes list) {
    out += '<';
    out += name;
    for (const attribute& a : list) {
        out += ' ';
        out += a.name;
        out += "=\"";
        out += escape(a.value);
        out += '"';
    }
}

} // namespace

std::string escape(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = sequence_length(text, i);
        if (length == 0) {
            out += replacement;
            ++i;
        } else if (length == 1) {
            append_ascii(out, text[i]);
            ++i;
        } else {
            // C1 controls (U+0080 to U+009F), and U+FFFE and U+FFFF, which no XML may hold.
            const bool is_control = byte_at(text, i) == 0xC2 && byte_at(text, i + 1) < 0xA0;
            const bool is_no_character = text.substr(i, 2) == "\xEF\xBF" && byte_at(text, i + 2) >= 0xBE;
            if (!is_control && !is_no_character) {
                out += text.substr(i, length);
            }
            i += length;
        }
    }
    return out;
}

markup text(std::string_view plain) {
    return markup::trusted(escape(plain));
}

markup element(std::string_view name, attributes list, const markup& content) {
    std::string out;
    open(out, name, list);
    out += '>';
    out += content.str();
    out += "</";
    out += name;
    out += '>';
    return markup::trusted(out);
}

markup element(std::string_view name, const markup& content) {
    return element(name, {}, content);
}

markup empty_element(std::string_view name, attributes list) {
    std::string out;
    open(out, name, list);
    out += "/>";
    return markup::trusted(out);
}

} // namespace linn::tool::html

namespace linn::tool::report {
namespace {

bool starts_letter(char c) noexcept {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

} // namespace

std::size_t letters_of(std::string_view text) noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(text, starts_letter));
}

std::size_t byte_of_letter(std::string_view text, std::size_t letter) noexcept {
    std::size_t letters = 0;
    const auto found =
        std::ranges::find_if(text, [&](char c) { return starts_letter(c) && letters++ == letter; });
    return static_cast<std::size_t>(found - text.begin());
}

std::string shortened(std::string_view words, std::size_t most_letters) {
    return letters_of(words) <= most_letters
               ? std::string{words}
               : std::string{words.substr(0, byte_of_letter(words, most_letters - 1))} + "…";
}

std::string capitalised(std::string_view words) {
    std::string text{words};
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
        text[0] = static_cast<char>(text[0] - 'a' + 'A');
    }
    return text;
}

} // namespace linn::tool::report
