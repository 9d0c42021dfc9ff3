// SPDX-License-Identifier: Apache-2.0
#include "report_files.hpp"

#include "../measure/files.hpp"
#include "../report/render/render.hpp"
#include "command.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>

namespace linn::tool {

namespace fs = std::filesystem;

report_files::report_files(CLI::App& app, std::function<std::string()> json,
                           std::function<report::document()> document, bool has_page)
    : document_{std::move(document)} {
    forms_.push_back({"--json", "write the result as JSON", std::move(json)});
    for (const report::output_format& format : report::output_formats()) {
        if (has_page || !format.is_page) {
            forms_.push_back(
                {format.option, format.help, [this, render = format.render] { return render(document_()); }});
        }
    }
    for (output& form : forms_) {
        add_value(app, form.option.c_str(), form.file, "FILE",
                  fmt::format("{} to FILE, or to standard output for -", form.help),
                  writable_file(or_stdout));
    }
    app.final_callback([this] {
        std::map<std::string, std::string> option_of;
        for (const output& form : forms_) {
            const auto [same, is_new] = option_of.emplace(form.file, form.option);
            if (!is_new && !form.file.empty()) {
                throw CLI::ValidationError{
                    fmt::format("{} and {} both write to {}: give each a file of its own", same->second,
                                form.option, form.file == "-" ? "standard output" : form.file)};
            }
        }
    });
}

bool report_files::takes_stdout() const {
    return std::ranges::find(forms_, "-", &output::file) != forms_.end();
}

std::string report_files::file_of(std::string_view option) const {
    const auto form = std::ranges::find(forms_, option, &output::option);
    return form == forms_.end() ? std::string{} : form->file;
}

std::string report_files::page_address() const {
    const std::string file = file_of("--html");
    std::error_code error;
    return file != "-" && fs::is_regular_file(file, error) ? "file://" + fs::absolute(file, error).string()
                                                           : std::string{};
}

std::string report_files::write() const {
    std::vector<std::string> problems;
    for (const output& form : forms_) {
        if (form.file == "-") {
            const std::string text = form.text();
            if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
                problems.push_back(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
            }
        } else if (!form.file.empty()) {
            problems.push_back(write_atomically(form.file, form.text()));
        }
    }
    std::erase(problems, "");
    return fmt::format("{}", fmt::join(problems, "; "));
}

std::string report_files::deliver(const std::function<report::document()>& document) const {
    const std::string problem = write();
    if (!takes_stdout()) {
        const std::string text = report::render_terminal(document(), style_of_stdout());
        std::fwrite(text.data(), 1, text.size(), stdout);
    }
    const bool is_printed = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    return problem.empty() && !is_printed ? "the result cannot be written to standard output" : problem;
}

} // namespace linn::tool
