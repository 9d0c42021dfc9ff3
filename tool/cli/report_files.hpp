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

/// One form in which a command can give its result, such as JSON.
struct report_form {
    std::string option;                ///< "--json"
    std::string help;                  ///< "write the result as JSON"
    std::function<std::string()> text; ///< the whole file
    std::string file = {};             ///< that the user named; empty: not asked for, "-": standard output
};

/// What a command makes of its result: its published JSON, and the document that the other forms are written from.
struct report_source {
    std::function<std::string()> json;
    std::function<report::document()> document;
    bool has_page = true; ///< --html
};

/// Writes the document to standard output, as its width and colours allow.
void print_report(const report::document& d);

/// Hands on what was printed to standard output; returns what went wrong with any of it, or an empty string.
std::string why_not_printed();

/// The options by which a command writes its result to files (`--json FILE` …; `-`: standard output, instead of the table).
/// The arguments are refused if a file cannot be written or two forms are for one file.
class report_files {
public:
    /// Adds an option a form: JSON, and every output format of report/render.
    report_files(CLI::App& app, const report_source& source);
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

    /// Writes every form asked for, then prints the document, or the one given, unless a form takes standard output. The
    /// files come first: the reader of standard output may have gone away, which ends this process. Returns as `write`, also
    /// for standard output.
    std::string deliver() const { return deliver(document_); }
    std::string deliver(const std::function<report::document()>& document) const;

private:
    std::function<report::document()> document_;
    std::vector<report_form> forms_;
};

} // namespace linn::tool
