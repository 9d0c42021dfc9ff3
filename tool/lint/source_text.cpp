// SPDX-License-Identifier: Apache-2.0
#include "source_text.hpp"

#include "../measure/files.hpp"

#include <algorithm>

namespace linn::tool {

source_text::source_text(std::string text) : text_{std::move(text)}, starts_{0} {
    for (std::size_t i = 0; i != text_.size(); ++i) {
        if (text_[i] == '\n') {
            starts_.push_back(i + 1);
        }
    }
}

text_place source_text::place(std::size_t offset) const {
    if (offset > text_.size() || text_.empty()) {
        return {};
    }
    const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
    const std::size_t start = *std::prev(after);
    // A byte 10xxxxxx continues a code point of UTF-8.
    const auto points = std::count_if(text_.begin() + static_cast<std::ptrdiff_t>(start),
                                      text_.begin() + static_cast<std::ptrdiff_t>(offset), [](char c) {
                                          return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
                                      });
    return {static_cast<std::size_t>(after - starts_.begin()), offset - start + 1,
            static_cast<std::size_t>(points) + 1};
}

std::string_view source_text::line(std::size_t number) const {
    if (number == 0 || number > starts_.size()) {
        return {};
    }
    const std::size_t start = starts_[number - 1];
    const std::string_view rest = std::string_view{text_}.substr(start);
    std::string_view line = rest.substr(0, rest.find('\n'));
    if (line.ends_with('\r')) {
        line.remove_suffix(1);
    }
    return line;
}

const source_text& source_texts::of(const std::string& file) {
    const auto found = files_.find(file);
    if (found != files_.end()) {
        return found->second;
    }
    return files_.emplace(file, source_text{read_file(file).value_or("")}).first->second;
}

} // namespace linn::tool
