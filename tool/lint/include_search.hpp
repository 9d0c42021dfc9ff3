// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace linn::tool {

/// Which files a source includes, directly or not, found by reading `#include` lines: no preprocessor runs, so a line that an
/// #if leaves out counts, and one whose name comes from a macro does not.
class include_search {
public:
    /// Which of the headers the source includes. `arguments` are a clean command, of which the folders for headers are
    /// taken; paths are absolute and without . and ..
    std::set<std::string> reached(const std::string& source, const std::vector<std::string>& arguments,
                                  const std::string& directory, const std::set<std::string>& headers);

private:
    struct include_line {
        std::string name;
        bool is_quoted;
    };

    const std::vector<include_line>& lines_of(const std::string& file);
    bool is_file(const std::string& path);

    std::map<std::string, std::vector<include_line>> lines_;
    std::map<std::string, bool> is_file_;
};

} // namespace linn::tool
