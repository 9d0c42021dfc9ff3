// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// A place in a file as a person names it.
struct text_place {
    std::size_t line = 0;      ///< from 1; 0: not known
    std::size_t column = 0;    ///< in bytes, from 1, as compilers count
    std::size_t character = 0; ///< in code points, from 1
};

/// A file that was read once, for looking up places in it.
class source_text {
public:
    explicit source_text(std::string text);

    /// The place of a byte; unknown when it lies behind the end.
    text_place place(std::size_t offset) const;

    /// The line without its end; empty when there is none of that number.
    std::string_view line(std::size_t number) const;

    const std::string& text() const noexcept { return text_; }

private:
    std::string text_;
    std::vector<std::size_t> starts_; // of the lines
};

/// The files that places are looked up in, each read at its first use. One that cannot be read is an empty one.
class source_texts {
public:
    const source_text& of(const std::string& file);

private:
    std::map<std::string, source_text, std::less<>> files_;
};

} // namespace linn::tool
