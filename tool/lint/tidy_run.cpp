// SPDX-License-Identifier: Apache-2.0
#include "tidy_run.hpp"

#include "../measure/files.hpp"
#include "../measure/process.hpp"
#include "../measure/quantity.hpp"
#include "source_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <mutex>
#include <thread>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds no_limit = std::chrono::hours{24 * 365};

/// Clang takes up a precompiled header of GCC that lies next to a header included by force. Such a header is
/// included by one of ours.
std::vector<std::string> without_precompiled(const lint_unit& unit, const fs::path& folder) {
    std::vector<std::string> words = unit.arguments;
    std::error_code error;
    for (std::size_t i = 1; i + 1 < words.size(); ++i) {
        if (words[i] != "-include") {
            continue;
        }
        const fs::path header = fs::path{unit.directory} / words[i + 1];
        if (!fs::exists(header.string() + ".gch", error) && !fs::exists(header.string() + ".pch", error)) {
            continue;
        }
        const fs::path ours = folder / fmt::format("forced_{}.hpp", i);
        write_file(ours, fmt::format("#include \"{}\"\n", header.lexically_normal().string()));
        words[i + 1] = ours.string();
    }
    return words;
}

std::string config_text(const check_options& o) {
    std::vector<std::string> options;
    for (const char* check : {"linn-zero-fill", "linn-overwritten-fill", "linn-zero-fill-return"}) {
        options.push_back(fmt::format("{{key: {0}.MinBytes, value: {1}}}, {{key: {0}.Facts, value: 1}}",
                                      check, o.min_bytes));
    }
    return fmt::format("{{CheckOptions: [{}]}}", fmt::join(options, ", "));
}

std::string checks_text(const check_options& o) {
    std::string text = "--checks=-*";
    if (o.fill) {
        text += ",linn-zero-fill";
    }
    if (o.overwritten) {
        text += ",linn-overwritten-fill";
    }
    if (o.fill_return) {
        text += ",linn-zero-fill-return";
    }
    return text;
}

/// The first error that the compiler found; empty when it found none.
std::string first_error(const std::vector<tidy_diagnostic>& diagnostics) {
    const auto error = std::find_if(diagnostics.begin(), diagnostics.end(), [](const tidy_diagnostic& d) {
        return d.level == "Error" && d.name.starts_with("clang-diagnostic");
    });
    if (error == diagnostics.end()) {
        return {};
    }
    const tidy_message& m = error->message;
    if (m.file.empty()) {
        return m.text;
    }
    source_texts texts;
    const text_place place = texts.of(m.file).place(m.offset);
    return fmt::format("{}:{}:{}: {}", m.file, place.line, place.column, m.text);
}

std::string first_words(const std::string& err) {
    const auto line = [&](std::size_t at) { return err.substr(at, err.find('\n', at) - at); };
    const std::size_t error = err.find("error: ");
    return error != std::string::npos ? line(error) : line(0);
}

/// Why clang-tidy could not check a unit, or not wholly; empty when it could.
std::string failure_of(const child_result& child, const std::vector<tidy_diagnostic>& diagnostics) {
    if (child.how == child_result::ending::
                         signalled) { // what it writes then, "PLEASE submit a bug report", helps nobody here
        return "clang-tidy crashed with " + signal_name(child.code);
    }
    if (child.how != child_result::ending::exited) {
        return "clang-tidy: " + describe_ending(child, no_limit);
    }
    if (child.code != 0 && diagnostics.empty()) {
        return fmt::format("clang-tidy ended with status {}: {}", child.code, first_words(child.err));
    }
    return first_error(diagnostics);
}

class runner {
public:
    runner(const tidy_program& program, const std::vector<lint_unit>& units, const check_options& options,
           const interrupt_guard& guard)
        : program_{program},
          units_{units},
          options_{options},
          guard_{guard},
          outcomes_(units.size()) {}

    std::vector<unit_outcome> run(unsigned jobs,
                                  const std::function<void(const work_progress&)>& on_progress) {
        std::vector<std::thread> threads(std::min<std::size_t>(jobs, units_.size()));
        running_ = threads.size();
        for (std::thread& thread : threads) {
            thread = std::thread{[this] { work(); }};
        }
        for (std::unique_lock lock{mutex_}; running_ != 0;) {
            changed_.wait_for(lock, std::chrono::milliseconds{200});
            on_progress(
                {done_, units_.size(), 0,
                 fmt::format("{} of {}  {}", done_, figures::counted(units_.size(), "file"), current_)});
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        if (problem_) {
            std::rethrow_exception(problem_);
        }
        return std::move(outcomes_);
    }

private:
    void work() {
        std::unique_lock lock{mutex_};
        while (next_ < units_.size() && interrupt_guard::pending() == 0) {
            const std::size_t i = next_++;
            current_ = fs::path{units_[i].file}.filename().string();
            lock.unlock();
            std::exception_ptr problem;
            try {
                outcomes_[i] = one(i);
            } catch (...) {
                problem = std::current_exception();
            }
            lock.lock();
            if (problem) {
                problem_ = problem;
                next_ = units_.size();
            }
            ++done_;
            changed_.notify_one();
        }
        --running_;
        changed_.notify_one();
    }

    unit_outcome one(std::size_t i) {
        const lint_unit& unit = units_[i];
        // A database of its own for every unit: clang-tidy would read the whole one each time, and check all of a
        // file's entries.
        const temporary_folder folder{folder_.path(), "unit-"};
        write_file(folder.path() / "compile_commands.json",
                   nlohmann::json::array({{{"directory", unit.directory},
                                           {"file", unit.file},
                                           {"arguments", without_precompiled(unit, folder.path())}}})
                       .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
        const fs::path fixes = folder.path() / "fixes.yaml";
        const auto start = std::chrono::steady_clock::now();
        const child_result child = run_child({program_.path, "--load=" + program_.plugin,
                                              checks_text(options_), "--config=" + config_text(options_),
                                              "--header-filter=.*", "--export-fixes=" + fixes.string(),
                                              "--quiet", "-p", folder.path().string(), unit.file},
                                             child_environment(""), no_limit, guard_, [] {});
        unit_outcome out;
        out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        out.was_run = child.how != child_result::ending::interrupted;
        if (!out.was_run) {
            return out;
        }
        std::string unreadable;
        try {
            out.diagnostics = read_tidy_report(read_file(fixes).value_or(""), unit.directory);
        } catch (const unreadable_report& error) {
            unreadable = error.what();
        }
        out.failure = failure_of(child, out.diagnostics);
        if (!unreadable.empty() && child.how == child_result::ending::exited) {
            out.failure = unreadable;
        }
        return out;
    }

    const tidy_program& program_;
    const std::vector<lint_unit>& units_;
    const check_options& options_;
    const interrupt_guard& guard_;
    temporary_folder folder_{fs::temp_directory_path(), "linn-lint-"};
    std::vector<unit_outcome> outcomes_; // each is written by one thread
    std::mutex mutex_;                   // of all below
    std::condition_variable changed_;
    std::size_t next_ = 0;
    std::size_t done_ = 0;
    std::size_t running_ = 0;
    std::string current_;
    std::exception_ptr problem_;
};

} // namespace

std::vector<unit_outcome> run_tidy(const tidy_program& program, const std::vector<lint_unit>& units,
                                   const check_options& options, unsigned jobs, const interrupt_guard& guard,
                                   const std::function<void(const work_progress&)>& on_progress) {
    return runner{program, units, options, guard}.run(jobs, on_progress);
}

} // namespace linn::tool
