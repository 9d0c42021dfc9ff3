// SPDX-License-Identifier: Apache-2.0
#include "report_files.hpp"

#include "../measure/files.hpp"
#include "../report/render/render.hpp"
#include "command.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>

namespace linn::tool {

namespace fs = std::filesystem;

namespace {

std::vector<report_form> forms_of(const report_source& source, std::vector<report_form> own) {
    std::vector<report_form> forms{{"--json", "write the result as JSON", source.json}};
    for (const report::output_format& format : report::output_formats()) {
        if (source.has_page || !format.is_page) {
            forms.push_back(
                {format.option, format.help,
                 [document = source.document, render = format.render] { return render(document()); }});
        }
    }
    forms.insert(forms.end(), own.begin(), own.end());
    return forms;
}

} // namespace

void print_report(const report::document& d) {
    fmt::print("{}", report::render_terminal(d, style_of_stdout()));
}

std::string why_not_printed() {
    const bool is_flushed = std::fflush(stdout) == 0;
    return is_flushed && std::ferror(stdout) == 0 ? "" : "the result cannot be written to standard output";
}

report_files::report_files(CLI::App& app, const report_source& source, std::vector<report_form> own)
    : report_files{app, forms_of(source, std::move(own))} {
    document_ = source.document;
}

report_files::report_files(CLI::App& app, std::vector<report_form> forms)
    : forms_{std::move(forms)},
      files_(forms_.size()) {
    for (std::size_t i = 0; i != forms_.size(); ++i) {
        add_value(app, forms_[i].option.c_str(), files_[i], "FILE",
                  fmt::format("{} to FILE, or to standard output for -", forms_[i].help),
                  writable_file(or_stdout));
    }
    app.final_callback([this] {
        std::map<std::string, std::string> option_of;
        for (std::size_t i = 0; i != forms_.size(); ++i) {
            const auto [same, is_new] = option_of.emplace(files_[i], forms_[i].option);
            if (!is_new && !files_[i].empty()) {
                throw CLI::ValidationError{
                    fmt::format("{} and {} both write to {}: give each a file of its own", same->second,
                                forms_[i].option, files_[i] == "-" ? "standard output" : files_[i])};
            }
        }
    });
}

bool report_files::takes_stdout() const {
    return std::ranges::find(files_, "-") != files_.end();
}

bool report_files::writes(std::string_view option) const {
    for (std::size_t i = 0; i != forms_.size(); ++i) {
        if (forms_[i].option == option) {
            return !files_[i].empty();
        }
    }
    return false;
}

std::string report_files::page_address() const {
    for (std::size_t i = 0; i != forms_.size(); ++i) {
        std::error_code error;
        if (forms_[i].option == "--html" && !files_[i].empty() && files_[i] != "-" &&
            fs::is_regular_file(files_[i], error)) {
            return "file://" + fs::absolute(files_[i], error).string();
        }
    }
    return {};
}

std::string report_files::write() const {
    std::string problems;
    for (std::size_t i = 0; i != forms_.size(); ++i) {
        if (files_[i].empty()) {
            continue;
        }
        std::string problem;
        if (files_[i] != "-") {
            problem = write_atomically(files_[i], forms_[i].text());
        } else {
            const std::string text = forms_[i].text();
            if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
                problem = fmt::format("cannot write to standard output: {}", std::strerror(errno));
            }
        }
        if (!problem.empty()) {
            problems += problems.empty() ? problem : "; " + problem;
        }
    }
    return problems;
}

std::string report_files::deliver(const std::function<report::document()>& document) const {
    const std::string problem = write();
    if (!takes_stdout()) {
        print_report(document());
    }
    return problem.empty() ? why_not_printed() : problem;
}

} // namespace linn::tool
