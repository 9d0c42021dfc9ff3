// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../report/render/render.hpp"

#include <array>
#include <cstdio>
#include <functional>
#include <iterator>
#include <string>

namespace CLI {
class App;
}

namespace linn::tool {

/// The options by which a command writes its result to files (`--json FILE` …; `-`: standard output, instead of the table).
/// The arguments are refused if a file cannot be written or two forms are for one file.
class report_files {
public:
    /// Adds an option a form of report/render, which is written from the document; --html only where there is a page.
    report_files(CLI::App& app, std::function<report::document()> document, bool has_page = true);
    report_files(const report_files&) = delete;
    report_files& operator=(const report_files&) = delete;

    /// True when a form goes to standard output, so that nothing else may be printed there.
    bool takes_stdout() const;

    /// The file that the user named for the page, which is the last form; empty: none.
    const std::string& page() const noexcept { return files_.back(); }

    /// Writes every form of the document that was asked for, each file whole or not at all, then the text as the terminal's width
    /// and colours allow: to standard output, unless a form takes that, or to standard error, or for null nowhere. The files come
    /// first: the reader of standard output may have gone away, which ends this process. What fails stops nothing else.
    /// @throws std::runtime_error where something could not be written
    void deliver(std::FILE* shown_on = stdout) const;

private:
    std::function<report::document()> document_;
    /// One a form of `output_formats`: that the user named; empty: not asked for, "-": standard output.
    std::array<std::string, std::size(report::output_formats)> files_;
};

} // namespace linn::tool
