// SPDX-License-Identifier: Apache-2.0
#include "tidy_run.hpp"

#include "../measure/process.hpp"
#include "source_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;

/// A folder that goes with its owner.
class temporary_folder {
public:
    temporary_folder() {
        std::string name = (fs::temp_directory_path() / "linn-lint-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            throw std::runtime_error{fmt::format("cannot make a folder {}: {}", name, std::strerror(errno))};
        path_ = name;
    }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    ~temporary_folder() {
        std::error_code error;
        fs::remove_all(path_, error);
    }

    const fs::path& path() const noexcept { return path_; }

private:
    fs::path path_;
};

void write_file(const fs::path& path, const std::string& text) {
    std::ofstream file{path, std::ios::binary};
    file << text;
    if (!file.flush())
        throw std::runtime_error{fmt::format("cannot write {}: {}", path.string(), std::strerror(errno))};
}

/// Clang takes up a precompiled header of GCC that lies beside a header included by force. Such a header is
/// included by one of ours.
std::vector<std::string> without_precompiled(const lint_unit& unit, const fs::path& folder) {
    std::vector<std::string> words = unit.arguments;
    std::error_code error;
    for (std::size_t i = 1; i + 1 < words.size(); ++i) {
        if (words[i] != "-include")
            continue;
        const fs::path header = fs::path{unit.directory} / words[i + 1];
        if (!fs::exists(header.string() + ".gch", error) && !fs::exists(header.string() + ".pch", error))
            continue;
        const fs::path ours = folder / fmt::format("forced_{}.hpp", i);
        write_file(ours, fmt::format("#include \"{}\"\n", header.lexically_normal().string()));
        words[i + 1] = ours.string();
    }
    return words;
}

std::string config_text(const check_options& o) {
    std::vector<std::string> options;
    for (const char* check : {"linn-zero-fill", "linn-zero-fill-return"})
        options.push_back(fmt::format("{{key: {0}.MinBytes, value: {1}}}, {{key: {0}.Facts, value: 1}}",
                                      check, o.min_bytes));
    return fmt::format("{{CheckOptions: [{}]}}", fmt::join(options, ", "));
}

std::string checks_text(const check_options& o) {
    std::string text = "--checks=-*";
    if (o.fill)
        text += ",linn-zero-fill";
    if (o.fill_return)
        text += ",linn-zero-fill-return";
    return text;
}

/// The first error that the compiler found; empty when it found none.
std::string first_error(const std::vector<tidy_diagnostic>& diagnostics) {
    const auto error = std::find_if(diagnostics.begin(), diagnostics.end(), [](const tidy_diagnostic& d) {
        return d.level == "Error" && d.name.starts_with("clang-diagnostic");
    });
    if (error == diagnostics.end())
        return {};
    const tidy_message& m = error->message;
    if (m.file.empty())
        return m.text;
    source_texts texts;
    const text_place place = texts.of(m.file).place(m.offset);
    return fmt::format("{}:{}:{}: {}", m.file, place.line, place.column, m.text);
}

std::string first_words(const std::string& err) {
    const auto line = [&](std::size_t at) { return err.substr(at, err.find('\n', at) - at); };
    const std::size_t error = err.find("error: ");
    return error != std::string::npos ? line(error) : line(0);
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
        std::vector<std::thread> threads;
        const std::size_t wanted = std::min<std::size_t>(jobs, units_.size());
        for (std::size_t i = 0; i != wanted; ++i)
            threads.emplace_back([this] { work(); });
        for (std::unique_lock lock{mutex_}; finished_threads_ != wanted;) {
            changed_.wait_for(lock, std::chrono::milliseconds{200});
            on_progress(
                {done_, units_.size(), 0, fmt::format("{} of {} files  {}", done_, units_.size(), current_)});
        }
        for (std::thread& thread : threads)
            thread.join();
        if (!problem_.empty())
            throw std::runtime_error{problem_};
        return std::move(outcomes_);
    }

private:
    void work() {
        for (;;) {
            const std::size_t i = next_.fetch_add(1);
            if (i >= units_.size() || interrupt_guard::pending() != 0)
                break;
            {
                const std::lock_guard lock{mutex_};
                current_ = fs::path{units_[i].file}.filename().string();
            }
            try {
                outcomes_[i] = one(i);
            } catch (const std::exception& error) {
                const std::lock_guard lock{mutex_};
                problem_ = error.what();
                next_ = units_.size();
            }
            const std::lock_guard lock{mutex_};
            ++done_;
            changed_.notify_one();
        }
        const std::lock_guard lock{mutex_};
        ++finished_threads_;
        changed_.notify_one();
    }

    unit_outcome one(std::size_t i) {
        const lint_unit& unit = units_[i];
        // A database of its own for every unit: clang-tidy would read the whole one each time, and check all of a
        // file's entries.
        const fs::path folder = folder_.path() / std::to_string(i);
        fs::create_directory(folder);
        write_file(folder / "compile_commands.json",
                   nlohmann::json::array({{{"directory", unit.directory},
                                           {"file", unit.file},
                                           {"arguments", without_precompiled(unit, folder)}}})
                       .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
        const fs::path fixes = folder / "fixes.yaml";
        const auto start = clock::now();
        const child_result child =
            run_child({program_.path, "--load=" + program_.plugin, checks_text(options_),
                       "--config=" + config_text(options_), "--header-filter=.*",
                       "--export-fixes=" + fixes.string(), "--quiet", "-p", folder.string(), unit.file},
                      child_environment(""), no_limit, guard_, [] {});
        unit_outcome out;
        out.seconds = std::chrono::duration<double>(clock::now() - start).count();
        if (child.how == child_result::ending::interrupted)
            return out;
        out.was_run = true;
        std::ifstream file{fixes, std::ios::binary};
        const std::string yaml{std::istreambuf_iterator<char>{file}, {}};
        try {
            out.diagnostics = read_tidy_report(yaml, unit.directory);
        } catch (const unreadable_report& error) {
            out.failure = error.what();
        }
        if (child.how != child_result::ending::exited) {
            // What a crash writes begins with "PLEASE submit a bug report", which helps nobody here.
            out.failure = child.how == child_result::ending::signalled
                              ? "clang-tidy crashed with " + signal_name(child.code)
                              : "clang-tidy: " + describe_ending(child, no_limit);
        } else if (const std::string error = first_error(out.diagnostics); !error.empty()) {
            out.failure = error;
        } else if (child.code != 0 && out.diagnostics.empty() && out.failure.empty()) {
            out.failure =
                fmt::format("clang-tidy ended with status {}: {}", child.code, first_words(child.err));
        }
        file.close();
        std::error_code ignored;
        fs::remove_all(folder, ignored);
        return out;
    }

    static constexpr std::chrono::seconds no_limit = std::chrono::hours{24 * 365};

    const tidy_program& program_;
    const std::vector<lint_unit>& units_;
    const check_options& options_;
    const interrupt_guard& guard_;
    temporary_folder folder_;
    std::vector<unit_outcome> outcomes_;
    std::atomic<std::size_t> next_{0};
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t done_ = 0;
    std::size_t finished_threads_ = 0;
    std::string current_;
    std::string problem_;
};

} // namespace

std::vector<unit_outcome> run_tidy(const tidy_program& program, const std::vector<lint_unit>& units,
                                   const check_options& options, unsigned jobs, const interrupt_guard& guard,
                                   const std::function<void(const work_progress&)>& on_progress) {
    return runner{program, units, options, guard}.run(jobs, on_progress);
}

} // namespace linn::tool
