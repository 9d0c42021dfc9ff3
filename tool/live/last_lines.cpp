// SPDX-License-Identifier: Apache-2.0
#include "last_lines.hpp"

namespace linn::tool::live {
namespace {

constexpr std::size_t longest = 1024; // of which a screen shows less
constexpr std::size_t tab = 8;

} // namespace

void last_lines::add_escaped(char c) {
    switch (escape_) {
    case escape::begun:
        escape_ = c == '[' ? escape::control : c == ']' || c == 'P' ? escape::text : escape::none;
        break;
    case escape::control: // ends with a letter or the like
        escape_ = c >= '@' && c <= '~' ? escape::none : escape::control;
        break;
    case escape::text: // ends with BEL, or ESC and a backslash
        escape_ = c == '\a' ? escape::none : c == '\033' ? escape::text_end : escape::text;
        break;
    default:
        escape_ = escape::none;
        break;
    }
}

void last_lines::add_plain(char c) {
    if (c == '\n') {
        lines_.push_back(std::move(line_));
        line_.clear();
        is_returned_ = false;
        if (lines_.size() > most_) {
            lines_.pop_front();
        }
        return;
    }
    if (c == '\r') {
        is_returned_ = true;
        return;
    }
    if (is_returned_) {
        line_.clear();
        is_returned_ = false;
    }
    if (c == '\b' && !line_.empty()) {
        line_.pop_back();
    } else if (c == '\t') {
        line_.append(tab - line_.size() % tab, ' ');
    } else if (static_cast<unsigned char>(c) >= ' ' && c != '\177' && line_.size() < longest) {
        line_ += c;
    }
}

void last_lines::add(std::string_view bytes) {
    for (const char c : bytes) {
        if (escape_ != escape::none) {
            add_escaped(c);
        } else if (c == '\033') {
            escape_ = escape::begun;
        } else {
            add_plain(c);
        }
    }
}

std::vector<std::string> last_lines::lines() const {
    std::vector<std::string> all{lines_.begin(), lines_.end()};
    if (!line_.empty()) {
        all.push_back(line_);
    }
    return all;
}

} // namespace linn::tool::live
