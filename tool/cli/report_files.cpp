// SPDX-License-Identifier: Apache-2.0
#include "report_files.hpp"

#include "../measure/files.hpp"
#include "command.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace linn::tool {

using report::output_formats;

report_files::report_files(CLI::App& app, std::function<report::document()> document, bool has_page)
    : document_{std::move(document)} {
    for (std::size_t i = 0; i != files_.size() - (has_page ? 0 : 1); ++i) {
        add_value(app, output_formats[i].option, files_[i], "FILE",
                  fmt::format("{} to FILE, or to standard output for -", output_formats[i].help),
                  writable_file(or_stdout));
    }
    app.final_callback([this] {
        for (std::size_t i = 0; i != files_.size(); ++i) {
            const std::string& file = files_[i];
            const auto same = std::find(files_.begin(), files_.begin() + i, file) - files_.begin();
            if (!file.empty() && static_cast<std::size_t>(same) != i) {
                throw CLI::ValidationError{fmt::format(
                    "{} and {} both write to {}: give each a file of its own", output_formats[same].option,
                    output_formats[i].option, file == "-" ? "standard output" : file)};
            }
        }
    });
}

bool report_files::takes_stdout() const {
    return std::ranges::find(files_, "-") != files_.end();
}

void report_files::deliver(std::FILE* shown_on) const {
    const report::document document = document_();
    std::vector<std::string> problems;
    const auto print = [&](const std::string& text) {
        if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
            problems.push_back(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
        }
    };
    for (std::size_t i = 0; i != files_.size(); ++i) {
        if (files_[i] == "-") {
            print(output_formats[i].render(document));
        } else if (!files_[i].empty()) {
            problems.push_back(write_atomically(files_[i], output_formats[i].render(document)));
        }
    }
    std::erase(problems, "");
    if (shown_on == stderr) {
        write_to_stderr(report::render_terminal(document, style_of_stderr()));
    } else if (shown_on == stdout && !takes_stdout()) {
        print(report::render_terminal(document, style_of_stdout()));
    }
    if (!problems.empty()) {
        throw std::runtime_error{fmt::format("{}", fmt::join(problems, "; "))};
    }
}

} // namespace linn::tool
