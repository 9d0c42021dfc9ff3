// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace linn::tool {

/// The lines of a source file; nothing where it cannot be read, is no regular file, or has more than 4 MiB, which no person wrote.
std::optional<std::vector<std::string>> read_source(const std::string& file);

/// The type that a line of source allocates: of `new T`, `make_unique<T>`, `(T*)malloc(…)`, `malloc(n * sizeof(T))`.
struct source_type {
    std::string type; ///< as written; empty: none found
    bool is_array = false;
};

/// Reads the program's source where it is still there. Files are read once.
class source_types {
public:
    source_type type_at(const std::string& file, unsigned line, unsigned column);

private:
    std::unordered_map<std::string, std::vector<std::string>> files_;
};

/// Likewise for one line; `column` counts from 1, 0 is not known.
source_type type_in_line(const std::string& line, unsigned column);

} // namespace linn::tool
