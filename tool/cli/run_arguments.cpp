// SPDX-License-Identifier: Apache-2.0
#include "run_arguments.hpp"

#include "../measure/files.hpp"
#include "../measure/machine.hpp"
#include "command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace linn::tool {
namespace {

/// The path of a regular file on standard input; empty when it is none.
std::string file_on_stdin() {
    struct stat s{};
    if (::fstat(STDIN_FILENO, &s) != 0 || !S_ISREG(s.st_mode)) {
        return {};
    }
    return "/proc/self/fd/0";
}

/// True when there is data in a pipe on standard input, which only one run could read.
bool has_data_on_stdin() {
    struct stat s{};
    if (::fstat(STDIN_FILENO, &s) != 0 || !(S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode))) {
        return false;
    }
    int bytes = 0;
    return ::ioctl(STDIN_FILENO, FIONREAD, &bytes) == 0 && bytes > 0;
}

} // namespace

void run_arguments::add() {
    CLI::App& arguments = app_;
    add_value(arguments, "--rounds", options_.rounds, "COUNT",
              "run exactly COUNT rounds (default: until --precision)", whole_number(1, 100'000));
    budget_ = static_cast<unsigned>(options_.budget.count());
    add_value(arguments, "--budget", budget_, "SECONDS",
              fmt::format("seconds for the measurement (default {})", budget_), whole_number(1, 1'000'000));
    precision_ = options_.precision * 100;
    add_value(arguments, "--precision", precision_, "PERCENT",
              fmt::format("stop when the times are known to within PERCENT (default {})", precision_),
              number(0.01, 100));
    add_value(arguments, "--warm-up", options_.warm_up_rounds, "COUNT",
              fmt::format("rounds thrown away first (default {})", options_.warm_up_rounds),
              whole_number(0, 1000));
    add_value(arguments, "--prepare", options_.prepare, "CMD",
              "shell command before every run, not measured");
    add_value(arguments, "--input", input_, "FILE", "standard input of every run, from its start");
    CLI::Option* const client =
        add_value(arguments, "--client", options_.launch.client, "CMD",
                  "the program is a server; this shell command drives it and ends, and is timed");
    add_value(arguments, "--ready", options_.launch.ready, "CMD",
              "with --client: shell command that succeeds as soon as the server is ready")
        ->needs(client);
    add_value(arguments, "--timeout", timeout_, "SECONDS",
              "kill a run after SECONDS (default 10, and ten times the first run's)",
              whole_number(1, 1'000'000));
    add_value(arguments, "--pin", pin_, "LIST", "CPUs to run on, such as 0 or 0-1,3 (default none: all)");
    arguments.add_flag("--no-compare-output{false}", options_.compare_output,
                       "do not require identical output from all runs");
    arguments.add_flag("--ignore-exit-status", options_.ignore_exit_status,
                       "measure a program that ends with another status than 0");
    arguments.add_flag("--wrapper", options_.keep_wrappers,
                       "measure through wrapper scripts, not the program that they start");
    add_seed(arguments, options_.seed);
}

void run_arguments::check_input() {
    if (input_.empty()) {
        options_.launch.input = file_on_stdin();
        if (options_.launch.input.empty() && has_data_on_stdin()) {
            write_to_stderr(fmt::format(
                "linn {}: warning: standard input is a pipe, which only one run could read; each run "
                "gets an empty one. Save it to a file and give --input FILE\n",
                app_.get_name()));
        }
        return;
    }
    std::error_code error;
    if (std::filesystem::is_directory(input_, error)) {
        throw wrong_arguments{fmt::format("--input {}: is a directory", input_)};
    }
    const int file = ::open(input_.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        throw wrong_arguments{fmt::format("--input {}: {}", input_, std::strerror(errno))};
    }
    struct stat s{};
    const bool is_seekable = ::fstat(file, &s) == 0 && (S_ISREG(s.st_mode) || S_ISCHR(s.st_mode));
    ::close(file);
    if (!is_seekable) {
        throw wrong_arguments{
            fmt::format("--input {}: a pipe can be read by one run only; give a file", input_)};
    }
    options_.launch.input = std::filesystem::absolute(input_);
}

void run_arguments::check_cpus() const {
    const std::string& list = options_.launch.cpus;
    if (list.empty()) {
        return;
    }
    const std::optional<std::vector<unsigned>> cpus = cpus_in(list);
    if (!cpus) {
        throw wrong_arguments{fmt::format("--pin must be CPUs such as 0 or 0-1,3, not '{}'", list)};
    }
    const std::vector<unsigned> usable = usable_cpus();
    for (const unsigned cpu : *cpus) {
        if (std::ranges::find(usable, cpu) == usable.end()) {
            throw wrong_arguments{fmt::format("--pin {}: this process may not use CPU {}", list, cpu)};
        }
    }
}

void run_arguments::check() {
    options_.launch.cpus = pin_ == "none" ? "" : pin_;
    check_cpus();
    options_.precision = precision_ / 100;
    options_.budget = std::chrono::seconds{budget_};
    options_.is_timeout_given = timeout_ != 0;
    if (timeout_ != 0) {
        options_.launch.timeout = std::chrono::seconds{timeout_};
    }
    check_input();
}

} // namespace linn::tool
