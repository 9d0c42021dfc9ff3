// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../report/document/document.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace linn::tool {

/// The options by which a command writes its result to files (`--json FILE` …; `-`: standard output, instead of the table).
/// The arguments are refused if a file cannot be written or two forms are for one file.
class report_files {
public:
    /// Adds an option a form: the published JSON, and every output format of report/render, which are written from the document;
    /// --html only where there is a page.
    report_files(CLI::App& app, std::function<std::string()> json, std::function<report::document()> document,
                 bool has_page = true);
    report_files(const report_files&) = delete;
    report_files& operator=(const report_files&) = delete;

    /// True when a form goes to standard output, so that nothing else may be printed there.
    bool takes_stdout() const;

    /// The file that the user named for a form, such as that of "--html"; empty: none.
    std::string file_of(std::string_view option) const;

    /// "file:///home/me/report.html" of the page that was asked for; empty without one, or where it is no file.
    std::string page_address() const;

    /// Writes every form asked for, each file whole or not at all. One that fails does not stop the others. Returns an
    /// empty string, or what went wrong.
    std::string write() const;

    /// Writes every form asked for, then prints the document, or the one given, as the terminal's width and colours allow, unless
    /// a form takes standard output. The files come first: the reader of standard output may have gone away, which ends this
    /// process. Returns as `write`, also for standard output.
    std::string deliver() const { return deliver(document_); }
    std::string deliver(const std::function<report::document()>& document) const;

private:
    struct output {
        std::string option; ///< "--json"
        std::string help;
        std::function<std::string()> text; ///< the whole file
        std::string file = {}; ///< that the user named; empty: not asked for, "-": standard output
    };

    std::function<report::document()> document_;
    std::vector<output> forms_;
};

} // namespace linn::tool
