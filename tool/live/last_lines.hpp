// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool::live {

/// The last lines that a program wrote to a terminal, as plain text: colours and cursor movements are taken out, a carriage return
/// begins the line again.
class last_lines {
public:
    explicit last_lines(std::size_t most) noexcept : most_(most) {}

    void add(std::string_view bytes);
    /// The oldest first; the unfinished one too, if there is something in it.
    std::vector<std::string> lines() const;

private:
    /// Where in an escape sequence the last byte was.
    enum class escape : unsigned char { none, begun, control, text, text_end };

    void add_plain(char c);
    void add_escaped(char c);

    std::size_t most_;
    std::deque<std::string> lines_;
    std::string line_;
    bool is_returned_ = false; ///< a carriage return came last
    escape escape_ = escape::none;
};

} // namespace linn::tool::live
