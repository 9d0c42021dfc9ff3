// SPDX-License-Identifier: Apache-2.0
#include "report_files.hpp"

#include "../measure/files.hpp"
#include "command.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>

namespace linn::tool {

namespace fs = std::filesystem;

using report::output_formats;

report_files::report_files(CLI::App& app, std::function<report::document()> document, bool has_page)
    : document_{std::move(document)} {
    for (std::size_t i = 0; i != files_.size() - (has_page ? 0 : 1); ++i) {
        add_value(app, output_formats[i].option, files_[i], "FILE",
                  fmt::format("{} to FILE, or to standard output for -", output_formats[i].help),
                  writable_file(or_stdout));
    }
    app.final_callback([this] {
        std::map<std::string, std::string> option_of;
        for (std::size_t i = 0; i != files_.size(); ++i) {
            const std::string& file = files_[i];
            const auto [same, is_new] = option_of.emplace(file, output_formats[i].option);
            if (!is_new && !file.empty()) {
                throw CLI::ValidationError{
                    fmt::format("{} and {} both write to {}: give each a file of its own", same->second,
                                output_formats[i].option, file == "-" ? "standard output" : file)};
            }
        }
    });
}

bool report_files::takes_stdout() const {
    return std::ranges::find(files_, "-") != files_.end();
}

std::string report_files::page_address() const {
    const std::string& file = page();
    std::error_code error;
    return file != "-" && fs::is_regular_file(file, error) ? "file://" + fs::absolute(file, error).string()
                                                           : std::string{};
}

std::string report_files::write(const report::document& document) const {
    std::vector<std::string> problems;
    for (std::size_t i = 0; i != files_.size(); ++i) {
        if (files_[i] == "-") {
            const std::string text = output_formats[i].render(document);
            if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
                problems.push_back(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
            }
        } else if (!files_[i].empty()) {
            problems.push_back(write_atomically(files_[i], output_formats[i].render(document)));
        }
    }
    std::erase(problems, "");
    return fmt::format("{}", fmt::join(problems, "; "));
}

std::string report_files::deliver() const {
    const report::document document = document_();
    const std::string problem = write(document);
    if (!takes_stdout()) {
        const std::string text = report::render_terminal(document, style_of_stdout());
        std::fwrite(text.data(), 1, text.size(), stdout);
    }
    const bool is_printed = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    return problem.empty() && !is_printed ? "the result cannot be written to standard output" : problem;
}

} // namespace linn::tool
