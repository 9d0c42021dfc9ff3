// SPDX-License-Identifier: Apache-2.0
#include "toml_scanner.hpp"

#include <cstdarg>
#include <cstdio>

namespace linn::tool {
namespace {

bool is_control(char c) noexcept {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
}

void write_utf8(std::uint32_t code, char*& out) noexcept {
    if (code < 0x80) {
        *out++ = static_cast<char>(code);
        return;
    }
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    constexpr unsigned heads[] = {0, 0xc0, 0xe0, 0xf0};
    *out++ = static_cast<char>(heads[more] | code >> (6 * more));
    for (int i = more - 1; i >= 0; --i) {
        *out++ = static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3f));
    }
}

/// Whether it is UTF-8, as TOML asks for, in the shortest form and without surrogates.
bool is_utf8(const char* begin, const char* end) noexcept {
    for (const char* p = begin; p != end;) {
        const auto head = static_cast<unsigned char>(*p++);
        const int more = head < 0x80   ? 0
                         : head < 0xc2 ? -1
                         : head < 0xe0 ? 1
                         : head < 0xf0 ? 2
                         : head < 0xf5 ? 3
                                       : -1;
        std::uint32_t code = more > 0 ? head & (0x3fu >> more) : head;
        for (int i = 0; i < more; ++i) {
            if (p == end || (static_cast<unsigned char>(*p) & 0xc0) != 0x80) {
                return false;
            }
            code = code << 6 | (static_cast<unsigned char>(*p++) & 0x3fu);
        }
        if (more < 0 || (more == 2 && (code < 0x800 || (code >= 0xd800 && code < 0xe000))) ||
            (more == 3 && (code < 0x10000 || code > 0x10ffff))) {
            return false;
        }
    }
    return true;
}

} // namespace

int hex_digit(char c) noexcept {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool toml_scanner::fail(const char* format, ...) noexcept {
    error_.line = line_;
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(error_.what, sizeof error_.what, format, arguments);
    va_end(arguments);
    for (char* c = error_.what; *c != '\0'; ++c) {
        *c =
            is_control(*c) || *c == '\t' ? '?' : *c; // of a name that the plan gives: one line stays one line
    }
    return false;
}

void toml_scanner::skip_blanks() noexcept {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) {
        ++at_;
    }
}

bool toml_scanner::end_line() noexcept {
    skip_blanks();
    if (at_ != end_ && *at_ == '#') {
        for (; at_ != end_ && *at_ != '\n' && *at_ != '\r'; ++at_) {
            if (is_control(*at_)) {
                return fail("a control character in a comment");
            }
        }
    }
    if (at_ != end_ && *at_ == '\r') {
        ++at_;
    }
    if (at_ == end_) {
        return true;
    }
    if (*at_ != '\n') {
        return fail("something follows that does not belong on this line");
    }
    ++at_;
    return true;
}

std::string_view toml_scanner::word() noexcept {
    const char* const begin = at_;
    while (at_ != end_ &&
           ((*at_ >= 'a' && *at_ <= 'z') || (*at_ >= 'A' && *at_ <= 'Z') || (*at_ >= '0' && *at_ <= '9') ||
            *at_ == '_' || *at_ == '-' || *at_ == '+' || *at_ == '.')) {
        ++at_;
    }
    return {begin, static_cast<std::size_t>(at_ - begin)};
}

bool toml_scanner::read_value_of(std::string_view name, value& v) noexcept {
    skip_blanks();
    if (at_ == end_ || *at_ != '=') {
        return fail("'=' is missing after '%.*s'", length(name), name.data());
    }
    ++at_;
    skip_blanks();
    return read_value(v);
}

bool toml_scanner::read_value(value& v) noexcept {
    if (at_ != end_ && *at_ == '"') {
        return read_basic_string(v);
    }
    if (at_ != end_ && *at_ == '\'') {
        return read_literal_string(v);
    }
    const std::string_view text = word();
    if (text == "true" || text == "false") {
        v.what = value::boolean;
        v.integer = text == "true" ? 1 : 0;
        return true;
    }
    v.what = value::number;
    if (text.empty() || !read_integer(text, v.integer)) {
        return fail("a value is a string on one line, a whole number that is not negative, true or false");
    }
    return true;
}

bool toml_scanner::read_integer(std::string_view text, std::uint64_t& into) noexcept {
    const char* p = text.data();
    const char* const end = p + text.size();
    const bool is_hex = text.size() > 2 && p[0] == '0' && p[1] == 'x';
    const unsigned base = is_hex ? 16 : 10;
    p += is_hex ? 2 : 0;
    if (!is_hex && text.size() > 1 && *p == '0') {
        return false;
    }
    into = 0;
    bool after_digit = false;
    for (; p != end; ++p) {
        if (*p == '_' && after_digit) {
            after_digit = false;
            continue;
        }
        const int digit = hex_digit(*p);
        if (digit < 0 || static_cast<unsigned>(digit) >= base) {
            return false;
        }
        if (__builtin_mul_overflow(into, std::uint64_t{base}, &into) ||
            __builtin_add_overflow(into, static_cast<std::uint64_t>(digit), &into)) {
            return false;
        }
        after_digit = true;
    }
    return after_digit && into <= INT64_MAX;
}

bool toml_scanner::read_literal_string(value& v) noexcept {
    const char* const begin = ++at_;
    while (at_ != end_ && *at_ != '\'' && !is_control(*at_)) {
        ++at_;
    }
    if (at_ == end_ || *at_ != '\'') {
        return fail("a string does not end on its line");
    }
    return end_string(v, begin, at_);
}

bool toml_scanner::read_basic_string(value& v) noexcept {
    char* const begin = ++at_;
    char* out = begin;
    while (at_ != end_ && *at_ != '"' && !is_control(*at_)) {
        if (*at_ != '\\') {
            *out++ = *at_++;
        } else if (!read_escape(out)) {
            return false;
        }
    }
    if (at_ == end_ || *at_ != '"') {
        return fail("a string does not end on its line");
    }
    return end_string(v, begin, out);
}

/// What is written is never longer than what was read.
bool toml_scanner::read_escape(char*& out) noexcept {
    ++at_;
    const char c = at_ != end_ ? *at_++ : '\0';
    constexpr char names[] = "btnfr\"\\";
    constexpr char meanings[] = "\b\t\n\f\r\"\\";
    for (std::size_t i = 0; i != sizeof names - 1; ++i) {
        if (c == names[i]) {
            *out++ = meanings[i];
            return true;
        }
    }
    const int digits = c == 'u' ? 4 : c == 'U' ? 8 : 0;
    std::uint32_t code = 0;
    int read = 0;
    for (; read != digits && at_ != end_ && hex_digit(*at_) >= 0; ++read) {
        code = code << 4 | static_cast<std::uint32_t>(hex_digit(*at_++));
    }
    if (digits == 0 || read != digits || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
        return fail("a backslash in a string is followed by one of b t n f r \" \\ u U");
    }
    write_utf8(code, out);
    return true;
}

/// @param end of what was decoded
bool toml_scanner::end_string(value& v, const char* begin, const char* end) noexcept {
    if (!is_utf8(begin, end)) {
        return fail("a string is not UTF-8");
    }
    v.what = value::text;
    v.string = {begin, static_cast<std::size_t>(end - begin)};
    ++at_;
    return true;
}

} // namespace linn::tool
